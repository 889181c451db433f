import { sql } from 'slonik'
import type { DatabasePool, FragmentSqlToken } from 'slonik'
import { z } from 'zod'
import { ApiError } from '../../platform/errors.ts'
import { namedTokens, selectCatalogue } from '../paging/ranked-rows.ts'
import type { CatalogueOrder, Rank } from '../paging/ranked-rows.ts'
import { contractParameter, textParameter } from '../parameters.ts'
import type { TextParameter } from '../parameters.ts'
import { recentActivity, recentActivityOf } from '../tokens/queries.ts'
import { nftCollectionRow, nftItemRow } from './schema.ts'
import type { NftCollectionRow, NftItemRow } from './schema.ts'

export const nftCollectionSorts = ['holders', 'trending', 'transfers', 'newest', 'name', 'items'] as const
type NftCollectionSort = (typeof nftCollectionSorts)[number]

/** Columns of `m`, and whether the contract account has a label. */
export function nftCollectionMetadata(token: FragmentSqlToken): FragmentSqlToken {
  return sql.fragment`
    m.name, m.description, m.external_url, m.square_image, m.banner_image, m.socials, m.evm_address,
    exists (select from app.account_labels l where l.address = '0x' || split_part(${token}, '.', 2)) as is_verified
  `
}

export const namedNftCollections = namedTokens(
  sql.fragment`app.nft_collections`,
  sql.fragment`app.nft_collection_metadata`,
)

const orders: Readonly<Record<NftCollectionSort, CatalogueOrder>> = {
  holders: { table: sql.fragment`app.nft_collection_stats`, count: sql.fragment`o.holder_count` },
  trending: { table: recentActivity('collection'), count: sql.fragment`o.transfer_count` },
  transfers: { table: sql.fragment`app.nft_collection_totals`, count: sql.fragment`o.transfer_count` },
  newest: { table: sql.fragment`app.nft_collections`, count: sql.fragment`o.first_height` },
  name: { table: namedNftCollections, count: sql.fragment`o.sort_name`, isAscending: true },
  items: { table: sql.fragment`app.nft_collection_stats`, count: sql.fragment`o.item_count` },
}

function completed(pageOfTokens: FragmentSqlToken, isAscending = false): FragmentSqlToken {
  return sql.fragment`
    with page as materialized (${pageOfTokens})
    select p.key as token, p.count::text as count, ${nftCollectionMetadata(sql.fragment`p.key`)},
      m.storage_path, m.public_path, m.asked_at as updated_at,
      coalesce(s.item_count, 0) as number_of_tokens, coalesce(s.seen_count, 0) as seen_count,
      coalesce(s.holder_count, 0) as holder_count, coalesce(t.transfer_count, 0) as transfer_count,
      r.transfer_count as recent_transfer_count, coalesce(t.mint_count, 0) as mint_count,
      coalesce(t.burn_count, 0) as burn_count, f.first_height
    from page p
    left join app.nft_collections f on f.token = p.key
    left join app.nft_collection_stats s on s.token = p.key
    left join app.nft_collection_totals t on t.token = p.key
    left join app.nft_collection_metadata m on m.token = p.key
    cross join lateral ${recentActivityOf('collection', sql.fragment`p.key`)} r
    order by p.count ${isAscending ? sql.fragment`asc` : sql.fragment`desc`}, p.key
  `
}

interface NftCollectionListing {
  readonly sort: NftCollectionSort
  /** In the name or identifier. */
  readonly search: string | undefined
  readonly isBridged: boolean
  readonly after: Rank | undefined
  readonly limit: number
}

/** Searching and filtering scan a few thousand rows. */
export async function listNftCollections(
  database: DatabasePool,
  listing: NftCollectionListing,
): Promise<readonly NftCollectionRow[]> {
  const { sort, search, isBridged, after, limit } = listing
  const conditions = [
    ...(isBridged ? [sql.fragment`n.evm_address is not null`] : []),
    ...(search === undefined
      ? []
      : [sql.fragment`strpos(lower(concat_ws(' ', n.name, o.token)), lower(${search})) > 0`]),
  ]
  const page = selectCatalogue(
    orders[sort],
    { metadata: sql.fragment`app.nft_collection_metadata`, conditions },
    after,
    limit,
  )
  return database.any(sql.type(nftCollectionRow)`${completed(page, orders[sort].isAscending)}`)
}

