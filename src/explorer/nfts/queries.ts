import { sql } from 'slonik'
import type { DatabasePool, FragmentSqlToken } from 'slonik'
import { z } from 'zod'
import { ApiError } from '../../platform/errors.ts'
import { selectCatalogue } from '../paging/ranked-rows.ts'
import type { CatalogueOrder, Rank } from '../paging/ranked-rows.ts'
import { contractParameter, textParameter } from '../parameters.ts'
import type { TextParameter } from '../parameters.ts'
import { recentActivity, recentActivityOf } from '../tokens/queries.ts'
import { nftCollectionRow, nftItemRow } from './schema.ts'
import type { NftCollectionRow, NftItemRow } from './schema.ts'

/** The orders of the list of collections: by holders, by recent or all transfers, by the first transfer. */
export const nftCollectionSorts = ['holders', 'trending', 'transfers', 'newest'] as const
type NftCollectionSort = (typeof nftCollectionSorts)[number]

/** What contracts say of their collections, as columns of `m`, and whether their account is known. */
export function nftCollectionFace(token: FragmentSqlToken): FragmentSqlToken {
  return sql.fragment`
    m.name, m.description, m.external_url, m.square_image, m.banner_image, m.socials, m.evm_address,
    exists (select from app.account_labels l where l.address = '0x' || split_part(${token}, '.', 2)) as is_verified
  `
}

const orders: Readonly<Record<NftCollectionSort, CatalogueOrder>> = {
  holders: { table: sql.fragment`app.nft_collection_stats`, count: sql.fragment`o.holder_count` },
  trending: { table: recentActivity('collection'), count: sql.fragment`o.transfer_count` },
  transfers: { table: sql.fragment`app.nft_collection_totals`, count: sql.fragment`o.transfer_count` },
  newest: { table: sql.fragment`app.nft_collections`, count: sql.fragment`o.first_height` },
}

/** Joins what there is to know of the collections of a page, each by its key. */
function completed(pageOfTokens: FragmentSqlToken): FragmentSqlToken {
  return sql.fragment`
    with page as materialized (${pageOfTokens})
    select p.key as token, p.count, ${nftCollectionFace(sql.fragment`p.key`)}, m.storage_path, m.public_path,
    m.asked_at,
      coalesce(s.item_count, 0) as item_count, coalesce(s.seen_count, 0) as seen_count,
      coalesce(s.holder_count, 0) as holder_count, coalesce(t.transfer_count, 0) as transfer_count,
      r.transfer_count as recent_count, coalesce(t.mint_count, 0) as mint_count,
      coalesce(t.burn_count, 0) as burn_count, f.first_height
    from page p
    left join app.nft_collections f on f.token = p.key
    left join app.nft_collection_stats s on s.token = p.key
    left join app.nft_collection_totals t on t.token = p.key
    left join app.nft_collection_metadata m on m.token = p.key
    cross join lateral ${recentActivityOf('collection', sql.fragment`p.key`)} r
    order by p.count desc, p.key
  `
}

interface NftCollectionListing {
  readonly sort: NftCollectionSort
  /** Only those whose name or identifier contains it. */
  readonly search: string | undefined
  /** Only those with which the bridge has associated an ERC-721. */
  readonly isBridged: boolean
  readonly after: Rank | undefined
  readonly limit: number
}

/**
 * Up to `limit` collections after a place of an order. With a search or a filter the catalogue is looked through, which
 * has a row a collection, some thousands.
 */
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
  return database.any(sql.type(nftCollectionRow)`${completed(page)}`)
}

/** One collection; undefined where no item of it was seen to move. */
async function readNftCollection(database: DatabasePool, token: string): Promise<NftCollectionRow | undefined> {
  const row = await database.maybeOne(
    sql.type(nftCollectionRow)`${completed(sql.fragment`
    select token as key, 0::bigint as count from app.nft_collections where token = ${token}
  `)}`,
  )
  return row ?? undefined
}

