import { z } from 'zod'
import { inlineMetadata } from '../../flow/evm/token-uri.ts'
import { isWrappedFlow } from '../../flow/evm/evm-token-transfers.ts'
import type { Network } from '../../flow/network.ts'
import {
  multiplyDecimals,
  amountFormat,
  countFormat,
  heightFormat,
  idFormat,
  timestampFormat,
  addressFormat,
} from '../formats.ts'

const evmAddressFormat = z
  .string()
  .regex(/^0x[0-9a-f]{40}$/)
  .describe('0x and 40 hex digits, lower case.')
export const evmHashFormat = z
  .string()
  .regex(/^0x[0-9a-f]{64}$/)
  .describe('0x and 64 hex digits.')
export const evmDigitsFormat = z
  .string()
  .regex(/^[0-9a-f]{40}$/)
  .describe('40 hex digits, no 0x.')

export const evmPartySchema = z
  .strictObject({
    hash: evmAddressFormat,
    name: z.string().nullable().describe('Label of the address or name of the token; null if unknown.'),
    is_contract: z.boolean().nullable().describe('Null if unknown, as for contracts created by contracts.'),
    flow_address: addressFormat.nullable().describe('Flow account that owns the COA; null if unknown.'),
  })
  .meta({ id: 'EvmAddressReference' })
export type EvmParty = z.output<typeof evmPartySchema>

export const evmAddressFacts = z.object({
  address: z.string(),
  name: z.string().nullable(),
  flow_address: z.string().nullable(),
  is_coa: z.boolean(),
  is_contract: z.boolean(),
  has_signed: z.boolean(),
  is_verified: z.boolean(),
})
type EvmAddressFacts = z.output<typeof evmAddressFacts>

/** Keyed by 40 hex digits. */
export type EvmDirectory = ReadonlyMap<string, EvmAddressFacts>

/** Source: onflow/flow-go `fvm/evm/types/address.go`, `fvm/evm/precompiles`. */
const nativeAccounts: Readonly<Record<string, string>> = {
  '0000000000000000000000010000000000000000': 'FLOW bridge',
  '0000000000000000000000010000000000000001': 'Cadence Arch',
  '0000000000000000000000020000000000000000': 'COA factory',
  '0000000000000000000000030000000000000000': 'Gas fee collector',
}

export function presentEvmParty(address: string, directory: EvmDirectory): EvmParty
export function presentEvmParty(address: string | null, directory: EvmDirectory): EvmParty | null
export function presentEvmParty(address: string | null, directory: EvmDirectory): EvmParty | null {
  if (address === null) return null
  const facts = directory.get(address)
  return {
    hash: `0x${address}`,
    name: facts?.name ?? nativeAccounts[address] ?? null,
    is_contract: facts === undefined ? null : isContract(facts),
    flow_address: facts?.flow_address ?? null,
  }
}

/** Accounts that sign have no code, except by EIP-7702. */
export function isContract(facts: EvmAddressFacts): boolean | null {
  if (facts.is_coa || facts.is_contract) return true
  return facts.has_signed ? false : null
}

export const tokenStandards = ['ERC-20', 'ERC-721', 'ERC-1155'] as const
export type TokenStandardName = (typeof tokenStandards)[number]
export const tokenStandardFormat = z.enum(tokenStandards)

export const evmTokenRefSchema = z
  .strictObject({
    address: evmAddressFormat,
    type: tokenStandardFormat.describe('Standard of its logs.'),
    name: z.string().nullable().describe('From the contract, else from the Flow token associated by the bridge.'),
    symbol: z.string().nullable(),
    decimals: z.int().nullable().describe('ERC-20 only; null if unknown, so amounts are raw units.'),
    icon_url: z.string().nullable(),
    flow_token: z.string().nullable().describe('Flow token associated by the bridge, A.<address>.<name>.'),
  })
  .meta({ id: 'EvmTokenReference' })
export type EvmTokenRef = z.output<typeof evmTokenRefSchema>

export const evmTokenSchema = evmTokenRefSchema
  .extend({
    holders: countFormat.describe('Addresses with a positive balance.'),
    transfer_count: countFormat.describe('Transfers, mints and burns; each entry of a batch counts.'),
    first_height: heightFormat.describe('Flow block of the first indexed transfer.'),
    is_complete: z
      .boolean()
      .describe(
        'False: transfers are missing, from before the indexed history or because the contract moves balances ' +
          'without logs.',
      ),
    total_supply: amountFormat.nullable().describe('From the contract, in raw units; null if unknown.'),
    detected_type: tokenStandardFormat
      .nullable()
      .describe('Standard that the contract reports by ERC-165, or ERC-20 by its behaviour; null if unknown.'),
    exchange_rate: amountFormat.nullable().describe('Current price in US dollars; null if unknown.'),
  })
  .meta({ id: 'EvmToken' })
export type EvmToken = z.output<typeof evmTokenSchema>

export const evmTokenRefRow = z.object({
  token: z.string(),
  standard: z.number(),
  name: z.string().nullable(),
  symbol: z.string().nullable(),
  decimals: z.number().nullable(),
  icon_url: z.string().nullable(),
  flow_token: z.string().nullable(),
})
export type EvmTokenRefRow = z.output<typeof evmTokenRefRow>

