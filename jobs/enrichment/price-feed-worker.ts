import { ResultShapeError, refreshPolicy } from './enrichment-worker.ts'
import type { EnrichmentWorker, Statement } from './enrichment-worker.ts'

export interface PriceFeed {
  /** Format: `readPrices`. */
  readonly url: string
  readonly refreshMs: number
}

export interface Price {
  /** `A.<address>.<name>` */
  readonly token: string
  /** Upper case. */
  readonly currency: string
  readonly price: string
  /** ISO 8601. */
  readonly time: string
  readonly symbol: string | null
}

/**
 * Format:
 *
 *     {"prices": [{"token": "A.1654653399040a61.FlowToken", "price": "0.4123", "currency": "USD",
 *                  "symbol": "FLOW", "time": "2026-01-31T12:00:00Z"}, …]}
 *
 * `price` is non-negative, text or number. Optional: `currency` (default USD), `time` (default:
 * now), `symbol`.
 *
 * @throws ResultShapeError for the whole response if one price is invalid
 */
export function readPrices(result: unknown, now: Date): Price[] {
  const list = propertyOf(result, 'prices')
  if (!Array.isArray(list)) throw new ResultShapeError('the price feed returned no list of prices')
  return list.map((item: unknown) => readPrice(item, now))
}

function readPrice(item: unknown, now: Date): Price {
  const token = propertyOf(item, 'token')
  const price = propertyOf(item, 'price')
  const currency = propertyOf(item, 'currency') ?? 'USD'
  const symbol = propertyOf(item, 'symbol') ?? null
  const time = propertyOf(item, 'time') ?? now.toISOString()
  const decimal = typeof price === 'number' ? String(price) : price
  if (typeof token !== 'string' || !/^A\.[0-9a-f]{16}\.\w+/.test(token))
    throw new ResultShapeError('a price has no valid token')
  if (typeof decimal !== 'string' || !/^\d+(\.\d+)?(e-\d+)?$/.test(decimal))
    throw new ResultShapeError(`the price of ${token} is not a decimal number`)
  if (typeof currency !== 'string' || !/^[a-z]{3,8}$/i.test(currency))
    throw new ResultShapeError(`the price of ${token} has no valid currency`)
  if (symbol !== null && typeof symbol !== 'string') throw new ResultShapeError(`the symbol of ${token} is not text`)
  if (typeof time !== 'string' || Number.isNaN(Date.parse(time)))
    throw new ResultShapeError(`the price of ${token} has no valid time`)
  return {
    token,
    price: decimal,
    currency: currency.toUpperCase(),
    time: new Date(time).toISOString(),
    symbol: symbol?.toUpperCase() ?? null,
  }
}

function propertyOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined
}

function storePrices(prices: readonly Price[]): Statement {
  return {
    text: `
      insert into app.prices (token, currency, price_time, price, symbol)
      select distinct on (token, currency, time) token, currency, time, price, symbol
      from jsonb_to_recordset($1::jsonb) as j (token text, currency text, time timestamptz, price numeric, symbol text)
      on conflict (token, currency, price_time) do update set price = excluded.price, symbol = excluded.symbol`,
    values: [JSON.stringify(prices)],
  }
}

export function priceFeedWorker({ url, refreshMs }: PriceFeed): EnrichmentWorker {
  return {
    name: 'price_feed_worker',
    description: 'Token prices from an external source',
    tables: [
      {
        table: 'app.price_feeds',
        key: [{ column: 'feed', type: 'text' }],
        columns: [{ column: 'price_count', type: 'integer' }],
        batch: 1,
        refresh: { ...refreshPolicy(refreshMs), maxFailedMs: Math.max(refreshMs, 60_000) },
        newest: `select 'default'::text as feed limit $1`,
        query: async (rows, { readJson, signal }) => {
          const prices = readPrices(await readJson(url, signal), new Date())
          return rows.map(() => ({
            kind: 'answered',
            values: { price_count: prices.length },
            writes: [storePrices(prices)],
          }))
        },
      },
    ],
  }
}
