import { sql } from 'slonik'
import type { DatabasePool, FragmentSqlToken } from 'slonik'
import { z } from 'zod'
import { readRecent } from '../paging/bounds.ts'

/** Within the 48 hours before a time. */
export function priceAt(token: FragmentSqlToken, time: FragmentSqlToken): FragmentSqlToken {
  return sql.fragment`
    select price, price_time from app.prices
    where token = ${token} and currency = 'USD' and price_time <= ${time} and price_time > ${time} - interval '48 hours'
    order by price_time desc
    limit 1
  `
}

const priceRow = z.object({ key: z.string(), price: z.string(), as_of: z.string() })

/** In US dollars. */
export type PastPrice = Pick<z.output<typeof priceRow>, 'price' | 'as_of'>

/** By `priceKey`. */
export type PastPrices = ReadonlyMap<string, PastPrice>

export function priceKey(token: string, time: string): string {
  return `${token} ${time}`
}

/** Omits tokens without a price. @param keys `priceKey` */
export async function readPricesAt(database: DatabasePool, keys: readonly string[]): Promise<PastPrices> {
  return readRecent(database, 'price', keys, async (missing) => {
    const [tokens, times] = [0, 1].map((part) => missing.map((key) => key.split(' ')[part] ?? ''))
    const rows = await database.any(sql.prepared('prices at times', priceRow)`
      select w.key, p.price::text as price, p.price_time as as_of
      from unnest(${sql.array(missing, 'text')}, ${sql.array(tokens ?? [], 'text')},
        ${sql.array(times ?? [], 'timestamptz')}) as w (key, token, time)
      cross join lateral (${priceAt(sql.fragment`w.token`, sql.fragment`w.time`)}) p
    `)
    return new Map(rows.map(({ key, price, as_of }) => [key, { price, as_of }]))
  })
}
