import { z } from 'zod'
import { addressFormat, amountFormat, countFormat, heightFormat, idFormat, timestampFormat } from '../formats.ts'
import type { Marked } from '../transactions/events.ts'

const tokenFormat = z.string().describe('A.<address>.<name>')
const pairFormat = z
  .string()
  .describe('A.<address>.<contract>, followed by the pool account if one contract has several pools.')

export const dexKeys = ['incrementfi', 'bloctoswap', 'metapier'] as const
export const defiEventTypes = ['Swap', 'AddLiquidity', 'RemoveLiquidity', 'Flashloan', 'ProtocolFee'] as const

export const defiAssetSchema = z
  .strictObject({
    id: tokenFormat,
    symbol: z.string().nullable().describe('Null, like name and logo, if not published, or not read yet.'),
    name: z.string().nullable(),
    logo: z.string().nullable(),
    contract_name: z.string(),
    price_usd: amountFormat.nullable().describe('Current price in US dollars; null if unknown.'),
  })
  .meta({ id: 'DefiAsset' })
export type DefiAsset = z.output<typeof defiAssetSchema>

export const defiAssetRow = z.object({
  id: z.string(),
  symbol: z.string().nullable(),
  name: z.string().nullable(),
  logo: z.string().nullable(),
  price_usd: z.string().nullable(),
})
export type DefiAssetRow = z.output<typeof defiAssetRow>

export function presentDefiAsset(row: DefiAssetRow): DefiAsset {
  return { ...row, contract_name: row.id.split('.')[2] ?? '' }
}

export const defiPairSchema = z
  .strictObject({
    id: pairFormat,
    dex_key: z.enum(dexKeys).describe('Exchange.'),
    address: addressFormat.describe('Account that holds the reserves.'),
    asset0_id: tokenFormat.nullable().describe('Null if unknown.'),
    asset1_id: tokenFormat.nullable(),
    asset0_symbol: z.string().nullable(),
    asset1_symbol: z.string().nullable(),
    is_stable: z.boolean().nullable().describe('Whether it is a stable swap pair; null if unknown.'),
    fee_bps: z.number().nullable().describe('Swap fee in basis points; null if unknown.'),
    reserves_asset0: amountFormat
      .nullable()
      .describe(
        'Balance of its vault, according to transfer events; null if the vault of the pair is ambiguous, and before ' +
          'Cadence 1.0.',
      ),
    reserves_asset1: amountFormat.nullable(),
    price: amountFormat.nullable().describe('asset1 per asset0 in the last swap.'),
    swap_count_7d: countFormat.describe('Swaps in the seven UTC days up to the last day with any swap.'),
    volume_asset0_7d: amountFormat.describe('asset0 volume of those swaps, in plus out.'),
    volume_asset1_7d: amountFormat.describe('asset1 volume of those swaps, in plus out.'),
    created_height: heightFormat.nullable().describe('Block that created the pair; null if not indexed.'),
    last_height: heightFormat.describe('Block of the last event.'),
    updated_at: timestampFormat.nullable().describe('Time of the last event.'),
  })
  .meta({ id: 'DefiPair' })
export type DefiPair = z.output<typeof defiPairSchema>

export const defiPairRow = z.object({
  id: z.string(),
  dex: z.enum(dexKeys),
  address: z.string(),
  asset0: z.string().nullable(),
  asset1: z.string().nullable(),
  symbol0: z.string().nullable(),
  symbol1: z.string().nullable(),
  is_stable: z.boolean().nullable(),
  fee_bps: z.number().nullable(),
  reserve0: z.string().nullable(),
  reserve1: z.string().nullable(),
  price: z.string().nullable(),
  swap_count: z.number(),
  volume0: z.string(),
  volume1: z.string(),
  created_height: z.number().nullable(),
  last_height: z.number(),
  last_tx_index: z.number(),
  last_event_index: z.number(),
})
export type DefiPairRow = z.output<typeof defiPairRow>

