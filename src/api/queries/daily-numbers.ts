import { sql } from 'slonik'
import type { DatabasePool } from 'slonik'
import { z } from 'zod'
import type { DayRange } from '../parameters/day-range.ts'
import { dailyNumbersRow } from '../presenters/daily-numbers.ts'
import type { DailyNumbersRow } from '../presenters/daily-numbers.ts'

const daysRow = z.object({ from: z.string().nullable(), to: z.string().nullable() })

/** First and last day with an indexed block: the two ends of an index. */
export async function readIndexedDays(database: DatabasePool): Promise<DayRange | undefined> {
  const { from, to } = await database.one(sql.type(daysRow)`
    select min(day)::text as from, max(day)::text as to from app.hourly_stats
  `)
  return from === null || to === null ? undefined : { from, to }
}

/**
 * One row for each day of a range, also for days without a block. It reads the 24 hours of each day, one row of each
 * other table of days, and the epochs, of which there are some hundreds. The epoch of a day is the last that ran on it; one
 * whose end is not indexed may have lasted as long as it was meant to, or until now where that is not known.
 */
export async function readDailyNumbers(
  database: DatabasePool,
  { from, to }: DayRange,
): Promise<readonly DailyNumbersRow[]> {
  return database.any(sql.type(dailyNumbersRow)`
    with days as (
      select day::date as day from generate_series(${from}::date, ${to}::date, interval '1 day') as day
    ), stats as (
      select * from app.daily_stats where day between ${from}::date and ${to}::date
    ), actors as (
      select day, sum(actor_count) filter (where kind = 'evm') as evm_addresses,
        sum(actor_count) filter (where kind = 'trader') as traders
      from app.daily_actor_counts where day between ${from}::date and ${to}::date
      group by day
    ), lasted as (
      select epoch, (start_time at time zone 'UTC')::date as first_day,
        (coalesce(end_time, greatest(target_end_time, start_time), 'infinity') at time zone 'UTC')::date as last_day
      from app.epoch_stats
      where start_time is not null
    ), epochs as (
      select day::date as day, max(e.epoch) as epoch
      from lasted e cross join lateral generate_series(
        greatest(e.first_day, ${from}::date), least(e.last_day, ${to}::date), interval '1 day'
      ) as day
      where e.first_day <= ${to}::date and e.last_day >= ${from}::date
      group by 1
    )
    select d.day::text as day, coalesce(s.block_count, 0) as block_count, coalesce(s.tx_count, 0) as tx_count,
      coalesce(s.system_tx_count, 0) as system_tx_count, coalesce(s.failed_tx_count, 0) as failed_tx_count,
      coalesce(s.evm_tx_count, 0) as evm_tx_count, coalesce(s.event_count, 0) as event_count,
      coalesce(s.gas_used, 0) as gas_used, coalesce(s.fees, 0.00000000)::text as fees,
      coalesce(s.ft_transfer_count, 0) as ft_transfer_count, coalesce(s.nft_transfer_count, 0) as nft_transfer_count,
      coalesce(s.new_account_count, 0) as new_account_count, coalesce(s.new_coa_count, 0) as new_coa_count,
      coalesce(s.new_contract_count, 0) as new_contract_count,
      coalesce(s.contract_update_count, 0) as contract_update_count,
      coalesce(s.active_account_count, 0) as active_account_count,
      coalesce(a.evm_execution_count, 0) as evm_execution_count, coalesce(a.evm_failed_count, 0) as evm_failed_count,
      coalesce(a.evm_gas_used, 0) as evm_gas_used, coalesce(a.swap_count, 0) as swap_count,
      coalesce(a.bridge_to_evm_tx_count, 0) as bridge_to_evm_tx_count,
      coalesce(a.bridge_from_evm_tx_count, 0) as bridge_from_evm_tx_count,
      coalesce(a.epoch_payout, 0.00000000)::text as epoch_payout, coalesce(c.evm_addresses, 0)::bigint as evm_address_count,
      coalesce(c.traders, 0)::bigint as trader_count, case when s.day is not null then e.epoch end as epoch
    from days d
    left join stats s on s.day = d.day
    left join app.daily_analytics a on a.day = d.day and a.day between ${from}::date and ${to}::date
    left join actors c on c.day = d.day
    left join epochs e on e.day = d.day
    order by d.day
  `)
}

const transfersRow = z.object({ day: z.string(), ft_transfer_count: z.number(), nft_transfer_count: z.number() })

/** Movements of each day of a range, also of days without a block. */
export async function readDailyTransfers(
  database: DatabasePool,
  { from, to }: DayRange,
): Promise<readonly z.output<typeof transfersRow>[]> {
  return database.any(sql.type(transfersRow)`
    select d.day::date::text as day, coalesce(sum(h.ft_transfer_count), 0)::bigint as ft_transfer_count,
      coalesce(sum(h.nft_transfer_count), 0)::bigint as nft_transfer_count
    from generate_series(${from}::date, ${to}::date, interval '1 day') as d (day)
    left join app.hourly_stats h on h.day = d.day::date and h.day between ${from}::date and ${to}::date
    group by d.day
    order by d.day
  `)
}
