import { z } from 'zod'
import { ApiError } from '../../base/errors.ts'
import { listOf } from '../paging/envelope.ts'
import { exampleNftItem } from '../examples/nfts.ts'
import { keyCursor, keyParts } from '../paging/key-cursor.ts'
import { contractParameter, limitParameter, noParameters, searchParameter } from '../parameters/parameters.ts'
import { nftIdPart, nftItemSchema, presentNftItem } from '../presenters/nft-item.ts'
import { readBlockTimes } from '../queries/block-times.ts'
import { readSearchQuery, searchNftItems } from '../queries/nft-search.ts'
import { defineRoute } from '../route.ts'

const cursorOfItem = keyCursor({ nft_type: keyParts.contract, nft_id: nftIdPart })

const nftSearch = defineRoute({
  path: '/flow/nft/search',
  operationId: 'searchNftItems',
  cost: 'high',
  tag: 'NFTs',
  summary: 'Items by words of their name and description',
  description:
    'Finds items that have all words, in any case and order; the beginning of a word is enough, and of a word of ' +
    'the name any part from three characters on. By collection, and in it by number. Where items with very common words are ' +
    'far apart, a page may have fewer than `limit` items and yet not be the last: `has_more` says so.',
  params: noParameters,
  query: z.object({
    q: searchParameter('The words.'),
    collection: contractParameter('collections')
      .optional()
      .describe('Only items of this collection: `A.<address>.<name>`.'),
    limit: limitParameter({ default: 20, max: 100 }),
    cursor: cursorOfItem.parameter,
  }),
  response: listOf(nftItemSchema, 'NftItem'),
  example: {
    data: [exampleNftItem],
    has_more: true,
    cursor: `${exampleNftItem.nft_type}:${exampleNftItem.id}`,
    _meta: { limit: 1, count: 1 },
  },
  handler: async ({ query: { q, collection, limit, cursor } }, { database }) => {
    const query = await readSearchQuery(database, q)
    if (query === undefined) {
      throw new ApiError(400, 'invalid-parameter', 'Parameter "q" has no word: give letters or digits.', { field: 'q' })
    }
    const after = cursorOfItem.parse(cursor)
    const { rows, next } = await searchNftItems(database, {
      query,
      token: collection,
      limit,
      after: after === undefined ? undefined : { token: after.nft_type, nft_id: after.nft_id },
    })
    const times = await readBlockTimes(
      database,
      rows.map((row) => row.block_height),
    )
    return {
      body: {
        data: rows.map((row) => presentNftItem(row, times)),
        has_more: next !== undefined,
        cursor: next === undefined ? '' : cursorOfItem.format({ nft_type: next.token, nft_id: next.nft_id }),
        _meta: { limit, count: rows.length },
      },
    }
  },
})

/** The search for items: its path comes before `/flow/nft/{nft_type}`. */
export const nftSearchRoutes = [nftSearch]
