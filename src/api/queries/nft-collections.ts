import { sql } from 'slonik'
import type { DatabasePool, FragmentSqlToken } from 'slonik'
import { z } from 'zod'
import { nftCollectionRow } from '../presenters/nft-collection.ts'
import type { NftCollectionRow } from '../presenters/nft-collection.ts'
import { selectCatalogue } from '../paging/catalogue-rows.ts'
import type { CatalogueOrder } from '../paging/catalogue-rows.ts'
import type { Rank } from '../paging/ranked-rows.ts'
import { recentActivity, recentActivityOf } from './recent-activity.ts'

/** The orders of the list of collections: by holders, by recent or all transfers, by the first transfer. */
export const nftCollectionSorts = ['holders', 'trending', 'transfers', 'newest'] as const
export type NftCollectionSort = (typeof nftCollectionSorts)[number]

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
    select p.key as token, p.count, ${nftCollectionFace(sql.fragment`p.key`)}, m.storage_path, m.public_path, m.asked_at,
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

export interface NftCollectionListing {
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
export async function readNftCollection(database: DatabasePool, token: string): Promise<NftCollectionRow | undefined> {
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
export type NftTotals = z.output<typeof nftTotals>

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
