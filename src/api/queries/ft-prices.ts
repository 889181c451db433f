import { sql } from 'slonik'
import type { DatabasePool } from 'slonik'
import { z } from 'zod'
import { pricedTokens } from './prices.ts'

const tokenPrices = z.object({
  token: z.string(),
  symbol: z.string().nullable(),
  price: z.string(),
  price_time: z.string(),
  days: z.array(z.string()),
  prices: z.array(z.string()),
})
export type TokenPrices = z.output<typeof tokenPrices>

/**
 * Of each token that has a price in US dollars of the last two days its newest one, and the last of each of the `days`
 * days that end today, of those that have one. A step down the index for each token and day: the tokens of the feed are
 * some hundreds at most.
 */
export async function readDailyPrices(database: DatabasePool, days: number): Promise<readonly TokenPrices[]> {
  return database.any(sql.type(tokenPrices)`
    with recursive tokens as (${pricedTokens}), today as (
      select date_trunc('day', now(), 'UTC') as midnight
    )
    select t.token, coalesce(n.symbol, upper(m.symbol)) as symbol, n.price::text as price, n.price_time, h.days, h.prices
    from tokens t cross join lateral (
      select * from app.prices
      where token = t.token and currency = 'USD' and price_time > now() - interval '48 hours'
      order by price_time desc
      limit 1
    ) n
    left join app.ft_token_metadata m on m.token = t.token
    cross join lateral (
      select coalesce(array_agg(((d.midnight at time zone 'UTC')::date)::text order by d.midnight), '{}') as days,
        coalesce(array_agg(p.price::text order by d.midnight), '{}') as prices
      from today cross join lateral (
        select midnight - ago * interval '24 hours' as midnight from generate_series(0, ${days - 1}::integer) as ago
      ) d cross join lateral (
        select price from app.prices
        where token = t.token and currency = 'USD' and price_time >= d.midnight
          and price_time < d.midnight + interval '24 hours'
        order by price_time desc
        limit 1
      ) p
    ) h
    order by t.token
  `)
}

/** The newest price of a token in US dollars, of at most two days ago; null where none is known. */
export async function readNewestPrice(database: DatabasePool, token: string): Promise<string | null> {
  const row = await database.maybeOne(sql.type(z.object({ price: z.string() }))`
    select price::text as price from app.prices
    where token = ${token} and currency = 'USD' and price_time > now() - interval '48 hours'
    order by price_time desc
    limit 1
  `)
  return row?.price ?? null
}
