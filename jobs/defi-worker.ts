import type { HeightTable, StateFold, SumFold, Worker } from './worker.ts'
import { dexes, defiEventTypes } from '../src/flow/defi/dexes.ts'
import { numericOrNull, textOrNull } from '../src/platform/row-writer.ts'
import type { RowWriter } from '../src/platform/row-writer.ts'
import { price, readDefi } from '../src/flow/defi/read-defi.ts'
import type { DefiEvent, PairChange } from '../src/flow/defi/read-defi.ts'
import { utcDay } from '../src/flow/decoded-block.ts'

const heightColumn = 'block_height'
const position = [heightColumn, 'tx_index', 'event_index']

const defiEvents: HeightTable = {
  name: 'app.defi_events',
  columns: [
    ...position,
    'pair',
    'event_type',
    'maker',
    'asset0',
    'asset1',
    'asset0_in',
    'asset0_out',
    'asset1_in',
    'asset1_out',
    'lp_amount',
    'price',
    'day',
  ],
  heightColumn,
  partitionHeights: 1_000_000,
}

/** Rare, so not partitioned. */
const pairChanges: HeightTable = {
  name: 'app.defi_pair_changes',
  columns: [...position, 'pair', 'asset0', 'asset1', 'is_stable', 'fee'],
  heightColumn,
  partitionHeights: undefined,
}

const descending = 'block_height desc, tx_index desc, event_index desc'
const dexByContract = dexes
  .map(({ key, pairContract }) => `when split_part(k.pair, '.', 3) ~ '${pairContract}' then '${key}'`)
  .join(' ')

/** Tokens come from the creation event, else the last swap, else the last liquidity change. */
const defiPairs: StateFold = {
  kind: 'state',
  name: 'app.defi_pairs',
  key: [{ column: 'pair', type: 'text' }],
  reads: [defiEvents.name, pairChanges.name],
  touched: `
    select pair from app.defi_events where block_height >= $1 and block_height < $2
    union select pair from app.defi_pair_changes where block_height >= $1 and block_height < $2`,
  fold: `
    with keys as (select pair from unnest($1::text[]) as k (pair)),
    actions as (
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
      where t.pair = k.pair and not exists (select from actions n where n.pair = k.pair)
    )
    insert into app.defi_pairs as t
    select * from actions
    on conflict (pair) do update
    set dex = excluded.dex, address = excluded.address, asset0 = excluded.asset0, asset1 = excluded.asset1,
      is_stable = excluded.is_stable, fee = excluded.fee, created_height = excluded.created_height,
      created_tx_index = excluded.created_tx_index, price = excluded.price, last_height = excluded.last_height,
      last_tx_index = excluded.last_tx_index, last_event_index = excluded.last_event_index
    where t is distinct from excluded`,
}

const pairDays: SumFold = {
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

/** Includes system transactions, because scheduled transactions can swap. */
export const defiWorker: Worker = {
  name: 'defi_worker',
  description: 'Trading pairs, swaps and liquidity',
  phase: 1,
  follows: [],
  tables: [defiEvents, pairChanges],
  folds: [defiPairs, pairDays],
  derive({ blocks }, output, { network }) {
    const types = defiEventTypes(network)
    for (const { height, timestampUs, transactions } of blocks) {
      const day = utcDay(timestampUs)
      for (const transaction of transactions) {
        const defi = readDefi(transaction, types, network)
        if (defi === undefined) continue
        const { index: txIndex, authorizers, payer } = transaction
        const place = { height, txIndex, maker: authorizers[0] ?? payer, day }
        for (const event of defi.events) writeEvent(output.rows(defiEvents.name), place, event)
        for (const change of defi.pairs) writePair(output.rows(pairChanges.name), place, change)
        for (const problem of defi.problems) output.problem({ blockHeight: height, txIndex, ...problem })
      }
    }
  },
}

interface Place {
  readonly height: number
  readonly txIndex: number
  readonly maker: string | undefined
  /** Since 1970-01-01. */
  readonly day: number
}

function writeEvent(rows: RowWriter, { height, txIndex, maker, day }: Place, event: DefiEvent): void {
  const { index, pair, type, asset0, asset1, in0, out0, in1, out1, lpAmount } = event
  rows.row(defiEvents.columns.length)
  rows.int8(height)
  rows.int4(txIndex)
  rows.int4(index)
  rows.text(pair)
  rows.text(type)
  textOrNull(rows, maker)
  textOrNull(rows, asset0)
  textOrNull(rows, asset1)
  numericOrNull(rows, in0)
  numericOrNull(rows, out0)
  numericOrNull(rows, in1)
  numericOrNull(rows, out1)
  numericOrNull(rows, lpAmount)
  numericOrNull(rows, type === 'Swap' ? priceOf(event) : undefined)
  rows.date(day)
}

function priceOf({ in0, out0, in1, out1 }: DefiEvent): string | undefined {
  const [amount0, amount1] = [in0 ?? out0, in1 ?? out1]
  return amount0 === undefined || amount1 === undefined ? undefined : price(amount1, amount0)
}

function writePair(rows: RowWriter, { height, txIndex }: Place, change: PairChange): void {
  rows.row(pairChanges.columns.length)
  rows.int8(height)
  rows.int4(txIndex)
  rows.int4(change.index)
  rows.text(change.pair)
  textOrNull(rows, change.asset0)
  textOrNull(rows, change.asset1)
  if (change.isStable === undefined) rows.null()
  else rows.bool(change.isStable)
  numericOrNull(rows, change.fee)
}
