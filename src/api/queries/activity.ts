import { sql } from 'slonik'
import type { DatabasePool } from 'slonik'
import { z } from 'zod'
import type { Bounds } from '../paging/bounds.ts'
import { contractUseRow, tokenVolumeRow } from '../presenters/activity.ts'
import { priceCurrency } from './prices.ts'

/** An hour of UTC. */
export interface Hour {
  /** `YYYY-MM-DD` */
  readonly day: string
  readonly hour: number
}

const hourRow = z.object({ day: z.string(), hour: z.number() })

/**
 * The first of the last `count` hours of the chain: these are whole hours of UTC, and the last of them is that of the newest
 * stored block, whatever the clock of this machine says.
 */
export async function firstOfLastHours(
  database: DatabasePool,
  bounds: Bounds | undefined,
  count: number,
): Promise<Hour | undefined> {
  if (bounds === undefined) return undefined
  const row = await database.maybeOne(sql.type(hourRow)`
    select first::date::text as day, extract(hour from first)::int as hour
    from (
      select timestamp at time zone 'UTC' - make_interval(hours => ${count - 1}::int) as first
      from raw.blocks where height = ${bounds.max}
    ) as newest
  `)
  return row ?? undefined
}

/**
 * The contracts that most transactions used since an hour. It adds up the rows of these hours, one for each contract
 * that was used in one: of 30 days some 200,000.
 */
export async function listBusyContracts(
  database: DatabasePool,
  since: Hour,
  count: number,
): Promise<readonly z.output<typeof contractUseRow>[]> {
  return database.any(sql.type(contractUseRow)`
    select name, sum(activity_count)::bigint as count
    from app.hourly_activity
    where kind = 'contract' and (day, hour) >= (${since.day}::date, ${since.hour}::smallint)
    group by name
    order by count desc, name
    limit ${count}
  `)
}

/**
 * The tokens of which most moved since an hour: those whose volume in dollars is known by that, then the others by their
 * transfers. It adds up one row for each token and hour, and looks for a price of each token and day.
 */
export async function listTokenVolumes(
  database: DatabasePool,
  since: Hour,
  count: number,
): Promise<readonly z.output<typeof tokenVolumeRow>[]> {
  return database.any(sql.type(tokenVolumeRow)`
    with days as (
      select name, day, sum(activity_count)::bigint as count, sum(amount) as amount
      from app.hourly_activity
      where kind = 'token' and (day, hour) >= (${since.day}::date, ${since.hour}::smallint)
      group by name, day
    ), tokens as (
      select d.name, sum(d.count)::bigint as count, sum(d.amount) as amount,
        case when count(*) = count(p.price) then round(sum(d.amount * p.price), 2) end as usd
      from days d
      left join lateral (
        select price from app.prices
        where token = d.name and currency = ${priceCurrency}
          and price_time < (d.day + 1)::timestamp at time zone 'UTC'
          and price_time >= (d.day - 1)::timestamp at time zone 'UTC'
        order by price_time desc limit 1
      ) p on true
      group by d.name
    )
    select t.name, t.count, t.amount::text as amount, t.usd::text as usd, m.name as title, m.symbol, m.logo
    from tokens t left join app.ft_token_metadata m on m.token = t.name
    order by t.usd desc nulls last, t.count desc, t.name
    limit ${count}
  `)
}
