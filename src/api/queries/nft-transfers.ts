import { sql } from 'slonik'
import type { DatabasePool, FragmentSqlToken } from 'slonik'
import type { Bounds } from '../paging/bounds.ts'
import { nftTransferRow } from '../presenters/nft-transfer.ts'
import type { NftTransferRow } from '../presenters/nft-transfer.ts'
import { blockOf, transactionIdOf } from './transactions.ts'
import { nftTransfers, readTransferPage, selectTransfers } from './transfer-pages.ts'
import type { PageHeights, TransferKey, TransferSelection, TransferSpan } from './transfer-pages.ts'

/** Up to `count` transfers of items before a place, newest first. */
export async function listNftTransfers(
  database: DatabasePool,
  bounds: Bounds | undefined,
  selection: TransferSelection,
  before: TransferKey | undefined,
  count: number,
): Promise<readonly NftTransferRow[]> {
  return readPage(database, bounds, before, count, (span) => selectTransfers(nftTransfers, selection, span))
}

async function readPage(
  database: DatabasePool,
  bounds: Bounds | undefined,
  before: TransferKey | undefined,
  count: number,
  select: (span: TransferSpan) => FragmentSqlToken,
): Promise<readonly NftTransferRow[]> {
  return readTransferPage(database, bounds, before, count, {
    table: nftTransfers,
    select,
    complete: (rows, heights) =>
      database.any(sql.prepared('NFT transfers', nftTransferRow)`${completed(rows, heights)}`),
  })
}

/** An item, and the uuid by which it is known where it was destroyed. */
export interface TransferredItem {
  readonly token: string
  readonly nft_id: string
  readonly uuid: string | null
}

/**
 * Up to `count` transfers of one item before a place, newest first, with its end: the event of that may name no more
 * than id and uuid, so that the transfer has no collection.
 */
export async function listNftTransfersOfItem(
  database: DatabasePool,
  bounds: Bounds | undefined,
  item: TransferredItem,
  before: TransferKey | undefined,
  count: number,
): Promise<readonly NftTransferRow[]> {
  const { token, nft_id: nftId, uuid } = item
  if (uuid === null) return listNftTransfers(database, bounds, { token, nftId }, before, count)
  return readPage(
    database,
    bounds,
    before,
    count,
    (span) => sql.fragment`
    (${selectTransfers(nftTransfers, { token, nftId }, span)})
    union all
    (
      select * from app.nft_transfers
      where token is null and nft_uuid = ${uuid}::bigint and nft_id = ${nftId}::numeric
        and block_height between ${span.low} and ${span.high} and ${isBefore(before)}
      order by block_height desc, tx_index desc, event_index desc
      limit ${span.count}
    )
    order by block_height desc, tx_index desc, event_index desc, leg desc
    limit ${span.count}
  `,
  )
}

function isBefore(before: TransferKey | undefined): FragmentSqlToken {
  if (before === undefined) return sql.fragment`true`
  const { height, txIndex, eventIndex, leg } = before
  return sql.fragment`(block_height, tx_index, event_index, leg) < (${height}, ${txIndex}, ${eventIndex}, ${leg})`
}

/**
 * With what the rows of the page do not hold themselves, each looked up by its key, which `limit` keeps the planner to. The collection of a transfer that
 * lacks it is that of the item whose end it is, if no other has the same uuid and id.
 */
function completed(page: FragmentSqlToken, { low, high }: PageHeights): FragmentSqlToken {
  return sql.fragment`
    with page as materialized (${page})
    select t.block_height, t.tx_index, t.event_index, t.leg, encode(r.id, 'hex') as transaction_hash, b.timestamp,
      k.token, t.from_address, t.to_address, t.transfer_type, t.nft_id::text as nft_id, i.name as item_name,
      case when not starts_with(i.thumbnail, 'data:') then i.thumbnail end as thumbnail,
      case when c.checked_height >= coalesce(o.block_height, 0) then c.owner else o.owner end as current_owner,
      m.name as collection_name, m.square_image as collection_image, m.description as collection_description
    from page t
    cross join lateral ${blockOf(sql.fragment`t.block_height`, low, high)} b
    cross join lateral ${transactionIdOf(sql.fragment`t`, low, high)} r
    left join lateral (
      select min(e.token) as token from app.nft_ownership e
      where t.token is null and e.nft_uuid = t.nft_uuid and e.nft_id = t.nft_id
      having count(*) = 1
    ) e on true
    cross join lateral (select coalesce(t.token, e.token) as token) k
    left join app.nft_ownership o on o.token = k.token and o.nft_id = t.nft_id
    left join app.nft_ownership_corrections c on c.token = k.token and c.nft_id = t.nft_id
    left join app.nft_items i on i.token = k.token and i.nft_id = t.nft_id
    left join app.nft_collection_metadata m on m.token = k.token
    order by t.block_height desc, t.tx_index desc, t.event_index desc, t.leg desc
  `
}
