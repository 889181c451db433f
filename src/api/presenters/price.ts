import { z } from 'zod'
import { amountFormat, timestampFormat } from '../formats/formats.ts'

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
export const priceRow = z.object({
  token: z.string(),
  symbol: z.string().nullable(),
  price: z.string(),
  as_of: z.string(),
})
export type PriceRow = z.output<typeof priceRow>

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