const nftTotals = z.object({
  collections: z.number(),
  items: z.number(),
  transfers: z.number(),
  evm_bridged: z.number(),
})
type NftTotals = z.output<typeof nftTotals>

/** The sums over all collections: a row each. */
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

/**
 * Joins what there is to know of the items of a page, each by its key. The owner is that of the last transfer, unless
 * the chain was asked since and said otherwise: `app.nft_owners` says the same, and is written for all of them.
 * @param pageOfItems gives `token` and `nft_id`
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
      i.rarity_score::text as rarity_score, i.rarity_description, i.traits, i.asked_at
    from page p
    left join app.nft_ownership o on o.token = p.token and o.nft_id = p.nft_id
    left join app.nft_ownership_corrections c on c.token = p.token and c.nft_id = p.nft_id
    left join app.nft_items i on i.token = p.token and i.nft_id = p.nft_id
    cross join lateral (select coalesce(c.checked_height >= coalesce(o.block_height, 0), false) as is_corrected) w
    where o.token is not null or c.token is not null
    order by p.token, p.nft_id
  `
}

/**
 * Up to `limit` items of a collection after an id, by number: those that were seen to move, and those that the chain
 * showed when it was asked.
 */
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

/** One item; undefined where neither a transfer nor the chain has shown it. */
export async function readNftItem(database: DatabasePool, token: string, id: string): Promise<NftItemRow | undefined> {
  const row = await database.maybeOne(
    sql.type(nftItemRow)`${completedItems(sql.fragment`
    select ${token}::text as token, ${id}::numeric as nft_id
  `)}`,
  )
  return row ?? undefined
}

/**
 * Up to `limit` items of a collection that an account has, after an id, by number: those of its transfers without those
 * that the chain denies, and those that only the chain has shown with it.
 *
 * Owner and collection are compared as a row and stand in the order, which leaves the primary keys no use for it: they
 * would read through all items of others. A `limit` keeps the look-ups by key from becoming a join of all.
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

/** Parameters and problems of the routes of one collection or item. */

export const nftTypeParameters = z.object({ nft_type: contractParameter('collections') })

export const unknownNftCollection = { 404: 'No item of the collection was seen to move.' }

export const unknownNftItem = { 404: 'Neither a transfer nor the chain has shown the item.' }

/** @throws ApiError 404 `unknown-collection` */
export async function requireNftCollection(database: DatabasePool, nftType: string): Promise<NftCollectionRow> {
  const row = await readNftCollection(database, nftType)
  if (row === undefined) {
    throw new ApiError(404, 'unknown-collection', `No item of ${nftType} was seen to move.`, { field: 'nft_type' })
  }
  return row
}

/** The id of an item, without leading zeros. */
export function nftIdParameter(): TextParameter {
  const problem = 'must be the id of an item: a whole number of at most 20 digits'
  return textParameter(/^0{0,20}[0-9]{1,20}$/, problem, (text) => String(BigInt(text))).describe(
    'Id of the item within the collection.',
  )
}

/** @throws ApiError 404 `unknown-item` */
export async function requireNftItem(database: DatabasePool, nftType: string, id: string): Promise<NftItemRow> {
  const row = await readNftItem(database, nftType, id)
  if (row === undefined)
    throw new ApiError(404, 'unknown-item', `Item ${id} of ${nftType} is not known.`, { field: 'id' })
  return row
}

/**
 * For lists with both as filters: ids are those of a collection.
 * @throws ApiError 400 where an id comes alone
 */
export function requireCollectionOfId(query: {
  readonly nft_type?: string | undefined
  readonly nft_id?: string | undefined
}): void {
  if (query.nft_id === undefined || query.nft_type !== undefined) return
  throw new ApiError(
    400,
    'invalid-parameter',
    'Parameter "nft_id" asks for "nft_type": ids are those of a collection.',
    { field: 'nft_id' },
  )
}
