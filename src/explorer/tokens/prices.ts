import { sql } from 'slonik'
import type { DatabasePool, FragmentSqlToken } from 'slonik'
import { z } from 'zod'
import { coreContracts } from '../../flow/core-contracts.ts'
import type { Network } from '../../flow/network.ts'
import { amountFormat, timestampFormat } from '../formats.ts'
import { ApiError } from '../../platform/errors.ts'
import { listOf, page, wholeList } from '../paging/pages.ts'
import { cursorParameter, limitParameter, textParameter, timeParameter } from '../parameters.ts'
import { defineRoute } from '../route.ts'

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
    select t.token, coalesce(n.symbol, upper(m.symbol)) as symbol, n.price::text as price, n.price_time, h.days,
    h.prices
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

const assetField = z.string().describe('Symbol of the token, or the token where the feed gave no symbol.')
const tokenField = z.string().describe('`A.<address>.<name>`.')
const dollars = amountFormat.describe('A decimal number as text, of one whole token.')

/** The newest price of a token, and what follows from it. */
export const priceSchema = z
  .strictObject({
    asset: assetField,
    token: tokenField,
    currency: z.string(),
    price: dollars,
    price_change_24h: z
      .number()
      .nullable()
      .describe(
        'Change to the price of 24 hours before `as_of`, in percent, 2 decimals; null where that is not known.',
      ),
    market_cap: amountFormat
      .nullable()
      .describe('Price times what there is of the token; null where that is not known.'),
    source: z.literal('price_feed').describe('All prices come from the feed of PRICE_FEED_URL.'),
    as_of: timestampFormat.describe('The time for which the feed gave the price.'),
  })
  .meta({ id: 'Price' })
export type Price = z.output<typeof priceSchema>

/** The price of a token at a time. */
export const priceAtSchema = z
  .strictObject({
    asset: assetField,
    token: tokenField
      .nullable()
      .describe('`A.<address>.<name>`; null where nothing tells which token the symbol means.'),
    currency: z.string(),
    ts: timestampFormat.describe('The time that was asked for.'),
    found: z.boolean().describe('Whether there is a price of at most 48 hours before or after it.'),
    price: dollars.nullable().describe('The nearest such price; null where there is none.'),
    as_of: timestampFormat.nullable().describe('The time of that price.'),
  })
  .meta({ id: 'PriceAt' })
export type PriceAt = z.output<typeof priceAtSchema>

/** The price of an hour. */
export const priceSampleSchema = z
  .strictObject({
    price: dollars.describe('The last of the hour, a decimal number as text.'),
    as_of: timestampFormat,
  })
  .meta({ id: 'PriceSample' })
export type PriceSample = z.output<typeof priceSampleSchema>

/** The newest prices of all tokens, in the forms in which clients look them up. */
export const pricesSchema = z
  .strictObject({
    currency: z.string(),
    prices: z
      .record(z.string(), dollars)
      .describe('Price by symbol. Where several tokens have the same symbol, the price that is the newest.'),
    token_map: z
      .record(z.string(), z.string())
      .describe('Symbol by name of contract, as the keys of `prices` have it.'),
    tokens: z
      .record(
        z.string(),
        z.strictObject({
          symbol: z.string().nullable(),
          price: dollars,
          as_of: timestampFormat,
        }),
      )
      .describe('Price by token, `A.<address>.<name>`.'),
  })
  .meta({ id: 'Prices' })
export type Prices = z.output<typeof pricesSchema>

/** A price as it is read. */
const priceRow = z.object({
  token: z.string(),
  symbol: z.string().nullable(),
  price: z.string(),
  as_of: z.string(),
})
type PriceRow = z.output<typeof priceRow>

/** @param rows one for each token */
export function presentPrices(rows: readonly PriceRow[], currency: string): Prices {
  const prices = new Map<string, PriceRow>()
  for (const row of rows) {
    if (row.symbol === null) continue
    const known = prices.get(row.symbol)
    if (known === undefined || known.as_of < row.as_of) prices.set(row.symbol, row)
  }
  return {
    currency,
    prices: Object.fromEntries([...prices].map(([symbol, { price }]) => [symbol, price])),
    token_map: Object.fromEntries(
      rows.flatMap(({ token, symbol }) => (symbol === null ? [] : [[token.split('.')[2] ?? token, symbol]])),
    ),
    tokens: Object.fromEntries(rows.map(({ token, symbol, price, as_of }) => [token, { symbol, price, as_of }])),
  }
}

/** The currency of all prices that the API shows. */
export const priceCurrency = 'USD'

