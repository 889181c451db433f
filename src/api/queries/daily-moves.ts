import { sql } from 'slonik'
import type { DatabasePool } from 'slonik'
import { dailyMovesRow } from '../presenters/daily-moves.ts'
import type { DailyMovesRow } from '../presenters/daily-moves.ts'
import { priceCurrency } from './prices.ts'
import type { MovedKind } from './recent-activity.ts'

/**
 * How often a token or the items of a collection moved on each of the last `days` indexed days, the oldest first; days on which it did not move are
 * among them. Each hour is read by its key: 24 steps down the index for each day.
 */
export async function listDailyMoves(
  database: DatabasePool,
  kind: MovedKind,
  token: string,
  days: number,
): Promise<readonly DailyMovesRow[]> {
  return database.any(sql.type(dailyMovesRow)`
    with days as (
      select (newest.day - ago) as day
      from (select day from app.hourly_stats order by day desc, hour desc limit 1) newest
      cross join generate_series(0, ${days - 1}::integer) as ago
    )
    select d.day::text as day, m.count, m.amount::text as amount, round(m.amount * p.price, 2)::text as usd
    from days d
    cross join lateral (
      select coalesce(sum(h.activity_count), 0)::bigint as count, coalesce(sum(h.amount), 0) as amount
      from generate_series(0, 23) as of_day (hour)
      cross join lateral (
        select activity_count, amount from app.hourly_activity
        where kind = ${kind} and day = d.day and hour = of_day.hour and name = ${token}
        limit 1
      ) h
    ) m
    left join lateral (
      select price from app.prices
      where token = ${token} and currency = ${priceCurrency}
        and price_time < (d.day + 1)::timestamp at time zone 'UTC' and price_time >= (d.day - 1)::timestamp at time zone 'UTC'
      order by price_time desc
      limit 1
    ) p on true
    order by d.day
  `)
}