/** Collections without an indexed transfer are omitted. */
export async function readNftCollections(
  database: DatabasePool,
  tokens: readonly string[],
): Promise<readonly NftCollectionRow[]> {
  if (tokens.length === 0) return []
  return database.any(
    sql.type(nftCollectionRow)`${completed(sql.fragment`
    select token as key, 0::bigint as count from app.nft_collections
    where token = any (${sql.array([...tokens], 'text')})
  `)}`,
  )
}

const nftTotals = z.object({
  collections: z.number(),
  items: z.number(),
  transfers: z.number(),
  evm_bridged: z.number(),
})
type NftTotals = z.output<typeof nftTotals>

export async function readNftTotals(database: DatabasePool): Promise<NftTotals> {
  return database.one(sql.type(nftTotals)`
    select count(*) as collections, coalesce(sum(s.item_count), 0)::bigint as items,
      coalesce(sum(t.transfer_count), 0)::bigint as transfers, count(m.evm_address) as evm_bridged
    from app.nft_collections c
    left join app.nft_collection_stats s using (token)
    left join app.nft_collection_totals t using (token)
    left join app.nft_collection_metadata m using (token)
  `)
}

export interface NftItemKey {
  readonly token: string
  readonly nft_id: string
}

/**
 * The owner is that of the last transfer unless a later query of the chain returned another one.
 * The view app.nft_owners is equal but covers all items.
 *
 * @param pageOfItems columns `token` and `nft_id`
 */
export function completedItems(pageOfItems: FragmentSqlToken): FragmentSqlToken {
  return sql.fragment`
    with page as materialized (${pageOfItems})
    select p.token, p.nft_id::text as nft_id, o.nft_uuid::text as uuid, w.is_corrected,
      case when w.is_corrected then c.owner else o.owner end as owner,
      coalesce(o.is_burned, false) and not (w.is_corrected and c.owner is not null) as is_burned,
      case when w.is_corrected then c.checked_height else o.block_height end as block_height,
      i.name, i.description, i.thumbnail, i.external_url, i.serial_number::text as serial_number, i.edition_name,
      i.edition_number::text as edition_number, i.edition_max::text as edition_max,
      i.rarity_score::text as rarity_score, i.rarity_description, i.traits, i.asked_at as updated_at
    from page p
    left join app.nft_ownership o on o.token = p.token and o.nft_id = p.nft_id
    left join app.nft_ownership_corrections c on c.token = p.token and c.nft_id = p.nft_id
    left join app.nft_items i on i.token = p.token and i.nft_id = p.nft_id
    cross join lateral (select coalesce(c.checked_height >= coalesce(o.block_height, 0), false) as is_corrected) w
    where o.token is not null or c.token is not null
    order by p.token, p.nft_id
  `
}

/** Sorted by id; includes items found by querying the chain. */
export async function listNftItems(
  database: DatabasePool,
  token: string,
  after: string | undefined,
  limit: number,
): Promise<readonly NftItemRow[]> {
  const ids = (table: FragmentSqlToken): FragmentSqlToken => sql.fragment`(
    select token, nft_id from ${table}
    where token = ${token} and nft_id > ${after ?? '-1'}::numeric
    order by nft_id limit ${limit}
  )`
  return database.any(
    sql.type(nftItemRow)`${completedItems(sql.fragment`
    ${ids(sql.fragment`app.nft_ownership`)} union ${ids(sql.fragment`app.nft_ownership_corrections`)}
    order by nft_id limit ${limit}
  `)}`,
  )
}

