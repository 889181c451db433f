import { z } from 'zod'
import { listOf, page } from '../paging/envelope.ts'
import { keyCursor, keyParts } from '../paging/key-cursor.ts'
import { exampleAccountNftCollection, exampleNftItem } from '../examples/nfts.ts'
import { nftTypeParameters } from '../parameters/nft-type.ts'
import { accountParameter, limitParameter } from '../parameters/parameters.ts'
import { accountNftCollectionSchema, presentAccountNftCollection } from '../presenters/account-nft.ts'
import { nftIdPart, nftItemSchema, presentNftItem } from '../presenters/nft-item.ts'
import { listNftCollectionsOfAccount } from '../queries/account-nfts.ts'
import { readBlockTimes } from '../queries/block-times.ts'
import { listNftItemsOfAccount } from '../queries/nft-items.ts'
import { defineRoute } from '../route.ts'

const accountParameters = z.object({ address: accountParameter() })
const collectionCursor = keyCursor({ nft_type: keyParts.contract })

const accountCollections = defineRoute({
  path: '/flow/account/{address}/nft',
  operationId: 'listAccountNftCollections',
  tag: 'Accounts',
  summary: 'Collections of which an account has items',
  params: accountParameters,
  query: z.object({ limit: limitParameter({ default: 20, max: 100 }), cursor: collectionCursor.parameter }),
  response: listOf(accountNftCollectionSchema, 'AccountNftCollection'),
  example: {
    data: [exampleAccountNftCollection],
    has_more: true,
    cursor: exampleAccountNftCollection.id,
    _meta: { limit: 1, count: 1 },
  },
  handler: async ({ params: { address }, query: { limit, cursor } }, { database }) => {
    const rows = await listNftCollectionsOfAccount(
      database,
      address,
      collectionCursor.parse(cursor)?.nft_type,
      limit + 1,
    )
    return {
      body: page(rows, limit, presentAccountNftCollection, (row) => collectionCursor.format({ nft_type: row.token })),
    }
  },
})

const itemCursor = keyCursor({ nft_id: nftIdPart })

const accountItems = defineRoute({
  path: '/flow/account/{address}/nft/{nft_type}',
  operationId: 'listAccountNftItems',
  tag: 'Accounts',
  summary: 'Items of a collection that an account has, in the order of their numbers',
  params: accountParameters.extend(nftTypeParameters.shape),
  query: z.object({ limit: limitParameter({ default: 20, max: 100 }), cursor: itemCursor.parameter }),
  response: listOf(nftItemSchema, 'NftItem'),
  example: { data: [exampleNftItem], has_more: true, cursor: exampleNftItem.id, _meta: { limit: 1, count: 1 } },
  handler: async ({ params: { address, nft_type }, query: { limit, cursor } }, { database }) => {
    const after = itemCursor.parse(cursor)?.nft_id
    const rows = await listNftItemsOfAccount(database, address, nft_type, after, limit + 1)
    const times = await readBlockTimes(
      database,
      rows.map((row) => row.block_height),
    )
    return { body: page(rows, limit, (row) => presentNftItem(row, times), itemCursor.format) }
  },
})

/** What accounts have of collections of NFTs. */
export const accountNftRoutes = [accountCollections, accountItems]