/** The tokens of the feed, a step down the index for each: what `tokens` is in a `with recursive`. */
const pricedTokens = sql.fragment`
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
type SampleRow = z.output<typeof sampleRow>

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
 * The newest price of every token that has one of the last 48 hours: two steps down the index for each token of the
 * feed, of which there are some hundreds at most.
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

const source = 'Prices come from the feed of PRICE_FEED_URL, in USD.'

const tokenForm = 'A\\.[0-9a-f]{16}\\.[A-Za-z0-9_]{1,200}(\\.[A-Za-z0-9_]{1,200})?'

const assetParameter = textParameter(
  new RegExp(`^(${tokenForm}|[A-Za-z0-9$_-][A-Za-z0-9$._-]{0,31})$`),
  'must be a symbol such as FLOW, or a token of the form A.<address>.<name>',
  (text) => (new RegExp(`^${tokenForm}$`).test(text) ? text : text.toUpperCase()),
)
  .default('FLOW')
  .describe('Symbol, or token of the form `A.<address>.<name>`.')

const flowToken = 'A.1654653399040a61.FlowToken'

const latest = defineRoute({
  path: '/status/price',
  operationId: 'getPrice',
  tag: 'Prices',
  summary: 'The newest price of a token',
  description: `${source} Empty where none of the token is known.`,
  query: z.object({ asset: assetParameter }),
  response: listOf(priceSchema, 'Price'),
  example: wholeList([
    {
      asset: 'FLOW',
      token: flowToken,
      currency: 'USD',
      price: '0.3412',
      price_change_24h: -1.87,
      market_cap: '551234567.12',
      source: 'price_feed' as const,
      as_of: '2025-07-01T12:00:00.000Z',
    },
  ]),
  handler: async ({ query: { asset } }, { database, network }) => {
    const token = await findPricedToken(database, network(), asset)
    const row = token === undefined ? undefined : await readLatestPrice(database, network(), token)
    if (row === undefined) return { body: wholeList([]), caching: 'minute' }
    return {
      body: wholeList([
        {
          asset: row.symbol ?? asset,
          token: row.token,
          currency: priceCurrency,
          price: row.price,
          price_change_24h: row.change,
          market_cap: row.market_cap,
          source: 'price_feed' as const,
          as_of: row.as_of,
        },
      ]),
      caching: 'minute',
    }
  },
})

const at = defineRoute({
  path: '/status/price/at',
  operationId: 'getPriceAt',
  tag: 'Prices',
  summary: 'The price of a token at a time',
  description: source,
  query: z.object({
    asset: assetParameter,
    ts: timeParameter('The time, RFC 3339; a day means its beginning in UTC.'),
  }),
  response: listOf(priceAtSchema, 'PriceAt'),
  example: wholeList([
    {
      asset: 'FLOW',
      token: flowToken,
      currency: 'USD',
      ts: '2025-07-01T11:58:30.000Z',
      found: true,
      price: '0.3412',
      as_of: '2025-07-01T12:00:00.000Z',
    },
  ]),
  handler: async ({ query: { asset, ts } }, { database, network }) => {
    const token = await findPricedToken(database, network(), asset)
    const row = token === undefined ? undefined : await readPriceAt(database, token, ts)
    return {
      body: wholeList([
        {
          asset: row?.symbol ?? asset,
          token: token ?? null,
          currency: priceCurrency,
          ts,
          found: row !== undefined,
          price: row?.price ?? null,
          as_of: row?.as_of ?? null,
        },
      ]),
      caching: 'minute',
    }
  },
})

/** The hour of a sample in seconds since 1970: every number that the form allows is a time. */
const formatHourCursor = (hour: string): string => String(Date.parse(hour) / 1000)

function parseHourCursor(cursor: string | undefined): string | undefined {
  return cursor === undefined || cursor === '' ? undefined : new Date(Number(cursor) * 1000).toISOString()
}

const history = defineRoute({
  path: '/status/price/history',
  operationId: 'listPriceHistory',
  tag: 'Prices',
  summary: 'Prices of a token by the hour',
  description:
    `${source} A page holds the last price of each hour that has one, the earliest first; it is the newest ` +
    'page, and the next one holds the hours before it.',
  query: z.object({
    asset: assetParameter,
    limit: limitParameter({ default: 168, max: 8760 }),
    from: timeParameter('The earliest time, RFC 3339, or a day.').optional(),
    to: timeParameter('The latest time, exclusive, RFC 3339, or a day.').optional(),
    cursor: cursorParameter(/^(\d{1,11})?$/, '<hour>'),
  }),
  response: listOf(priceSampleSchema, 'PriceSample'),
  example: {
    data: [{ price: '0.3412', as_of: '2025-07-01T12:00:00.000Z' }],
    has_more: true,
    cursor: '1751371200',
    _meta: { limit: 1, count: 1 },
  },
  handler: async ({ query: { asset, limit, from, to, cursor } }, { database, network }) => {
    if (from !== undefined && to !== undefined && from >= to) {
      throw new ApiError(400, 'invalid-parameter', `Parameter "from" must be before "to", which is ${to}.`, {
        field: 'from',
      })
    }
    const token = await findPricedToken(database, network(), asset)
    const ends = [to, parseHourCursor(cursor)].filter((time) => time !== undefined).toSorted()
    const rows =
      token === undefined
        ? []
        : await listHourlyPrices(
            database,
            token,
            { before: ends[0] ?? 'infinity', from: from ?? '-infinity' },
            limit + 1,
          )
    const body = page(
      rows,
      limit,
      ({ price, as_of }) => ({ price, as_of }),
      ({ hour }) => formatHourCursor(hour),
    )
    return { body: { ...body, data: body.data.toReversed() }, caching: 'minute' }
  },
})

const all = defineRoute({
  path: '/status/prices',
  operationId: 'listPrices',
  tag: 'Prices',
  summary: 'The newest prices of all tokens',
  description: `${source} Those of more than 48 hours ago are left out; empty where there are no others.`,
  response: listOf(pricesSchema, 'Prices'),
  example: wholeList([
    {
      currency: 'USD',
      prices: { FLOW: '0.3412' },
      token_map: { FlowToken: 'FLOW' },
      tokens: { [flowToken]: { symbol: 'FLOW', price: '0.3412', as_of: '2025-07-01T12:00:00.000Z' } },
    },
  ]),
  handler: async (_input, { database }) => {
    const rows = await readLatestPrices(database)
    return { body: wholeList(rows.length === 0 ? [] : [presentPrices(rows, priceCurrency)]), caching: 'minute' }
  },
})

/** Prices of tokens. */
export const priceRoutes = [latest, at, history, all]
