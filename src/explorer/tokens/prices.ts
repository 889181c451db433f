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

/** Tokens with a price from the last 48 hours. One index step per token and day. */
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

const newestPriceRow = z.object({ price: z.string() })

/** Null without a price from the last 48 hours. */
export async function readNewestPrice(database: DatabasePool, token: string): Promise<string | null> {
  const row = await database.maybeOne(sql.type(newestPriceRow)`
    select price::text as price from app.prices
    where token = ${token} and currency = 'USD' and price_time > now() - interval '48 hours'
    order by price_time desc
    limit 1
  `)
  return row?.price ?? null
}

const assetField = z.string().describe('Symbol; the token id if it has no symbol.')
const tokenField = z.string().describe('`A.<address>.<name>`.')
const dollars = amountFormat.describe('Price of one token, as a decimal string.')

export const priceSchema = z
  .strictObject({
    asset: assetField,
    token: tokenField,
    currency: z.string(),
    price: dollars,
    price_change_24h: z
      .number()
      .nullable()
      .describe('Price change over the 24 hours before `as_of`, in percent, 2 decimals. Null if unknown.'),
    market_cap: amountFormat.nullable().describe('Price times total supply. Null if the supply is unknown.'),
    source: z.literal('price_feed').describe('The feed at PRICE_FEED_URL.'),
    as_of: timestampFormat.describe('Time of the price.'),
  })
  .meta({ id: 'Price' })
export type Price = z.output<typeof priceSchema>

export const priceAtSchema = z
  .strictObject({
    asset: assetField,
    token: tokenField.nullable().describe('`A.<address>.<name>`. Null if the symbol is unknown.'),
    currency: z.string(),
    ts: timestampFormat.describe('Requested time.'),
    found: z.boolean().describe('Whether there is a price within 48 hours of the requested time.'),
    price: dollars.nullable().describe('Nearest price. Null if none was found.'),
    as_of: timestampFormat.nullable().describe('Time of the price.'),
  })
  .meta({ id: 'PriceAt' })
export type PriceAt = z.output<typeof priceAtSchema>

export const priceSampleSchema = z
  .strictObject({
    price: dollars.describe('Last price of the hour, as a decimal string.'),
    as_of: timestampFormat,
  })
  .meta({ id: 'PriceSample' })
export type PriceSample = z.output<typeof priceSampleSchema>

export const pricesSchema = z
  .strictObject({
    currency: z.string(),
    prices: z.record(z.string(), dollars).describe('Price by symbol; the newest one if several tokens share a symbol.'),
    token_map: z.record(z.string(), z.string()).describe('Symbol by contract name.'),
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

const priceRow = z.object({
  token: z.string(),
  symbol: z.string().nullable(),
  price: z.string(),
  as_of: z.string(),
})
type PriceRow = z.output<typeof priceRow>

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

export const priceCurrency = 'USD'

/** One index step per token; body of a `with recursive`. */
const pricedTokens = sql.fragment`
  (select token from app.prices order by token limit 1)
  union all
  select next.token from tokens t cross join lateral (
    select token from app.prices where token > t.token order by token limit 1
  ) next
`

const tokenRow = z.object({ token: z.string() })

/**
 * A symbol of the feed takes precedence over that of a contract; the token with the newest price
 * wins.
 *
 * @param asset token id, or symbol in upper case
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

const symbolOf = (row: FragmentSqlToken): FragmentSqlToken => sql.fragment`
  coalesce(${row}.symbol, (select upper(m.symbol) from app.ft_token_metadata m where m.token = ${row}.token))
`

const latestRow = priceRow.extend({ change: z.number().nullable(), market_cap: z.string().nullable() })

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

/** Within 48 hours before or after a time. */
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
 * Last price of each hour, latest first. One index step per hour.
 *
 * @param range `before`: hours that start at or after it are skipped; `from`: earliest time
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

/** From the last 48 hours. Two index steps per token. */
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

const source = 'Prices in US dollars from the feed at PRICE_FEED_URL.'

const tokenForm = 'A\\.[0-9a-f]{16}\\.[A-Za-z0-9_]{1,200}(\\.[A-Za-z0-9_]{1,200})?'

const assetParameter = textParameter(
  new RegExp(`^(${tokenForm}|[A-Za-z0-9$_-][A-Za-z0-9$._-]{0,31})$`),
  'must be a symbol such as FLOW, or a token A.<address>.<name>',
  (text) => (new RegExp(`^${tokenForm}$`).test(text) ? text : text.toUpperCase()),
)
  .default('FLOW')
  .describe('Symbol or token, `A.<address>.<name>`.')

const flowToken = 'A.1654653399040a61.FlowToken'

const latest = defineRoute({
  path: '/status/price',
  operationId: 'getPrice',
  tag: 'Prices',
  summary: 'Current price of a token',
  description: `${source} Empty if the token has no price.`,
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
  summary: 'Price of a token at a time',
  description: source,
  query: z.object({
    asset: assetParameter,
    ts: timeParameter('RFC 3339 time, or a day (its start in UTC).'),
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

/** Seconds since 1970. */
const formatHourCursor = (hour: string): string => String(Date.parse(hour) / 1000)

function parseHourCursor(cursor: string | undefined): string | undefined {
  return cursor === undefined || cursor === '' ? undefined : new Date(Number(cursor) * 1000).toISOString()
}

const history = defineRoute({
  path: '/status/price/history',
  operationId: 'listPriceHistory',
  tag: 'Prices',
  summary: 'Hourly prices of a token',
  description:
    `${source} Last price of each hour that has one, earliest first within a page. The first page is the newest; ` +
    'each following page holds the hours before it.',
  query: z.object({
    asset: assetParameter,
    limit: limitParameter({ default: 168, max: 8760 }),
    from: timeParameter('Start, inclusive: RFC 3339 time or day.').optional(),
    to: timeParameter('End, exclusive: RFC 3339 time or day.').optional(),
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
      throw new ApiError(400, 'invalid-parameter', `Parameter "from" must be before "to" (${to}).`, {
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
  summary: 'Current prices of all tokens',
  description: `${source} Prices older than 48 hours are omitted.`,
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

export const priceRoutes = [latest, at, history, all]
