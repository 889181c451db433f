import { sql } from 'slonik'
import type { FragmentSqlToken } from 'slonik'

/** Kinds of app.hourly_activity that move. */
export type MovedKind = 'token' | 'collection'

/** The last hour of which something is indexed; no row where nothing is. */
const newestHour = sql.fragment`(select day, hour from app.hourly_stats order by day desc, hour desc limit 1)`

/** `token` and `transfer_count` of the last 24 indexed hours, of all that moved in them: some thousand rows are added up. */
export function recentActivity(kind: MovedKind): FragmentSqlToken {
  return sql.fragment`
    (
      select h.name as token, sum(h.activity_count)::bigint as transfer_count
      from ${newestHour} newest
      join app.hourly_activity h on h.kind = ${kind} and h.day between newest.day - 1 and newest.day
        and (h.day, h.hour) > (newest.day - 1, newest.hour)
      group by h.name
    )
  `
}

/** `transfer_count` and `amount` of the last 24 indexed hours of one of them, each hour by its key; 0 where it did not move. */
export function recentActivityOf(kind: MovedKind, token: FragmentSqlToken): FragmentSqlToken {
  return sql.fragment`
    (
      select coalesce(sum(h.activity_count), 0)::bigint as transfer_count, coalesce(sum(h.amount), 0) as amount
      from ${newestHour} newest
      cross join generate_series(0, 23) as ago
      cross join lateral (
        select activity_count, amount from app.hourly_activity
        where kind = ${kind} and name = ${token}
          and day = newest.day - case when ago > newest.hour then 1 else 0 end
          and hour = (newest.hour - ago + 24) % 24
        limit 1
      ) h
    )
  `
}
