import { sql } from 'slonik'
import type { DatabasePool, FragmentSqlToken } from 'slonik'
import type { DayRange } from '../parameters/day-range.ts'
import { chainNumbersSchema, periodRow } from '../presenters/statistics.ts'
import type { ChainNumbers, PeriodRow, Timescale } from '../presenters/statistics.ts'

/** What is stored of the chain: the coverage of the two ingesters and the counters that they keep with each batch. */
export async function readChainNumbers(database: DatabasePool): Promise<ChainNumbers> {
  return database.one(sql.type(chainNumbersSchema)`
    select min(lower(covered)) as min_height, max(upper(covered)) - 1 as max_height,
      coalesce(sum(block_count), 0)::bigint as block_count, coalesce(sum(tx_count), 0)::bigint as tx_count,
      coalesce(sum(event_count), 0)::bigint as event_count
    from app.indexing_checkpoints
    where service_name in ('main_ingester', 'history_ingester')
  `)
}

const units: Readonly<Record<Timescale, string>> = { hourly: 'hour', daily: 'day', weekly: 'week', monthly: 'month' }

/**
 * The periods that have days of a range and indexed blocks, whole, the earliest first. It reads the hours of these days,
 * 24 of each, and one row of each day.
 */
export async function readPeriods(
  database: DatabasePool,
  timescale: Timescale,
  { from, to }: DayRange,
): Promise<readonly PeriodRow[]> {
  const unit = units[timescale]
  const span = timescale === 'hourly' ? 'day' : unit
  const isWithin = (day: FragmentSqlToken): FragmentSqlToken => sql.fragment`
    ${day} >= date_trunc(${span}, ${from}::timestamp)::date
    and ${day} < (date_trunc(${span}, ${to}::timestamp) + ('1 ' || ${span})::interval)::date
  `
  return database.any(sql.type(periodRow)`
    with periods as (
      select date_trunc(${unit}, h.day + make_interval(hours => h.hour)) as period, count(distinct h.day) as day_count,
        sum(h.block_count)::bigint as block_count, sum(h.tx_count)::bigint as tx_count,
        sum(h.system_tx_count)::bigint as system_tx_count, sum(h.evm_tx_count)::bigint as evm_tx_count,
        sum(h.failed_tx_count)::bigint as failed_tx_count, sum(h.event_count)::bigint as event_count,
        sum(h.gas_used)::bigint as total_gas_used, sum(h.fees)::text as fees,
        sum(h.ft_transfer_count)::bigint as ft_transfers, sum(h.nft_transfer_count)::bigint as nft_transfers,
        sum(h.new_account_count)::bigint as new_accounts, sum(h.new_contract_count)::bigint as new_contracts
      from app.hourly_stats h
      where ${isWithin(sql.fragment`h.day`)}
      group by 1
    ), accounts as (
      select date_trunc(${unit}, c.day::timestamp) as period, sum(c.active_account_count)::bigint as count
      from app.daily_account_counts c
      where ${isWithin(sql.fragment`c.day`)}
      group by 1
    )
    select to_char(p.period, 'YYYY-MM-DD') as date, p.period at time zone 'UTC' as timestamp, p.block_count, p.tx_count,
      p.system_tx_count, p.evm_tx_count, p.failed_tx_count, p.event_count, p.total_gas_used, p.fees, p.ft_transfers,
      p.nft_transfers, p.new_accounts, p.new_contracts, p.day_count, coalesce(a.count, 0) as accounts_of_days
    from periods p left join accounts a on a.period = p.period
    order by p.period
  `)
}
