import { sql } from 'slonik'
import type { DatabasePool } from 'slonik'
import { z } from 'zod'
import { readBlockTimes } from '../blocks/queries.ts'
import { countFormat } from '../formats.ts'
import { listOf, page, singleOf, keyCursor, keyParts } from '../paging/pages.ts'
import { rankAfter, selectRanked } from '../paging/ranked-rows.ts'
import type { Rank } from '../paging/ranked-rows.ts'
import { limitParameter, searchParameter, accountParameter } from '../parameters.ts'
import { defineRoute } from '../route.ts'
import type { Route } from '../route.ts'
import {
  exampleNftCollection,
  exampleNftHolder,
  exampleAccountNftCollection,
  exampleNftItem,
  nftCollectionSchema,
  presentNftCollection,
  holderPart,
  nftHolderSchema,
  presentNftHolder,
  nftHolderRow,
  accountNftCollectionSchema,
  presentAccountNftCollection,
  accountNftCollectionRow,
  nftIdPart,
  nftItemSchema,
  presentNftItem,
} from './schema.ts'
import {
  nftIdParameter,
  nftTypeParameters,
  listNftItems,
  requireNftItem,
  unknownNftItem,
  requireNftCollection,
  unknownNftCollection,
  listNftCollections,
  namedNftCollections,
  nftCollectionSorts,
  readNftTotals,
  nftCollectionMetadata,
  listNftItemsOfAccount,
} from './queries.ts'
import type { NftHolderRow, AccountNftCollectionRow } from './schema.ts'

const collectionCursor = keyCursor({ count: keyParts.id, nft_type: keyParts.contract })

const collectionList = defineRoute({
  path: '/flow/nft',
  operationId: 'listNftCollections',
  tag: 'NFTs',
  summary: 'NFT collections',
  query: z.object({
    limit: limitParameter({ default: 20, max: 100 }),
    cursor: collectionCursor.parameter,
    sort: z
      .enum(nftCollectionSorts)
      .default('holders')
      .describe(
        'Sort order: `holders`; `trending`, transfers in the last 24 indexed hours, omitting collections without ' +
          'any; `transfers`, all indexed transfers; `newest`, most recently first seen; `name`, ascending; `items`, ' +
          'with an owner.',
      ),
    filter: z
      .enum(['evm_bridged'])
      .optional()
      .describe('`evm_bridged`: only collections with an ERC-721 associated by the bridge.'),
    search: searchParameter('Text contained in the name or identifier.').optional(),
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
      after: rankAfter(sort, namedNftCollections, after && { count: after.count, token: after.nft_type }),
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
        ({ count, token }) => collectionCursor.format({ count: sort === 'name' ? 0 : count, nft_type: token }),
      ),
    }
  },
})

const statistics = defineRoute({
  path: '/flow/nft/stats',
  operationId: 'getNftStatistics',
  cost: 'high',
  tag: 'NFTs',
  summary: 'NFT statistics',
  response: z.strictObject({
    data: z
      .strictObject({
        total: countFormat.describe('Collections with an indexed transfer.'),
        total_nfts: countFormat.describe('Items with an owner.'),
        total_transfers: countFormat.describe('Indexed transfers.'),
        evm_bridged: countFormat.describe('Collections with an ERC-721 associated by the bridge.'),
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
  summary: 'NFT collection',
  params: nftTypeParameters,
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

/** The Flow explorer API has both paths. */
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
    summary: 'Holders of a collection, most items first',
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

/** Fixed paths precede `/flow/nft/{nft_type}`, which would match them. */
export const nftRoutes = [collectionList, statistics, collection, ...holderLists]

export async function listNftHolders(
  database: DatabasePool,
  token: string,
  after: Rank | undefined,
  limit: number,
): Promise<readonly NftHolderRow[]> {
  return database.any(sql.type(nftHolderRow)`
    with page as materialized (${selectRanked(
      {
        columns: sql.fragment`h.address as key, h.item_count as count`,
        from: sql.fragment`app.nft_holdings h`,
        where: sql.fragment`h.token = ${token}`,
        count: sql.fragment`h.item_count`,
        key: sql.fragment`h.address`,
      },
      after,
      limit,
    )})
    select p.key as owner, p.count, s.item_count as total
    from page p join app.nft_collection_stats s on s.token = ${token}
    order by p.count desc, p.key
  `)
}

const accountParameters = z.object({ address: accountParameter() })
const ownedCollectionCursor = keyCursor({ nft_type: keyParts.contract })

const accountCollections = defineRoute({
  path: '/flow/account/{address}/nft',
  operationId: 'listAccountNftCollections',
  tag: 'Accounts',
  summary: 'NFT collections of an account',
  params: accountParameters,
  query: z.object({ limit: limitParameter({ default: 20, max: 100 }), cursor: ownedCollectionCursor.parameter }),
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
      ownedCollectionCursor.parse(cursor)?.nft_type,
      limit + 1,
    )
    return {
      body: page(rows, limit, presentAccountNftCollection, (row) =>
        ownedCollectionCursor.format({ nft_type: row.token }),
      ),
    }
  },
})

const itemCursor = keyCursor({ nft_id: nftIdPart })

const accountItems = defineRoute({
  path: '/flow/account/{address}/nft/{nft_type}',
  operationId: 'listAccountNftItems',
  tag: 'Accounts',
  summary: 'NFT items of an account in one collection, by id',
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

export const accountNftRoutes = [accountCollections, accountItems]

/** By transfers or by a query of the chain, sorted by id. */
export async function listNftCollectionsOfAccount(
  database: DatabasePool,
  account: string,
  after: string | undefined,
  limit: number,
): Promise<readonly AccountNftCollectionRow[]> {
  return database.any(sql.type(accountNftCollectionRow)`
    with page as materialized (
      (select token from app.nft_holdings
       where address = ${account} and token > ${after ?? ''} order by token limit ${limit})
      union
      (select token from app.nft_holder_checks
       where holder = ${account} and token > ${after ?? ''} and held_count > 0 order by token limit ${limit})
      order by token limit ${limit}
    )
    select p.token, coalesce(h.item_count, 0) as number_of_tokens, k.held_count as chain_count,
      case when k.held_count is not null then k.checked_height end as chain_height,
      ${nftCollectionMetadata(sql.fragment`p.token`)}
    from page p
    left join app.nft_holdings h on h.address = ${account} and h.token = p.token
    left join app.nft_holder_checks k on k.holder = ${account} and k.token = p.token
    left join app.nft_collection_metadata m on m.token = p.token
    order by p.token
  `)
}

const itemList = defineRoute({
  path: '/flow/nft/{nft_type}/item',
  operationId: 'listNftItems',
  tag: 'NFTs',
  summary: 'Items of a collection, by id',
  description: 'Includes burned items.',
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
  summary: 'NFT item',
  params: nftTypeParameters.extend({ id: nftIdParameter() }),
  response: singleOf(nftItemSchema, 'NftItem'),
  problems: unknownNftItem,
  example: { data: [exampleNftItem] },
  handler: async ({ params: { nft_type, id } }, { database }) => {
    const row = await requireNftItem(database, nft_type, id)
    const times = await readBlockTimes(database, [row.block_height])
    return { body: { data: [presentNftItem(row, times)] } }
  },
})

export const nftItemRoutes = [itemList, item]
