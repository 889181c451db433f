import { z } from 'zod'
import { listOf, page, singleOf } from '../paging/envelope.ts'
import { keyCursor } from '../paging/key-cursor.ts'
import { exampleNftItem } from '../examples/nfts.ts'
import {
  nftIdParameter,
  nftTypeParameters,
  requireNftCollection,
  requireNftItem,
  unknownNftCollection,
  unknownNftItem,
} from '../parameters/nft-type.ts'
import { limitParameter, noParameters } from '../parameters/parameters.ts'
import { nftIdPart, nftItemSchema, presentNftItem } from '../presenters/nft-item.ts'
import { readBlockTimes } from '../queries/block-times.ts'
import { listNftItems } from '../queries/nft-items.ts'
import { defineRoute } from '../route.ts'

const itemCursor = keyCursor({ nft_id: nftIdPart })

const itemList = defineRoute({
  path: '/flow/nft/{nft_type}/item',
  operationId: 'listNftItems',
  tag: 'NFTs',
  summary: 'Items of a collection, in the order of their numbers',
  description: 'Items that were destroyed are among them, and say so.',
  params: nftTypeParameters,
  query: z.object({ limit: limitParameter({ default: 20, max: 100 }), cursor: itemCursor.parameter }),
  response: listOf(nftItemSchema, 'NftItem'),
  problems: unknownNftCollection,
  example: { data: [exampleNftItem], has_more: true, cursor: exampleNftItem.id, _meta: { limit: 1, count: 1 } },
  handler: async ({ params: { nft_type }, query: { limit, cursor } }, { database }) => {
    const [rows] = await Promise.all([
      listNftItems(database, nft_type, itemCursor.parse(cursor)?.nft_id, limit + 1),
      requireNftCollection(database, nft_type),
    ])
    const times = await readBlockTimes(
      database,
      rows.map((row) => row.block_height),
    )
    return { body: page(rows, limit, (row) => presentNftItem(row, times), itemCursor.format) }
  },
})

const item = defineRoute({
  path: '/flow/nft/{nft_type}/item/{id}',
  operationId: 'getNftItem',
  tag: 'NFTs',
  summary: 'One item',
  params: nftTypeParameters.extend({ id: nftIdParameter() }),
  query: noParameters,
  response: singleOf(nftItemSchema, 'NftItem'),
  problems: unknownNftItem,
  example: { data: [exampleNftItem] },
  handler: async ({ params: { nft_type, id } }, { database }) => {
    const row = await requireNftItem(database, nft_type, id)
    const times = await readBlockTimes(database, [row.block_height])
    return { body: { data: [presentNftItem(row, times)] } }
  },
})

/** Items of collections. */
export const nftItemRoutes = [itemList, item]
