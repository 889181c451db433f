import { sql } from 'slonik'
import type { DatabasePool, FragmentSqlToken } from 'slonik'
import { z } from 'zod'
import { coreContracts } from '../../chain/core-contracts.ts'
import type { Network } from '../../chain/network.ts'
import { priceRow } from '../presenters/price.ts'
import type { PriceRow } from '../presenters/price.ts'

/** The currency of all prices that the API shows. */
export const priceCurrency = 'USD'

/** The tokens of the feed, a step down the index for each: what `tokens` is in a `with recursive`. */
export const pricedTokens = sql.fragment`
  (select token from app.prices order by token limit 1)
  union all
  select next.token from tokens t cross join lateral (
    select token from app.prices where token > t.token order by token limit 1
  ) next
`

const tokenRow = z.object({ token: z.string() })

/**
 * The token that an asset means: itself, FLOW, or else the one with the newest price of those with that symbol. Symbols
 * are those that the feed gave; where it gave none, those of the tokens' contracts.
 * @param asset a token or a symbol in upper case
 * @returns undefined where no price of such a token is known
 */
export async function findPricedToken(
  database: DatabasePool,
  network: Network,
  asset: string,
): Promise<string | undefined> {
  if (/^A\.[0-9a-f]{16}\./.test(asset)) return asset
  if (asset === 'FLOW') return `A.${coreContracts(network).flowToken}.FlowToken`
  const bySymbol = await database.maybeOne(sql.type(tokenRow)`
    select token from app.prices where symbol = ${asset} and currency = ${priceCurrency}
    order by price_time desc, token
    limit 1
  `)
  if (bySymbol !== null) return bySymbol.token
  const byContract = await database.maybeOne(sql.type(tokenRow)`
    select m.token from app.ft_token_metadata m
    where lower(m.symbol) = ${asset.toLowerCase()} and exists (
      select from app.prices p where p.token = m.token and p.currency = ${priceCurrency}
    )
    order by m.token
    limit 1
  `)
  return byContract?.token
}

/** The symbol by which people know a token: the one that the feed gave, else the one that its contract has. */
const symbolOf = (row: FragmentSqlToken): FragmentSqlToken => sql.fragment`
  coalesce(${row}.symbol, (select upper(m.symbol) from app.ft_token_metadata m where m.token = ${row}.token))
`

const latestRow = priceRow.extend({ change: z.number().nullable(), market_cap: z.string().nullable() })

/** The newest price of a token, the one of a day before it, and what there is of the token: some rows by their keys. */
export async function readLatestPrice(
  database: DatabasePool,
  network: Network,
  token: string,
): Promise<z.output<typeof latestRow> | undefined> {
  const isFlow = token === `A.${coreContracts(network).flowToken}.FlowToken`
  const row = await database.maybeOne(sql.type(latestRow)`
    with newest as (
      select * from app.prices where token = ${token} and currency = ${priceCurrency}
      order by price_time desc limit 1
    )
    select n.token, ${symbolOf(sql.fragment`n`)} as symbol, trim_scale(n.price)::text as price, n.price_time as as_of,
      round((n.price / nullif(d.price, 0) - 1) * 100, 2)::float8 as change,
      round(n.price * supply.total, 2)::text as market_cap
    from newest n
    left join lateral (
      select p.price from app.prices p
      where p.token = n.token and p.currency = n.currency and p.price_time <= n.price_time - interval '24 hours'
        and p.price_time >= n.price_time - interval '72 hours'
      order by p.price_time desc limit 1
    ) d on true
    cross join lateral (
      select coalesce(
        case when ${isFlow} then (select s.total_supply from app.network_state s) end,
        (select m.total_supply from app.ft_token_metadata m where m.token = n.token)
      ) as total
    ) supply
  `)
  return row ?? undefined
}

/** The price of a token nearest to a time, of at most 48 hours before or after it: the nearest row on each side. */
export async function readPriceAt(database: DatabasePool, token: string, time: string): Promise<PriceRow | undefined> {
  const row = await database.maybeOne(sql.type(priceRow)`
    select p.token, ${symbolOf(sql.fragment`p`)} as symbol, trim_scale(p.price)::text as price, p.price_time as as_of
    from (
      (select * from app.prices
       where token = ${token} and currency = ${priceCurrency} and price_time <= ${time}::timestamptz
         and price_time >= ${time}::timestamptz - interval '48 hours'
       order by price_time desc limit 1)
      union all
      (select * from app.prices
       where token = ${token} and currency = ${priceCurrency} and price_time > ${time}::timestamptz
         and price_time <= ${time}::timestamptz + interval '48 hours'
       order by price_time limit 1)
    ) p
    order by greatest(p.price_time - ${time}::timestamptz, ${time}::timestamptz - p.price_time), p.price_time
    limit 1
  `)
  return row ?? undefined
}

const sampleRow = z.object({ price: z.string(), as_of: z.string(), hour: z.string() })
export type SampleRow = z.output<typeof sampleRow>

/**
 * The last price of each hour, going back from a time: up to `count` hours that have one, the latest first. Each is
 * one step down the index from the hour after it, however many prices an hour has.
 * @param before hours that begin at this time or later are left out
 * @param from the earliest time
 */
export async function listHourlyPrices(
  database: DatabasePool,
  token: string,
  range: { readonly before: string; readonly from: string },
  count: number,
): Promise<readonly SampleRow[]> {
  return database.any(sql.type(sampleRow)`
    with recursive samples as (
      (select price, price_time, 1 as nth from app.prices
       where token = ${token} and currency = ${priceCurrency} and price_time < ${range.before}::timestamptz
         and price_time >= ${range.from}::timestamptz
       order by price_time desc limit 1)
      union all
      select p.price, p.price_time, s.nth + 1
      from samples s cross join lateral (
        select price, price_time from app.prices
        where token = ${token} and currency = ${priceCurrency}
          and price_time < date_trunc('hour', s.price_time, 'UTC') and price_time >= ${range.from}::timestamptz
        order by price_time desc limit 1
      ) p
      where s.nth < ${count}
    )
    select trim_scale(price)::text as price, price_time as as_of, date_trunc('hour', price_time, 'UTC') as hour
    from samples
    order by price_time desc
  `)
}

/**
 * The newest price of every token that has one of the last 48 hours: two steps down the index for each token of the feed,
 * of which there are some hundreds at most.
 */
export async function readLatestPrices(database: DatabasePool): Promise<readonly PriceRow[]> {
  return database.any(sql.type(priceRow)`
    with recursive tokens as (${pricedTokens})
    select t.token, ${symbolOf(sql.fragment`p`)} as symbol, trim_scale(p.price)::text as price, p.price_time as as_of
    from tokens t cross join lateral (
      select * from app.prices
      where token = t.token and currency = ${priceCurrency} and price_time > now() - interval '48 hours'
      order by price_time desc limit 1
    ) p
    order by t.token
  `)
}