/** Sorted by collection and id; unknown items are omitted. */
export async function readNftItems(
  database: DatabasePool,
  keys: readonly NftItemKey[],
): Promise<readonly NftItemRow[]> {
  if (keys.length === 0) return []
  return database.any(
    sql.type(nftItemRow)`${completedItems(sql.fragment`
    select token, nft_id from ${sql.unnest(
      keys.map(({ token, nft_id }) => [token, nft_id]),
      ['text', 'numeric'],
    )}
      as k (token, nft_id)
  `)}`,
  )
}

export async function readNftItem(database: DatabasePool, token: string, id: string): Promise<NftItemRow | undefined> {
  const [row] = await readNftItems(database, [{ token, nft_id: id }])
  return row
}

/**
 * Sorted by id. The chain takes precedence over transfers.
 *
 * Comparing and sorting by owner and collection keeps the planner from scanning the primary keys
 * through the items of other accounts. `limit 1` keeps the lookups by key from becoming a join of
 * whole tables.
 */
export async function listNftItemsOfAccount(
  database: DatabasePool,
  account: string,
  token: string,
  after: string | undefined,
  limit: number,
): Promise<readonly NftItemRow[]> {
  const above = sql.fragment`${after ?? '-1'}::numeric`
  const ofAccount = (row: FragmentSqlToken): FragmentSqlToken => sql.fragment`
    (${row}.owner, ${row}.token, ${row}.nft_id) > (${account}, ${token}, ${above})
    and (${row}.owner, ${row}.token) <= (${account}, ${token}) and ${row}.owner is not null
  `
  return database.any(
    sql.type(nftItemRow)`${completedItems(sql.fragment`
    (
      select o.token, o.nft_id from app.nft_ownership o left join lateral (
        select c.checked_height, c.owner from app.nft_ownership_corrections c
        where c.token = o.token and c.nft_id = o.nft_id limit 1
      ) c on true
      where ${ofAccount(sql.fragment`o`)}
        and (c.checked_height is null or c.checked_height < o.block_height or c.owner is not distinct from o.owner)
      order by o.owner, o.token, o.nft_id limit ${limit}
    )
    union
    (
      select c.token, c.nft_id from app.nft_ownership_corrections c left join lateral (
        select o.block_height from app.nft_ownership o where o.token = c.token and o.nft_id = c.nft_id limit 1
      ) o on true
      where ${ofAccount(sql.fragment`c`)} and (o.block_height is null or o.block_height <= c.checked_height)
      order by c.owner, c.token, c.nft_id limit ${limit}
    )
    order by nft_id limit ${limit}
  `)}`,
  )
}

export const nftTypeParameters = z.object({ nft_type: contractParameter() })

export const unknownNftCollection = { 404: 'No transfer of the collection is indexed.' }

export const unknownNftItem = { 404: 'The item is unknown.' }

/** @throws ApiError 404 */
export async function requireNftCollection(database: DatabasePool, nftType: string): Promise<NftCollectionRow> {
  const [row] = await readNftCollections(database, [nftType])
  if (row === undefined) {
    throw new ApiError(404, 'unknown-collection', `No transfer of collection ${nftType} is indexed.`, {
      field: 'nft_type',
    })
  }
  return row
}

/** Removes leading zeros. */
export function nftIdParameter(): TextParameter {
  const problem = 'must be an item id: a whole number of at most 20 digits'
  return textParameter(/^0{0,20}[0-9]{1,20}$/, problem, (text) => String(BigInt(text))).describe(
    'Id of the item within the collection.',
  )
}

/** @throws ApiError 404 */
export async function requireNftItem(database: DatabasePool, nftType: string, id: string): Promise<NftItemRow> {
  const row = await readNftItem(database, nftType, id)
  if (row === undefined)
    throw new ApiError(404, 'unknown-item', `Item ${id} of ${nftType} is unknown.`, { field: 'id' })
  return row
}

/** @throws ApiError 400 */
export function requireCollectionOfId(query: {
  readonly nft_type?: string | undefined
  readonly nft_id?: string | undefined
}): void {
  if (query.nft_id === undefined || query.nft_type !== undefined) return
  throw new ApiError(400, 'invalid-parameter', 'Parameter "nft_id" requires "nft_type".', { field: 'nft_id' })
}