export const evmTokenRow = evmTokenRefRow.extend({
  holder_count: z.number(),
  transfer_count: z.number(),
  first_height: z.number(),
  short_count: z.number(),
  total_supply: z.string().nullable(),
  detected_standard: z.number().nullable(),
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
    decimals: row.standard === 20 ? (row.decimals ?? (isWrapped ? wrappedFlowDecimals : null)) : null,
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
    total_supply: row.total_supply,
    detected_type: row.detected_standard === null ? null : standardName(row.detected_standard),
    exchange_rate: row.exchange_rate,
  }
}

/** Null if the decimals are unknown. */
export function wholeAmount(value: string, { type, decimals }: Pick<EvmTokenRef, 'type' | 'decimals'>): string | null {
  if (type !== 'ERC-20' || decimals === 0) return value
  return decimals === null ? null : multiplyDecimals(value, `0.${'1'.padStart(decimals, '0')}`)
}

export const wholeAmountFormat = amountFormat
  .nullable()
  .describe('In whole tokens; null if the decimals are unknown. ERC-721 and ERC-1155: as value.')

/** Untrusted. */
export const itemMetadataSchema = z.strictObject({
  token_uri: z.string().nullable().describe('URI of its metadata, from the contract; null if unknown.'),
  name: z.string().nullable().describe('From metadata inside token_uri; else null.'),
  image_url: z.string().nullable().describe('From metadata inside token_uri; else null. Treat it as untrusted.'),
})

export function presentItemMetadata(uri: string | null): z.output<typeof itemMetadataSchema> {
  const { name, image } = inlineMetadata(uri)
  return { token_uri: uri, name, image_url: image }
}

export const exampleItemMetadata: z.output<typeof itemMetadataSchema> = {
  token_uri: 'https://items.example.org/1204.json',
  name: null,
  image_url: null,
}

export function standardName(number: number): TokenStandardName {
  const name = tokenStandards.find((one) => one === `ERC-${number}`)
  if (name === undefined) throw new RangeError(`no token standard has the number ${number}`)
  return name
}

export function standardNumber(name: TokenStandardName): number {
  return Number(name.slice('ERC-'.length))
}

export const evmTokenTransferSchema = z
  .strictObject({
    transaction_hash: evmHashFormat,
    transaction_id: idFormat.describe('Flow transaction.'),
    block_height: heightFormat.describe('Flow block.'),
    transaction_index: countFormat,
    event_index: countFormat,
    log_index: countFormat.describe('Index of the log in the EVM transaction.'),
    batch_index: countFormat.describe('Index within a batch log.'),
    timestamp: timestampFormat,
    type: z.enum(['token_transfer', 'token_minting', 'token_burning']),
    from: evmPartySchema.nullable().describe('Null for mints.'),
    to: evmPartySchema.nullable().describe('Null for burns.'),
    token: evmTokenRefSchema,
    total: z.strictObject({
      value: amountFormat.describe('ERC-20: raw units. ERC-721: 1. ERC-1155: number of items.'),
      decimals: z.int().nullable().describe('Null if unknown or not ERC-20.'),
      amount: wholeAmountFormat,
      token_id: amountFormat.nullable().describe('Token id; null for ERC-20.'),
    }),
  })
  .meta({ id: 'EvmTokenTransfer' })
export type EvmTokenTransferItem = z.output<typeof evmTokenTransferSchema>

export const evmTokenTransferRow = evmTokenRefRow.extend({
  block_height: z.number(),
  tx_index: z.number(),
  event_index: z.number(),
  log_index: z.number(),
  batch_index: z.number(),
  tx_id: z.string(),
  evm_hash: z.string(),
  timestamp: z.string(),
  from_address: z.string().nullable(),
  to_address: z.string().nullable(),
  token_id: z.string().nullable(),
  amount: z.string(),
})
export type EvmTokenTransferRow = z.output<typeof evmTokenTransferRow>

export function presentEvmTokenTransfer(
  row: EvmTokenTransferRow,
  directory: EvmDirectory,
  network: Network,
): EvmTokenTransferItem {
  const token = presentEvmTokenRef(row, network)
  return {
    transaction_hash: `0x${row.evm_hash}`,
    transaction_id: row.tx_id,
    block_height: row.block_height,
    transaction_index: row.tx_index,
    event_index: row.event_index,
    log_index: row.log_index,
    batch_index: row.batch_index,
    timestamp: row.timestamp,
    type: typeOf(row),
    from: presentEvmParty(row.from_address, directory),
    to: presentEvmParty(row.to_address, directory),
    token,
    total: {
      value: row.amount,
      decimals: token.decimals,
      amount: wholeAmount(row.amount, token),
      token_id: row.token_id,
    },
  }
}

function typeOf(row: EvmTokenTransferRow): EvmTokenTransferItem['type'] {
  if (row.from_address === null) return 'token_minting'
  return row.to_address === null ? 'token_burning' : 'token_transfer'
}
