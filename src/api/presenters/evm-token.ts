import { z } from 'zod'
import { isWrappedFlow } from '../../chain/evm/wrapped-flow.ts'
import type { Network } from '../../chain/network.ts'
import { amountFormat, countFormat, heightFormat } from '../formats/formats.ts'
import { evmAddressFormat } from './evm-address.ts'

export const tokenStandards = ['ERC-20', 'ERC-721', 'ERC-1155'] as const
export type TokenStandardName = (typeof tokenStandards)[number]
export const tokenStandardFormat = z.enum(tokenStandards)

/** A token as it is named beside transfers and holdings. */
export const evmTokenRefSchema = z
  .strictObject({
    address: evmAddressFormat,
    type: tokenStandardFormat.describe('By which its logs are written.'),
    name: z
      .string()
      .nullable()
      .describe('Of tokens that the bridge has associated with a Flow token; null for others.'),
    symbol: z.string().nullable(),
    decimals: z
      .int()
      .nullable()
      .describe('Known for wrapped FLOW only. Null: unknown, so amounts can be shown only in raw units.'),
    icon_url: z.string().nullable(),
    flow_token: z
      .string()
      .nullable()
      .describe('The token of Flow that the bridge has associated with it: A.<address>.<name>.'),
  })
  .meta({ id: 'EvmTokenReference' })
export type EvmTokenRef = z.output<typeof evmTokenRefSchema>

/** A token of the EVM. */
export const evmTokenSchema = evmTokenRefSchema
  .extend({
    holders: countFormat.describe('Addresses with a balance above 0.'),
    transfer_count: countFormat.describe('Transfers, mints and burns; those of a batch each.'),
    first_height: heightFormat.describe('Flow block of its first transfer that is indexed.'),
    is_complete: z
      .boolean()
      .describe(
        'False: transfers are missing, those of before the indexed history or of a contract that moves balances without logs.',
      ),
    exchange_rate: amountFormat
      .nullable()
      .describe('Last price in USD of one whole token; null where the feed has none.'),
  })
  .meta({ id: 'EvmToken' })
export type EvmToken = z.output<typeof evmTokenSchema>

export const evmTokenRefRow = z.object({
  token: z.string(),
  standard: z.number(),
  name: z.string().nullable(),
  symbol: z.string().nullable(),
  icon_url: z.string().nullable(),
  flow_token: z.string().nullable(),
})
export type EvmTokenRefRow = z.output<typeof evmTokenRefRow>

export const evmTokenRow = evmTokenRefRow.extend({
  holder_count: z.number(),
  transfer_count: z.number(),
  first_height: z.number(),
  short_count: z.number(),
  exchange_rate: z.string().nullable(),
})
export type EvmTokenRow = z.output<typeof evmTokenRow>

const wrappedFlowDecimals = 18

export function presentEvmTokenRef(row: EvmTokenRefRow, network: Network): EvmTokenRef {
  const isWrapped = isWrappedFlow(row.token, network)
  return {
    address: `0x${row.token}`,
    type: standardName(row.standard),
    name: row.name ?? (isWrapped ? 'Wrapped Flow' : null),
    symbol: row.symbol ?? (isWrapped ? 'WFLOW' : null),
    decimals: isWrapped ? wrappedFlowDecimals : null,
    icon_url: row.icon_url,
    flow_token: row.flow_token,
  }
}

export function presentEvmToken(row: EvmTokenRow, network: Network): EvmToken {
  return {
    ...presentEvmTokenRef(row, network),
    holders: row.holder_count,
    transfer_count: row.transfer_count,
    first_height: row.first_height,
    is_complete: row.short_count === 0,
    exchange_rate: row.exchange_rate,
  }
}

export function standardName(number: number): TokenStandardName {
  const name = tokenStandards.find((one) => one === `ERC-${number}`)
  if (name === undefined) throw new RangeError(`no token standard has the number ${number}`)
  return name
}

export function standardNumber(name: TokenStandardName): number {
  return Number(name.slice('ERC-'.length))
}
