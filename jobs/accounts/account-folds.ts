import type { StateFold, SumFold } from '../worker.ts'
import { addressTransactions } from './address-transactions.ts'

const inRange = 'block_height >= $1 and block_height < $2'

/**
 * One row for each account: first and last block, by the index of the history, which gives each without reading what
 * lies between; and creation, before which nothing can be of an account, so that the first row tells of it.
 */
export const accounts: StateFold = {
  kind: 'state',
  name: 'app.accounts',
  key: [{ column: 'address', type: 'text' }],
  reads: [addressTransactions.name],
  touched: `select distinct address from app.address_transactions where ${inRange}`,
  fold: `
    with keys as (select unnest($1::text[]) as address),
    seen as (
      select k.address, first.block_height as first_height, last.block_height as last_height,
        case when first.is_created then first.block_height end as created_height,
        case when first.is_created then first.tx_index end as created_tx_index
      from keys k
      cross join lateral (
        select h.block_height, h.tx_index, h.is_created from app.address_transactions h
        where h.address = k.address order by h.block_height, h.tx_index limit 1
      ) first
      cross join lateral (
        select h.block_height from app.address_transactions h
        where h.address = k.address order by h.block_height desc, h.tx_index desc limit 1
      ) last
    ), gone as (
      delete from app.accounts a using keys k
      where a.address = k.address
        and not exists (select from app.address_transactions h where h.address = k.address)
    )
    insert into app.accounts as a (address, first_seen_height, last_seen_height, created_height, created_tx_index)
    select address, first_height, last_height, created_height, created_tx_index from seen order by address
    on conflict (address) do update
    set first_seen_height = excluded.first_seen_height, last_seen_height = excluded.last_seen_height,
      created_height = excluded.created_height, created_tx_index = excluded.created_tx_index
    where (a.first_seen_height, a.last_seen_height, a.created_height, a.created_tx_index) is distinct from
      (excluded.first_seen_height, excluded.last_seen_height, excluded.created_height, excluded.created_tx_index)`,
  merge: `
    insert into app.accounts as a (address, first_seen_height, last_seen_height, created_height, created_tx_index)
    select address, block_height, last_height, case when is_created then block_height end,
      case when is_created then tx_index end
    from (
      select distinct on (address) address, block_height, tx_index, is_created,
        max(block_height) over (partition by address) as last_height
      from app.address_transactions where ${inRange} order by address, block_height, tx_index
    ) first
    order by address
    on conflict (address) do update
    set first_seen_height = least(a.first_seen_height, excluded.first_seen_height),
      last_seen_height = greatest(a.last_seen_height, excluded.last_seen_height),
      created_height = case when excluded.first_seen_height < a.first_seen_height
        then excluded.created_height else a.created_height end,
      created_tx_index = case when excluded.first_seen_height < a.first_seen_height
        then excluded.created_tx_index else a.created_tx_index end
    where excluded.first_seen_height < a.first_seen_height or excluded.last_seen_height > a.last_seen_height`,
}

/** What accounts did, added up. An account that was created and did nothing has no row. */
export const addressStats: SumFold = {
  kind: 'sum',
  name: 'app.address_stats',
  key: [{ column: 'address', type: 'text' }],
  sums: [
    { column: 'tx_count', type: 'bigint' },
    { column: 'gas_used', type: 'bigint' },
  ],
  presence: 'tx_count',
  of: addressTransactions.name,
  touched: `select distinct address from app.address_transactions where ${inRange}`,
  counted: `
    select address, 1::bigint as tx_count, coalesce(gas_used, 0) as gas_used
    from app.address_transactions where ${inRange} and (is_payer or is_proposer or is_authorizer)`,
}
