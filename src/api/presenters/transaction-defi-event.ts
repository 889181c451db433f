import { z } from 'zod'
import { amountFormat, countFormat } from '../formats/formats.ts'
import type { AssetNames } from './transfer-summary.ts'

const asset = z.string().nullable().describe('Token, A.<address>.<name>; null where nothing tells.')
const amount = amountFormat.nullable()

/** What happened to a pair of tokens within one transaction. */
export const defiEventSchema = z
  .strictObject({
    event_type: z.string().describe('Swap, AddLiquidity, RemoveLiquidity, Flashloan, ProtocolFee.'),
    event_index: countFormat,
    pair_id: z.string(),
    dex: z.string().nullable(),
    maker: z.string().nullable(),
    asset0_id: asset,
    asset1_id: asset,
    asset0_symbol: z.string().nullable(),
    asset1_symbol: z.string().nullable(),
    asset0_name: z.string().nullable(),
    asset1_name: z.string().nullable(),
    asset0_logo: z.string().nullable(),
    asset1_logo: z.string().nullable(),
    asset0_in: amount.describe('Whole tokens that went into the pair.'),
    asset0_out: amount.describe('Whole tokens that went out of the pair.'),
    asset1_in: amount,
    asset1_out: amount,
  })
  .meta({ id: 'TransactionDefiEvent' })
export type TransactionDefiEvent = z.output<typeof defiEventSchema>

/** As it is read from the database. */
export const defiEventRow = z.object({
  event_type: z.string(),
  event_index: z.number(),
  pair: z.string(),
  dex: z.string().nullable(),
  maker: z.string().nullable(),
  asset0: z.string().nullable(),
  asset1: z.string().nullable(),
  asset0_in: z.string().nullable(),
  asset0_out: z.string().nullable(),
  asset1_in: z.string().nullable(),
  asset1_out: z.string().nullable(),
})
export type DefiEventRow = z.output<typeof defiEventRow>

export function presentDefiEvent(row: DefiEventRow, { tokens }: AssetNames): TransactionDefiEvent {
  const [first, second] = [row.asset0, row.asset1].map((token) => (token === null ? undefined : tokens.get(token)))
  return {
    event_type: row.event_type,
    event_index: row.event_index,
    pair_id: row.pair,
    dex: row.dex,
    maker: row.maker,
    asset0_id: row.asset0,
    asset1_id: row.asset1,
    asset0_symbol: first?.symbol ?? null,
    asset1_symbol: second?.symbol ?? null,
    asset0_name: first?.name ?? null,
    asset1_name: second?.name ?? null,
    asset0_logo: first?.logo ?? null,
    asset1_logo: second?.logo ?? null,
    asset0_in: row.asset0_in,
    asset0_out: row.asset0_out,
    asset1_in: row.asset1_in,
    asset1_out: row.asset1_out,
  }
}