export function presentDefiPair(row: DefiPairRow, times: ReadonlyMap<number, string>): DefiPair {
  return {
    id: row.id,
    dex_key: row.dex,
    address: row.address,
    asset0_id: row.asset0,
    asset1_id: row.asset1,
    asset0_symbol: row.symbol0,
    asset1_symbol: row.symbol1,
    is_stable: row.is_stable,
    fee_bps: row.fee_bps,
    reserves_asset0: row.reserve0,
    reserves_asset1: row.reserve1,
    price: row.price,
    swap_count_7d: row.swap_count,
    volume_asset0_7d: row.volume0,
    volume_asset1_7d: row.volume1,
    created_height: row.created_height,
    last_height: row.last_height,
    updated_at: times.get(row.last_height) ?? null,
  }
}

export const defiEventSchema = z
  .strictObject({
    block_height: heightFormat,
    transaction_id: idFormat,
    transaction_index: countFormat,
    event_index: countFormat,
    pair_id: pairFormat,
    event_type: z.enum(defiEventTypes).describe('ProtocolFee: liquidity tokens minted for the exchange.'),
    maker: addressFormat
      .nullable()
      .describe('First authorizer of the transaction, else its payer; null for system transactions.'),
    direction: z
      .enum(['asset0_to_asset1', 'asset1_to_asset0'])
      .nullable()
      .describe('Direction of a swap; null for other events.'),
    asset0_id: tokenFormat
      .nullable()
      .describe('Swap: first token of the pair. Liquidity: first moved token. Flash loan: borrowed token.'),
    asset1_id: tokenFormat.nullable(),
    asset0_symbol: z.string().nullable(),
    asset1_symbol: z.string().nullable(),
    asset0_in: amountFormat.nullable().describe('Tokens into or out of the pair; null if none or unknown.'),
    asset0_out: amountFormat.nullable(),
    asset1_in: amountFormat.nullable(),
    asset1_out: amountFormat.nullable(),
    lp_amount: amountFormat.nullable().describe('Minted or burned liquidity tokens.'),
    price_native: amountFormat.nullable().describe('Swap price: asset1 per asset0.'),
    timestamp: timestampFormat,
  })
  .meta({ id: 'DefiEvent' })
export type DefiEventItem = z.output<typeof defiEventSchema>

export const defiEventRow = z.object({
  block_height: z.number(),
  tx_index: z.number(),
  event_index: z.number(),
  pair: z.string(),
  event_type: z.enum(defiEventTypes),
  maker: z.string().nullable(),
  asset0: z.string().nullable(),
  asset1: z.string().nullable(),
  asset0_in: z.string().nullable(),
  asset0_out: z.string().nullable(),
  asset1_in: z.string().nullable(),
  asset1_out: z.string().nullable(),
  lp_amount: z.string().nullable(),
  price: z.string().nullable(),
})
export type DefiEventRow = z.output<typeof defiEventRow>

export function presentDefiEvent(
  { row, mark }: Marked<DefiEventRow>,
  symbols: ReadonlyMap<string, string | null>,
): DefiEventItem {
  return {
    block_height: row.block_height,
    transaction_id: mark.id,
    transaction_index: row.tx_index,
    event_index: row.event_index,
    pair_id: row.pair,
    event_type: row.event_type,
    maker: row.maker,
    direction: directionOf(row),
    asset0_id: row.asset0,
    asset1_id: row.asset1,
    asset0_symbol: symbolOf(row.asset0, symbols),
    asset1_symbol: symbolOf(row.asset1, symbols),
    asset0_in: row.asset0_in,
    asset0_out: row.asset0_out,
    asset1_in: row.asset1_in,
    asset1_out: row.asset1_out,
    lp_amount: row.lp_amount,
    price_native: row.price,
    timestamp: mark.timestamp,
  }
}

function directionOf(row: DefiEventRow): DefiEventItem['direction'] {
  if (row.event_type !== 'Swap') return null
  if (row.asset0_in !== null && row.asset1_out !== null) return 'asset0_to_asset1'
  return row.asset1_in !== null && row.asset0_out !== null ? 'asset1_to_asset0' : null
}

function symbolOf(token: string | null, symbols: ReadonlyMap<string, string | null>): string | null {
  return token === null ? null : (symbols.get(token) ?? null)
}
