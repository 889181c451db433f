import { z } from 'zod'
import {
  contractParts,
  addressFormat,
  amountFormat,
  countFormat,
  heightFormat,
  pickFields,
  timestampFormat,
  timeAt,
} from '../formats.ts'
import { partyFormat, presentTransfer, transferFields, transferRowFields } from './transfer-lists.ts'
import { exampleBlock, exampleTransaction } from '../transactions/schema.ts'

export const tokenFormat = z
  .string()
  .regex(/^A\.[0-9a-f]{16}\.\w+(\.\w+)*$/)
  .describe('Token, `A.<address>.<name>`, or `A.<address>.<name>.<vault>` if the vault is not named Vault.')

const unpublished = 'Null if not published, or not read yet.'
const unpriced = 'Null without a price from the last 48 hours.'

export const fungibleTokenSchema = z
  .strictObject({
    id: tokenFormat,
    address: addressFormat.describe('Account that holds the contract.'),
    contract_name: z.string(),
    name: z.string().describe('Published name, else contract_name.'),
    symbol: z.string().nullable().describe(unpublished),
    decimals: z.int().describe('Always 8 for Cadence tokens.'),
    description: z.string().nullable().describe(unpublished),
    external_url: z.string().nullable().describe(unpublished),
    icon: z.string().nullable().describe(`Image URL. ${unpublished}`),
    logo: z.string().nullable().describe('Alias of icon.'),
    socials: z.record(z.string(), z.string()).nullable().describe(`URLs by social network. ${unpublished}`),
    vault_path: z.string().nullable().describe(`Storage path of the vault, /storage/…. ${unpublished}`),
    receiver_path: z.string().nullable().describe(`Path of the receiver capability, /public/…. ${unpublished}`),
    balance_path: z.string().nullable().describe(`Path of the balance capability, /public/…. ${unpublished}`),
    evm_address: z.string().nullable().describe('ERC-20 associated by the bridge, or null.'),
    evm_bridged: z.boolean().describe('Whether evm_address is set.'),
    is_verified: z.boolean().describe('Whether the contract account has a label.'),
    holder_count: countFormat.describe('Accounts with a positive balance.'),
    transfer_count: countFormat.describe('Indexed transfers, excluding fees.'),
    recent_transfer_count: countFormat.describe('Transfers in the last 24 indexed hours, excluding bridge escrow.'),
    recent_volume: amountFormat.describe('Tokens moved by the recent transfers.'),
    minted: amountFormat.describe('Tokens minted in indexed blocks.'),
    burned: amountFormat.describe('Tokens burned in indexed blocks.'),
    total_supply: amountFormat.nullable().describe(`Supply reported by the contract. ${unpublished}`),
    first_height: heightFormat.nullable().describe('Block of the first indexed transfer.'),
    deployed_at: timestampFormat
      .nullable()
      .describe('Time of the block that deployed the contract; null if not indexed.'),
    market_symbol: z.string().nullable().describe(`Symbol in the price feed. ${unpriced}`),
    current_price: amountFormat.nullable().describe(`Price in US dollars. ${unpriced}`),
    price_change_24h: z
      .number()
      .nullable()
      .describe('Price change over 24 hours, in percent, 2 decimals. Null if unknown.'),
    updated_at: timestampFormat.nullable().describe('When the metadata was last read from the contract.'),
  })
  .meta({ id: 'FungibleToken' })
export type FungibleToken = z.output<typeof fungibleTokenSchema>

/** `count` is the sort value. */
export const fungibleTokenRow = fungibleTokenSchema
  .omit({ id: true, address: true, contract_name: true, icon: true, evm_bridged: true, deployed_at: true })
  .extend({
    token: z.string(),
    count: z.string(),
    name: z.string().nullable(),
    decimals: z.int().nullable(),
    created_height: z.number().nullable(),
  })
export type FungibleTokenRow = z.output<typeof fungibleTokenRow>

export function presentFungibleToken(row: FungibleTokenRow, times: ReadonlyMap<number, string>): FungibleToken {
  const { address, name: contractName } = contractParts(row.token)
  return pickFields(fungibleTokenSchema, {
    ...row,
    id: row.token,
    address,
    contract_name: contractName,
    name: row.name ?? contractName,
    decimals: row.decimals ?? vaultDecimals,
    icon: row.logo,
    evm_bridged: row.evm_address !== null,
    deployed_at: timeAt(times, row.created_height),
  })
}

