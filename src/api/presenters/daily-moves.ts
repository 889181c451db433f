import { z } from 'zod'
import { amountFormat, countFormat } from '../formats/formats.ts'
import { dayFormat } from '../parameters/day-range.ts'

const counted = 'without what the bridge locks up and gives back'

/** What moved of a fungible token on a day. */
export const tokenDaySchema = z
  .strictObject({
    date: dayFormat,
    transfer_count: countFormat.describe(`Transfers, without fees and ${counted}.`),
    volume: amountFormat.describe('Whole tokens that they moved.'),
    usd_volume: amountFormat
      .nullable()
      .describe('In US dollars, at the last price of that day or the day before; null where none is known.'),
  })
  .meta({ id: 'FungibleTokenDay' })
export type TokenDay = z.output<typeof tokenDaySchema>

/** How often items of a collection moved on a day. */
export const collectionDaySchema = z
  .strictObject({
    date: dayFormat,
    transfer_count: countFormat.describe(`Transfers, ${counted}.`),
  })
  .meta({ id: 'NftCollectionDay' })
export type CollectionDay = z.output<typeof collectionDaySchema>

export const dailyMovesRow = z.object({
  day: z.string(),
  count: z.number(),
  amount: z.string(),
  usd: z.string().nullable(),
})
export type DailyMovesRow = z.output<typeof dailyMovesRow>

export function presentTokenDay({ day, count, amount, usd }: DailyMovesRow): TokenDay {
  return { date: day, transfer_count: count, volume: amount, usd_volume: usd }
}

export function presentCollectionDay({ day, count }: DailyMovesRow): CollectionDay {
  return { date: day, transfer_count: count }
}
