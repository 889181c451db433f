import { z } from 'zod'
import { ApiError } from '../../platform/errors.ts'
import { listOf, page, wholeList } from '../paging/pages.ts'
import { cursorParameter, limitParameter, textParameter, timeParameter } from '../parameters.ts'
import {
  priceAtSchema,
  presentPrices,
  priceSampleSchema,
  priceSchema,
  pricesSchema,
  findPricedToken,
  listHourlyPrices,
  priceCurrency,
  readLatestPrice,
  readLatestPrices,
  readPriceAt,
} from './price-queries.ts'
import { defineRoute } from '../route.ts'

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
