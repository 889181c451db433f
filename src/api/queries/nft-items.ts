import { sql } from 'slonik'
import type { DatabasePool, FragmentSqlToken } from 'slonik'
import { nftItemRow } from '../presenters/nft-item.ts'
import type { NftItemRow } from '../presenters/nft-item.ts'

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
