import { dexes } from '../../src/flow/defi/dexes.ts'
import type { StateFold, SumFold } from '../worker.ts'
import { defiEvents, pairChanges } from './tables.ts'

const descending = 'block_height desc, tx_index desc, event_index desc'
const dexByContract = dexes
  .map(({ key, pairContract }) => `when split_part(k.pair, '.', 3) ~ '${pairContract}' then '${key}'`)
  .join(' ')

/**
 * One row for each pair. Its tokens are those of the event that made it; without one, those that its last swap moved in
 * its order, or the last that was added or taken out.
 */
export const defiPairs: StateFold = {
  kind: 'state',
  name: 'app.defi_pairs',
  key: [{ column: 'pair', type: 'text' }],
  reads: [defiEvents.name, pairChanges.name],
  touched: `
    select pair from app.defi_events where block_height >= $1 and block_height < $2
    union select pair from app.defi_pair_changes where block_height >= $1 and block_height < $2`,
  fold: `
    with keys as (select pair from unnest($1::text[]) as k (pair)),
    told as (
      select k.pair, case ${dexByContract} end as dex,
        '0x' || coalesce(nullif(split_part(k.pair, '.', 4), ''), split_part(k.pair, '.', 2)) as address,
        coalesce(made.asset0, swap.asset0, liquidity.asset0) as asset0,
        coalesce(made.asset1, swap.asset1, liquidity.asset1) as asset1,
        made.is_stable, fee.fee, made.block_height as created_height, made.tx_index as created_tx_index, newest.price,
        last.block_height, last.tx_index, last.event_index
      from keys k
      left join lateral (
        select * from app.defi_pair_changes c where c.pair = k.pair and c.asset0 is not null
        order by ${descending} limit 1
      ) made on true
      left join lateral (
        select c.fee from app.defi_pair_changes c where c.pair = k.pair and c.fee is not null
        order by ${descending} limit 1
      ) fee on true
      left join lateral (
        select e.price from app.defi_events e where e.pair = k.pair and e.event_type = 'Swap' and e.price is not null
        order by ${descending} limit 1
      ) newest on true
      left join lateral (
        select e.asset0, e.asset1 from app.defi_events e
        where made.asset0 is null and e.pair = k.pair and e.event_type = 'Swap' and e.asset0 is not null
          and e.asset1 is not null
        order by ${descending} limit 1
      ) swap on true
      left join lateral (
        select e.asset0, e.asset1 from app.defi_events e
        where made.asset0 is null and swap.asset0 is null and e.pair = k.pair
          and e.event_type in ('AddLiquidity', 'RemoveLiquidity') and e.asset0 is not null and e.asset1 is not null
        order by ${descending} limit 1
      ) liquidity on true
      cross join lateral (
        select l.* from (
          (select e.block_height, e.tx_index, e.event_index from app.defi_events e
           where e.pair = k.pair order by ${descending} limit 1)
          union all
          (select c.block_height, c.tx_index, c.event_index from app.defi_pair_changes c
           where c.pair = k.pair order by ${descending} limit 1)
        ) l order by ${descending} limit 1
      ) last
    ), gone as (
      delete from app.defi_pairs t using keys k
      where t.pair = k.pair and not exists (select from told n where n.pair = k.pair)
    )
    insert into app.defi_pairs as t
    select * from told
    on conflict (pair) do update
    set dex = excluded.dex, address = excluded.address, asset0 = excluded.asset0, asset1 = excluded.asset1,
      is_stable = excluded.is_stable, fee = excluded.fee, created_height = excluded.created_height,
      created_tx_index = excluded.created_tx_index, price = excluded.price, last_height = excluded.last_height,
      last_tx_index = excluded.last_tx_index, last_event_index = excluded.last_event_index
    where t is distinct from excluded`,
}

/** What is swapped by pair and day. */
export const pairDays: SumFold = {
  kind: 'sum',
  name: 'app.defi_pair_days',
  key: [
    { column: 'pair', type: 'text' },
    { column: 'day', type: 'date' },
  ],
  sums: [
    { column: 'swap_count', type: 'bigint' },
    { column: 'volume0', type: 'numeric' },
    { column: 'volume1', type: 'numeric' },
  ],
  presence: 'swap_count',
  of: defiEvents.name,
  touched: `
    select distinct pair, day from app.defi_events
    where block_height >= $1 and block_height < $2 and event_type = 'Swap'`,
  counted: `
    select pair, day, 1::bigint as swap_count,
      coalesce(asset0_in, 0.00000000) + coalesce(asset0_out, 0.00000000) as volume0,
      coalesce(asset1_in, 0.00000000) + coalesce(asset1_out, 0.00000000) as volume1
    from app.defi_events where block_height >= $1 and block_height < $2 and event_type = 'Swap'`,
}
