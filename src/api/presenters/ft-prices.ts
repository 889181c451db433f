import { z } from 'zod'
import { contractParts } from '../formats/contract-parts.ts'
import { dayFormat } from '../parameters/day-range.ts'
import { amountFormat, timestampFormat } from '../formats/formats.ts'
import type { TokenPrices } from '../queries/ft-prices.ts'
import { tokenFormat } from './fungible-token.ts'

const priceFormat = amountFormat.describe('US dollars for one whole token, as decimal text.')

const assetPricesSchema = z
  .strictObject({
    current: priceFormat,
    as_of: timestampFormat.describe('The time for which the feed gave it.'),
    history: z
      .array(z.strictObject({ date: dayFormat, price: priceFormat }))
      .describe('The last price of each day, the earliest first; days without one are left out.'),
    identifiers: z
      .array(tokenFormat)
      .describe('Tokens that have the symbol; the prices are those of the one with the newest.'),
  })
  .meta({ id: 'AssetPrices' })

/** Prices by the symbol of the token, upper case. */
export const ftPricesSchema = z.record(z.string(), assetPricesSchema).meta({ id: 'FtPrices' })
export type FtPrices = z.output<typeof ftPricesSchema>

/** @param rows one for each token */
export function presentFtPrices(rows: readonly TokenPrices[]): FtPrices {
  const bySymbol = new Map<string, TokenPrices[]>()
  for (const row of rows) {
    const symbol = row.symbol ?? contractParts(row.token).name.toUpperCase()
    bySymbol.set(symbol, [...(bySymbol.get(symbol) ?? []), row])
  }
  return Object.fromEntries(
    [...bySymbol].map(([symbol, tokens]) => {
      const newest = tokens.reduce((best, row) => (row.price_time > best.price_time ? row : best))
      return [
        symbol,
        {
          current: newest.price,
          as_of: newest.price_time,
          history: newest.days.map((date, i) => ({ date, price: newest.prices[i] ?? newest.price })),
          identifiers: tokens.map(({ token }) => token),
        },
      ]
    }),
  )
}