export const ftTransferTypes = [
  'transfer',
  'mint',
  'burn',
  'bridge',
  'escrow',
  'stake',
  'unstake',
  'reward',
  'deposit',
  'withdrawal',
] as const

const transferredTokenSchema = z
  .strictObject({
    token: z.string().describe('Vault type, `A.<address>.<contract>.Vault`.'),
    name: z.string().describe('Published name, else contract name.'),
    symbol: z.string().nullable().describe(unpublished),
    decimals: z.int(),
    logo: z.string().nullable().describe(`Image URL. ${unpublished}`),
    icon: z.string().nullable().describe('Alias of logo.'),
  })
  .meta({ id: 'TransferredToken' })

export const ftTransferSchema = z
  .strictObject({
    address: partyFormat.nullable().describe('Account of the list; null in lists over all accounts.'),
    ...transferFields,
    transfer_type: z
      .enum(ftTransferTypes)
      .describe(
        'transfer; mint; burn; bridge: into or out of Flow EVM; escrow: locked or released by the bridge; stake, ' +
          'unstake, reward: FLOW staking; deposit: unknown sender; withdrawal: unknown receiver.',
      ),
    amount: amountFormat.describe('Tokens, as a decimal string.'),
    approx_usd_price: amountFormat
      .nullable()
      .describe('Price in US dollars at the time of the transfer. Null without a price from the 48 hours before it.'),
    usd_value: amountFormat.nullable().describe('Value in US dollars at approx_usd_price.'),
    token: transferredTokenSchema,
  })
  .meta({ id: 'FtTransfer' })
export type FtTransfer = z.output<typeof ftTransferSchema>

export const ftTransferRow = z.object({
  ...transferRowFields,
  transfer_type: z.enum(ftTransferTypes),
  amount: z.string(),
  name: z.string().nullable(),
  symbol: z.string().nullable(),
  decimals: z.number().nullable(),
  logo: z.string().nullable(),
  usd_price: z.string().nullable(),
  usd_value: z.string().nullable(),
})
export type FtTransferRow = z.output<typeof ftTransferRow>

/** @param address account of the list */
export function presentFtTransfer(row: FtTransferRow, address?: string): FtTransfer {
  return {
    ...presentTransfer(row, address),
    transfer_type: row.transfer_type,
    amount: row.amount,
    approx_usd_price: row.usd_price,
    usd_value: row.usd_value,
    token: {
      token: vaultType(row.token),
      name: row.name ?? contractParts(row.token).name,
      symbol: row.symbol,
      decimals: row.decimals ?? vaultDecimals,
      logo: row.logo,
      icon: row.logo,
    },
  }
}

/** UFix64. */
const vaultDecimals = 8

/** Token ids omit `.Vault`. */
function vaultType(token: string): string {
  return token.split('.').length > 3 ? token : `${token}.Vault`
}

const completeness =
  'True: every vault balance was reported by an event. False: summed from transfers before Cadence 1.0, which may ' +
  'not all be indexed.'

export const ftHoldingSchema = z
  .strictObject({
    address: addressFormat,
    token: tokenFormat,
    balance: amountFormat.describe('Total of all vaults, including vaults nested in contracts and resources.'),
    percentage: z.number().nullable().describe('Share of the total supply, 0 to 1. Null if the supply is unknown.'),
    is_complete: z.boolean().describe(completeness),
  })
  .meta({ id: 'FtHolding' })
export type FtHolding = z.output<typeof ftHoldingSchema>

export const ftHoldingRow = ftHoldingSchema.omit({ token: true })
export type FtHoldingRow = z.output<typeof ftHoldingRow>

export function presentFtHolding(token: string, row: FtHoldingRow): FtHolding {
  return pickFields(ftHoldingSchema, { token, ...row })
}

const vaultFields = {
  id: z.string().describe('`<address>:<token>`.'),
  address: addressFormat,
  token: z.string().describe('Vault type, `A.<address>.<contract>.Vault`.'),
  name: z.string().describe('Published name, else contract name.'),
  symbol: z.string().nullable().describe(unpublished),
  decimals: z.int(),
  icon: z.string().nullable().describe(`Image URL. ${unpublished}`),
  logo: z.string().nullable().describe('Alias of icon.'),
  balance: amountFormat.describe('Total of all vaults, including vaults nested in contracts and resources.'),
  vault_count: countFormat.describe('Known vaults, including empty ones; 0 if they were only used before Cadence 1.0.'),
  path: z.string().nullable().describe(`Storage path of the vault, /storage/…. ${unpublished}`),
  is_complete: z.boolean().describe(completeness),
  usd_price: amountFormat.nullable().describe(`Price in US dollars. ${unpriced}`),
  usd_value: amountFormat.nullable().describe('Value of the balance in US dollars.'),
}

