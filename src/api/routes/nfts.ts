import { z } from 'zod'
import { listOf, page, singleOf } from '../paging/envelope.ts'
import { countFormat } from '../formats/formats.ts'
import { keyCursor, keyParts } from '../paging/key-cursor.ts'
import { exampleNftCollection, exampleNftHolder } from '../examples/nfts.ts'
import { nftTypeParameters, requireNftCollection, unknownNftCollection } from '../parameters/nft-type.ts'
import { limitParameter, noParameters, searchParameter } from '../parameters/parameters.ts'
import { nftCollectionSchema, presentNftCollection } from '../presenters/nft-collection.ts'
import { holderPart, nftHolderSchema, presentNftHolder } from '../presenters/nft-holder.ts'
import { readBlockTimes } from '../queries/block-times.ts'
import { listNftCollections, nftCollectionSorts, readNftTotals } from '../queries/nft-collections.ts'
import { listNftHolders } from '../queries/nft-holders.ts'
import { defineRoute } from '../route.ts'
import type { Route } from '../route.ts'

const collectionCursor = keyCursor({ count: keyParts.id, nft_type: keyParts.contract })

const collectionList = defineRoute({
  path: '/flow/nft',
  operationId: 'listNftCollections',
  tag: 'NFTs',
  summary: 'Collections of NFTs',
  params: noParameters,
  query: z.object({
    limit: limitParameter({ default: 20, max: 100 }),
    cursor: collectionCursor.parameter,
    sort: z
      .enum(nftCollectionSorts)
      .default('holders')
      .describe(
        'What comes first: most `holders`; `trending`, most transfers in the last 24 indexed hours, of those that have ' +
          'any; most `transfers` of all that are indexed; `newest`, the last to be seen first.',
      ),
    filter: z
      .enum(['evm_bridged'])
      .optional()
      .describe('Only collections for which this holds: `evm_bridged`, the bridge has associated an ERC-721 with it.'),
    search: searchParameter(
      'Only collections whose name, or identifier with its address, contains this text.',
    ).optional(),
  }),
  response: listOf(nftCollectionSchema, 'NftCollection'),
  example: {
    data: [exampleNftCollection],
    has_more: true,
    cursor: `${exampleNftCollection.holder_count}:${exampleNftCollection.id}`,
    _meta: { limit: 1, count: 1 },
  },
  handler: async ({ query: { limit, cursor, sort, filter, search } }, { database }) => {
    const after = collectionCursor.parse(cursor)
    const rows = await listNftCollections(database, {
      sort,
      search,
      isBridged: filter === 'evm_bridged',
      limit: limit + 1,
      after: after === undefined ? undefined : { count: Number(after.count), key: after.nft_type },
    })
    const times = await readBlockTimes(
      database,
      rows.map((row) => row.first_height),
    )
    return {
      body: page(
        rows,
        limit,
        (row) => presentNftCollection(row, times),
        ({ count, token }) => collectionCursor.format({ count, nft_type: token }),
      ),
    }
  },
})

const statistics = defineRoute({
  path: '/flow/nft/stats',
  operationId: 'getNftStatistics',
  cost: 'high',
  tag: 'NFTs',
  summary: 'How many collections, items and transfers there are',
  params: noParameters,
  query: noParameters,
  response: z.strictObject({
    data: z
      .strictObject({
        total: countFormat.describe('Collections of which an item was seen to move.'),
        total_nfts: countFormat.describe("Items that are in somebody's collection."),
        total_transfers: countFormat.describe('Transfers that are indexed.'),
        evm_bridged: countFormat.describe('Collections with which the bridge has associated an ERC-721.'),
      })
      .meta({ id: 'NftStatistics' }),
  }),
  example: { data: { total: 2314, total_nfts: 91_250_312, total_transfers: 320_115_870, evm_bridged: 204 } },
  handler: async (_, { database }) => {
    const { collections, items, transfers, evm_bridged } = await readNftTotals(database)
    return {
      body: { data: { total: collections, total_nfts: items, total_transfers: transfers, evm_bridged } },
      caching: 'minute',
    }
  },
})

const collection = defineRoute({
  path: '/flow/nft/{nft_type}',
  operationId: 'getNftCollection',
  tag: 'NFTs',
  summary: 'One collection',
  params: nftTypeParameters,
  query: noParameters,
  response: singleOf(nftCollectionSchema, 'NftCollection'),
  problems: unknownNftCollection,
  example: { data: [exampleNftCollection] },
  handler: async ({ params: { nft_type } }, { database }) => {
    const row = await requireNftCollection(database, nft_type)
    const times = await readBlockTimes(database, [row.first_height])
    return { body: { data: [presentNftCollection(row, times)] } }
  },
})

const holderCursor = keyCursor({ count: keyParts.id, owner: holderPart })

/** Two paths of the Flow explorer API give the same list. */
const holderLists = (
  [
    ['/flow/nft/{nft_type}/holding', 'listNftHolders'],
    ['/flow/nft/{nft_type}/top-account', 'listTopNftAccounts'],
  ] as const
).map(([path, operationId]): Route =>
  defineRoute({
    path,
    operationId,
    tag: 'NFTs',
    summary: 'Accounts with items of a collection, those with most items first',
    params: nftTypeParameters,
    query: z.object({ limit: limitParameter({ default: 20, max: 100 }), cursor: holderCursor.parameter }),
    response: listOf(nftHolderSchema, 'NftHolder'),
    problems: unknownNftCollection,
    example: {
      data: [exampleNftHolder],
      has_more: true,
      cursor: `${exampleNftHolder.count}:${exampleNftHolder.owner}`,
      _meta: { limit: 1, count: 1 },
    },
    handler: async ({ params: { nft_type }, query: { limit, cursor } }, { database }) => {
      const after = holderCursor.parse(cursor)
      const [rows] = await Promise.all([
        listNftHolders(
          database,
          nft_type,
          after === undefined ? undefined : { count: Number(after.count), key: after.owner },
          limit + 1,
        ),
        requireNftCollection(database, nft_type),
      ])
      return { body: page(rows, limit, (row) => presentNftHolder(nft_type, row), holderCursor.format) }
    },
  }),
)

/** Collections of NFTs and their holders. Those of fixed paths come first, since `{nft_type}` would take them too. */
export const nftRoutes = [collectionList, statistics, collection, ...holderLists]
