import type { Fold, SqlColumn, Worker } from './worker.ts'

const itemKey: readonly SqlColumn[] = [
  { column: 'token', type: 'text' },
  { column: 'nft_id', type: 'numeric(20,0)' },
]
const itemKeys = 'unnest($1::text[], $2::numeric(20,0)[]) as k (token, nft_id)'

/** Items destroyed by id and uuid alone, with all accounts that ever received them. */
const destroyed = `
    app.nft_transfers d join app.nft_ownership o using (nft_uuid, nft_id)
    join app.nft_transfers w on w.token = o.token and w.nft_id = o.nft_id
    where d.block_height >= $1 and d.block_height < $2 and d.token is null`

/**
 * The last transfer gives owner and uuid, so the order of derivation does not matter; a later event
 * may destroy the item by id and uuid.
 *
 * Contracts can reuse ids. The row is then that of the last moved item, preferring one that is not
 * burned.
 */
const ownership: Fold = {
  kind: 'state',
  name: 'app.nft_ownership',
  key: itemKey,
  reads: ['app.nft_transfers'],
  touched: `
    select token, nft_id from app.nft_transfers
    where block_height >= $1 and block_height < $2 and token is not null
    union
    select o.token, o.nft_id from app.nft_transfers d join app.nft_ownership o using (nft_uuid, nft_id)
    where d.block_height >= $1 and d.block_height < $2 and d.token is null`,
  fold: `
    with keys as (select * from ${itemKeys}),
    moved as (
      select k.token, k.nft_id, m.*
      from keys k cross join lateral (
        select h.nft_uuid, h.to_address, h.transfer_type, h.block_height, h.tx_index, h.event_index, h.leg
        from app.nft_transfers h where h.token = k.token and h.nft_id = k.nft_id
        order by h.block_height desc, h.tx_index desc, h.event_index desc, h.leg desc limit 1
      ) l cross join lateral (
        (select h.nft_uuid, h.to_address, h.transfer_type, h.block_height, h.tx_index, h.event_index, h.leg, 0 as turn
         from app.nft_transfers h
         where l.transfer_type = 'burn' and h.token = k.token and h.nft_id = k.nft_id and h.nft_uuid <> l.nft_uuid
           and not exists (
             select from app.nft_transfers b where b.token = k.token and b.nft_id = k.nft_id
               and b.nft_uuid = h.nft_uuid and b.transfer_type = 'burn')
         order by h.block_height desc, h.tx_index desc, h.event_index desc, h.leg desc limit 1)
        union all
        select l.nft_uuid, l.to_address, l.transfer_type, l.block_height, l.tx_index, l.event_index, l.leg, 1
        order by turn limit 1
      ) m
    ), latest as (
      select m.token, m.nft_id, m.nft_uuid,
        coalesce(d.block_height, m.block_height) as block_height, coalesce(d.tx_index, m.tx_index) as tx_index,
        coalesce(d.event_index, m.event_index) as event_index, coalesce(d.leg, m.leg) as leg,
        d.block_height is not null or m.transfer_type = 'burn' as is_burned,
        case when d.block_height is null then m.to_address end as owner
      from moved m left join lateral (
        select h.block_height, h.tx_index, h.event_index, h.leg
        from app.nft_transfers h
        where h.token is null and h.nft_uuid = m.nft_uuid and h.nft_id = m.nft_id
          and (h.block_height, h.tx_index, h.event_index) > (m.block_height, m.tx_index, m.event_index)
        order by h.block_height desc, h.tx_index desc, h.event_index desc limit 1
      ) d on true
    ), gone as (
      delete from app.nft_ownership o using keys k
      where o.token = k.token and o.nft_id = k.nft_id
        and not exists (select from app.nft_transfers h where h.token = k.token and h.nft_id = k.nft_id)
    )
    insert into app.nft_ownership as o
      (token, nft_id, nft_uuid, block_height, tx_index, event_index, leg, is_burned, owner)
    select token, nft_id, nft_uuid, block_height, tx_index, event_index, leg, is_burned, owner from latest
    on conflict (token, nft_id) do update set
      nft_uuid = excluded.nft_uuid, block_height = excluded.block_height, tx_index = excluded.tx_index,
      event_index = excluded.event_index, leg = excluded.leg, is_burned = excluded.is_burned, owner = excluded.owner
    where (o.nft_uuid, o.block_height, o.tx_index, o.event_index, o.leg, o.is_burned, o.owner) is distinct from
      (excluded.nft_uuid, excluded.block_height, excluded.tx_index, excluded.event_index, excluded.leg,
       excluded.is_burned, excluded.owner)`,
}

const holdings: Fold = {
  kind: 'sum',
  name: 'app.nft_holdings',
  key: [
    { column: 'address', type: 'text' },
    { column: 'token', type: 'text' },
  ],
  sums: [{ column: 'item_count', type: 'bigint' }],
  presence: 'item_count',
  of: ownership.name,
  touched: `
    select w.to_address as address, token from app.nft_transfers h join app.nft_transfers w using (token, nft_id)
    where h.block_height >= $1 and h.block_height < $2 and w.to_address is not null
    union
    select w.to_address, o.token from ${destroyed} and w.to_address is not null`,
  counted: `
    select o.owner as address, token, 1::bigint as item_count
    from ${itemKeys} join app.nft_ownership o using (token, nft_id) where o.owner is not null`,
}

/**
 * Counts owners of touched items without another item of the collection. Finding another item reads
 * at most the touched items of the owner and one more.
 */
const collectionStats: Fold = {
  kind: 'sum',
  name: 'app.nft_collection_stats',
  key: [{ column: 'token', type: 'text' }],
  sums: [
    { column: 'item_count', type: 'bigint' },
    { column: 'holder_count', type: 'bigint' },
    { column: 'seen_count', type: 'bigint' },
  ],
  presence: 'seen_count',
  of: ownership.name,
  touched: `
    select token from app.nft_transfers where block_height >= $1 and block_height < $2 and token is not null
    union
    select o.token from ${destroyed}`,
  counted: `
    with keys as (select * from ${itemKeys}),
    items as materialized (select token, nft_id, o.owner from keys join app.nft_ownership o using (token, nft_id))
    select token, count(owner) as item_count, 0::bigint as holder_count, count(*) as seen_count
    from items group by token
    union all
    select h.token, 0, 1, 0
    from (select distinct token, owner from items where owner is not null) h
    left join lateral (
      select true as is_known from app.nft_ownership o
      where o.owner = h.owner and o.token = h.token and (o.token, o.nft_id) not in (select token, nft_id from keys)
      limit 1
    ) other on true
    where other.is_known is null`,
}

/**
 * Derives nothing from blocks: app.nft_transfers (of token_worker) is folded into
 * app.nft_ownership, which is counted in app.nft_holdings and app.nft_collection_stats.
 */
export const nftOwnershipWorker: Worker = {
  name: 'nft_ownership_worker',
  description: 'NFT owners, and NFT counts of accounts and collections',
  phase: 2,
  follows: ['token_worker'],
  tables: [],
  folds: [ownership, holdings, collectionStats],
}