export const vaultSchema = z.strictObject(vaultFields).meta({ id: 'Vault' })
export type Vault = z.output<typeof vaultSchema>

export const vaultDetailSchema = vaultSchema
  .extend({
    block_height: heightFormat
      .nullable()
      .describe('Block of the last transfer of the token to or from the account, excluding fees.'),
  })
  .meta({ id: 'VaultDetail' })

export const vaultRow = vaultSchema
  .omit({ id: true, address: true, icon: true })
  .extend({ name: z.string().nullable(), decimals: z.int().nullable() })
export type VaultRow = z.output<typeof vaultRow>

export function presentVault(address: string, row: VaultRow): Vault {
  return pickFields(vaultSchema, {
    ...row,
    id: `${address}:${row.token}`,
    address,
    token: vaultType(row.token),
    name: row.name ?? contractParts(row.token).name,
    decimals: row.decimals ?? vaultDecimals,
    icon: row.logo,
  })
}

const icon =
  'https://cdn.jsdelivr.net/gh/FlowFans/flow-token-list@main/token-registry/A.1654653399040a61.FlowToken/logo.svg'

export const exampleFungibleToken: FungibleToken = {
  id: 'A.1654653399040a61.FlowToken',
  address: '0x1654653399040a61',
  contract_name: 'FlowToken',
  name: 'FLOW Network Token',
  symbol: 'FLOW',
  decimals: 8,
  description: 'FLOW is the native token of the Flow network.',
  external_url: 'https://flow.com',
  icon,
  logo: icon,
  socials: { twitter: 'https://twitter.com/flow_blockchain' },
  vault_path: '/storage/flowTokenVault',
  receiver_path: '/public/flowTokenReceiver',
  balance_path: '/public/flowTokenBalance',
  evm_address: null,
  evm_bridged: false,
  is_verified: true,
  holder_count: 36_214_880,
  transfer_count: 412_770_391,
  recent_transfer_count: 210_415,
  recent_volume: '8120044.19325012',
  minted: '356241877.19442310',
  burned: '12004.00000000',
  total_supply: '1618033988.74989484',
  first_height: 7_601_063,
  deployed_at: '2020-10-13T13:23:05.003Z',
  market_symbol: 'FLOW',
  current_price: '0.3412',
  price_change_24h: -1.25,
  updated_at: '2025-07-01T08:00:00.000Z',
}

export const exampleFtTransfer: FtTransfer = {
  address: null,
  transaction_hash: exampleTransaction.id,
  block_height: exampleBlock.height,
  tx_index: 0,
  event_index: 3,
  leg: 0,
  timestamp: exampleBlock.timestamp,
  sender: '0x18eb4ee6b3c026d2',
  receiver: '0xe467b9dd11fa00df',
  direction: 'deposit',
  transfer_type: 'transfer',
  amount: '10.00000000',
  approx_usd_price: '0.3412',
  usd_value: '3.412',
  token: {
    token: 'A.1654653399040a61.FlowToken.Vault',
    name: 'FLOW Network Token',
    symbol: 'FLOW',
    decimals: 8,
    logo: icon,
    icon,
  },
}

export const exampleFtTransferOfAccount: FtTransfer = {
  ...exampleFtTransfer,
  address: exampleFtTransfer.sender,
  direction: 'withdraw',
}

export const exampleFtHolding: FtHolding = {
  address: '0x8624b52f9ddcd04a',
  token: exampleFungibleToken.id,
  balance: '772319441.21340927',
  percentage: 0.477319,
  is_complete: true,
}

export const exampleVault: Vault = {
  id: `0x18eb4ee6b3c026d2:${exampleFungibleToken.id}`,
  address: '0x18eb4ee6b3c026d2',
  token: 'A.1654653399040a61.FlowToken.Vault',
  name: exampleFungibleToken.name,
  symbol: 'FLOW',
  decimals: 8,
  icon,
  logo: icon,
  balance: '100.00000000',
  vault_count: 1,
  path: '/storage/flowTokenVault',
  is_complete: true,
  usd_price: '0.3412',
  usd_value: '34.12',
}
