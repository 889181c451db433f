import { z } from 'zod'
import {
  contractParts,
  addressFormat,
  amountFormat,
  countFormat,
  heightFormat,
  timestampFormat,
  timeAt,
} from '../formats.ts'
import { partyFormat, presentTransfer, transferFields, transferRowFields } from './transfer-lists.ts'
import { exampleBlock, exampleTransaction } from '../transactions/schema.ts'

/** `A.<address>.<name>`, and a further part where vaults of a contract are not named Vault. */
export const tokenFormat = z
  .string()
  .regex(/^A\.[0-9a-f]{16}\.\w+(\.\w+)*$/)
  .describe('Token, `A.<address>.<name>`; a further part where its vaults are not named Vault.')

const unsaid = 'Null where the contract does not say it, or was not asked yet.'
const unpriced = 'Null where no price of the last two days is known.'

/** A fungible token. */
export const fungibleTokenSchema = z
  .strictObject({
    id: tokenFormat,
    address: addressFormat.describe('Account of the contract.'),
    contract_name: z.string(),
    name: z.string().describe('What the contract calls the token, else contract_name.'),
    symbol: z.string().nullable().describe(unsaid),
    decimals: z.int().describe('Decimals of its amounts: 8, as all of the chain have.'),
    description: z.string().nullable().describe(unsaid),
    external_url: z.string().nullable().describe(unsaid),
    icon: z.string().nullable().describe(`Address of an image. ${unsaid}`),
    logo: z.string().nullable().describe('The same as icon; some clients of the Flow explorer API read this.'),
    socials: z.record(z.string(), z.string()).nullable().describe(`Addresses by the name of the network. ${unsaid}`),
    vault_path: z.string().nullable().describe(`Where accounts keep it, /storage/…. ${unsaid}`),
    receiver_path: z.string().nullable().describe(`Where it can be sent to, /public/…. ${unsaid}`),
    balance_path: z.string().nullable().describe(`Where the balance can be read, /public/…. ${unsaid}`),
    evm_address: z
      .string()
      .nullable()
      .describe('The ERC-20 that the bridge has associated with it; null where there is none.'),
    evm_bridged: z.boolean().describe('Whether there is one.'),
    is_verified: z.boolean().describe('Whether the account of the contract is a known one: it has a label.'),
    holder_count: countFormat.describe('Accounts with a balance above zero.'),
    transfer_count: countFormat.describe('Transfers that are indexed, fees aside.'),
    recent_transfer_count: countFormat.describe(
      'Those of the last 24 indexed hours, without what the bridge locks up and gives back.',
    ),
    recent_volume: amountFormat.describe('Whole tokens that those moved.'),
    minted: amountFormat.describe('Whole tokens that were minted, as far as it is indexed.'),
    burned: amountFormat.describe('Whole tokens that were burned, as far as it is indexed.'),
    total_supply: amountFormat.nullable().describe(`What the contract says that there is of it. ${unsaid}`),
    first_height: heightFormat.nullable().describe('Block of the first transfer that is indexed.'),
    deployed_at: timestampFormat
      .nullable()
      .describe('Time of the block that added the contract; null while not indexed.'),
    market_symbol: z.string().nullable().describe(`Symbol that the price feed gives it. ${unpriced}`),
    current_price: amountFormat.nullable().describe(`US dollars for one token. ${unpriced}`),
    price_change_24h: z
      .number()
      .nullable()
      .describe('Change to the price of a day before, in percent, 2 decimals. Null where that is not known.'),
    updated_at: timestampFormat.nullable().describe('When the contract was last asked what it says of the token.'),
  })
  .meta({ id: 'FungibleToken' })
export type FungibleToken = z.output<typeof fungibleTokenSchema>

/** A token as it is read from the database, with its count in the order of the list. */
export const fungibleTokenRow = z.object({
  token: z.string(),
  count: z.number(),
  name: z.string().nullable(),
  symbol: z.string().nullable(),
  decimals: z.number().nullable(),
  description: z.string().nullable(),
  external_url: z.string().nullable(),
  logo: z.string().nullable(),
  socials: z.record(z.string(), z.string()).nullable(),
  vault_path: z.string().nullable(),
  receiver_path: z.string().nullable(),
  balance_path: z.string().nullable(),
  evm_address: z.string().nullable(),
  total_supply: z.string().nullable(),
  asked_at: z.string().nullable(),
  is_verified: z.boolean(),
  holder_count: z.number(),
  transfer_count: z.number(),
  recent_count: z.number(),
  recent_amount: z.string(),
  minted: z.string(),
  burned: z.string(),
  first_height: z.number().nullable(),
  created_height: z.number().nullable(),
  market_symbol: z.string().nullable(),
  price: z.string().nullable(),
  price_change: z.number().nullable(),
})
export type FungibleTokenRow = z.output<typeof fungibleTokenRow>

/** @param times times of blocks by height; that in which the contract was created is among them */
export function presentFungibleToken(row: FungibleTokenRow, times: ReadonlyMap<number, string>): FungibleToken {
  const { token, name, symbol, description, external_url, socials, vault_path, receiver_path, balance_path } = row
  const contractName = contractParts(token).name
  return {
    id: token,
    address: contractParts(token).address,
    contract_name: contractName,
    name: name ?? contractName,
    symbol,
    decimals: row.decimals ?? vaultDecimals,
    description,
    external_url,
    icon: row.logo,
    logo: row.logo,
    socials,
    vault_path,
    receiver_path,
    balance_path,
    evm_address: row.evm_address,
    evm_bridged: row.evm_address !== null,
    is_verified: row.is_verified,
    holder_count: row.holder_count,
    transfer_count: row.transfer_count,
    recent_transfer_count: row.recent_count,
    recent_volume: row.recent_amount,
    minted: row.minted,
    burned: row.burned,
    total_supply: row.total_supply,
    first_height: row.first_height,
    deployed_at: timeAt(times, row.created_height),
    market_symbol: row.market_symbol,
    current_price: row.price,
    price_change_24h: row.price_change,
    updated_at: row.asked_at,
  }
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

/** What a transfer shows of its token. */
const transferredTokenSchema = z
  .strictObject({
    token: z.string().describe('Type of the vault: `A.<address>.<contract>.Vault`.'),
    name: z.string().describe('What the contract calls it, else the name of the contract.'),
    symbol: z
      .string()
      .nullable()
      .describe('Null, as those that follow, where the contract does not say it, or was not asked yet.'),
    decimals: z.int(),
    logo: z.string().nullable().describe('Address of an image.'),
    icon: z.string().nullable().describe('The same as logo.'),
  })
  .meta({ id: 'TransferredToken' })

/** A movement of a fungible token. */
export const ftTransferSchema = z
  .strictObject({
    address: partyFormat.nullable().describe('The account whose transfers are listed; null in lists of all.'),
    ...transferFields,
    transfer_type: z
      .enum(ftTransferTypes)
      .describe(
        'transfer; mint; burn; bridge: into Flow EVM or out of it; escrow: locked up by the bridge, or given out ' +
          'again; stake, ' +
          'unstake, reward: of FLOW; deposit: from where no event tells; withdrawal: to where no event tells.',
      ),
    amount: amountFormat.describe('Whole tokens, as decimal text.'),
    approx_usd_price: amountFormat
      .nullable()
      .describe('US dollars for one token: the last known price of the two days before it. Null where none is known.'),
    usd_value: amountFormat.nullable().describe('US dollars for the amount at that price.'),
    token: transferredTokenSchema,
  })
  .meta({ id: 'FtTransfer' })
export type FtTransfer = z.output<typeof ftTransferSchema>

/** A transfer as it is read from the database. */
export const ftTransferRow = z.object({
  ...transferRowFields,
  amount: z.string(),
  name: z.string().nullable(),
  symbol: z.string().nullable(),
  decimals: z.number().nullable(),
  logo: z.string().nullable(),
  usd_price: z.string().nullable(),
  usd_value: z.string().nullable(),
})
export type FtTransferRow = z.output<typeof ftTransferRow>

/** @param address the account whose transfers are listed */
export function presentFtTransfer(row: FtTransferRow, address?: string): FtTransfer {
  return {
    ...presentTransfer(row, address),
    transfer_type: z.enum(ftTransferTypes).parse(row.transfer_type),
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

/** Every vault counts in UFix64. */
const vaultDecimals = 8

/** The type of a token's vaults: tokens are called by their contract, unless the vault has a name of its own. */
function vaultType(token: string): string {
  return token.split('.').length > 3 ? token : `${token}.Vault`
}

const completeness =
  'True: the chain itself told the balance of each vault. False: a sum of movements of before Cadence ' +
  '1.0, which lacks what is not indexed.'

/** An account that has a token. */
export const ftHoldingSchema = z
  .strictObject({
    address: addressFormat,
    token: tokenFormat,
    balance: amountFormat.describe(
      'Whole tokens in all its vaults, those inside of its contracts and resources included.',
    ),
    percentage: z
      .number()
      .nullable()
      .describe(
        'What part that is of the total supply, 0 to 1; null where the contract does not say that, or was not ' +
          'asked yet.',
      ),
    is_complete: z.boolean().describe(completeness),
  })
  .meta({ id: 'FtHolding' })
export type FtHolding = z.output<typeof ftHoldingSchema>

export const ftHoldingRow = z.object({
  address: z.string(),
  balance: z.string(),
  is_complete: z.boolean(),
  percentage: z.number().nullable(),
})
export type FtHoldingRow = z.output<typeof ftHoldingRow>

export function presentFtHolding(token: string, row: FtHoldingRow): FtHolding {
  const { address, balance, percentage, is_complete } = row
  return { address, token, balance, percentage, is_complete }
}

const vaultFields = {
  id: z.string().describe('`<address>:<token>`.'),
  address: addressFormat,
  token: z.string().describe('Type of the vault: `A.<address>.<contract>.Vault`.'),
  name: z.string().describe('What the contract calls the token, else the name of the contract.'),
  symbol: z.string().nullable().describe(unsaid),
  decimals: z.int(),
  icon: z.string().nullable().describe(`Address of an image. ${unsaid}`),
  logo: z.string().nullable().describe('The same as icon.'),
  balance: amountFormat.describe(
    'Whole tokens in all its vaults, those inside of its contracts and resources included.',
  ),
  vault_count: countFormat.describe(
    'Vaults of the token that were seen in it last, empty ones included; 0 where it had them before Cadence 1.0.',
  ),
  path: z.string().nullable().describe(`Where accounts keep the vault, /storage/…. ${unsaid}`),
  is_complete: z.boolean().describe(completeness),
  usd_price: amountFormat
    .nullable()
    .describe('US dollars for one token; null where no price of the last two days is known.'),
  usd_value: amountFormat.nullable().describe('US dollars for the balance at that price.'),
}

/** The vaults of an account with one token. */
export const vaultSchema = z.strictObject(vaultFields).meta({ id: 'Vault' })
export type Vault = z.output<typeof vaultSchema>

/** The same by itself. */
export const vaultDetailSchema = vaultSchema
  .extend({
    block_height: heightFormat
      .nullable()
      .describe('Block of the last transfer of the token that the account gave or got; fees are none.'),
  })
  .meta({ id: 'VaultDetail' })

export const vaultRow = z.object({
  token: z.string(),
  balance: z.string(),
  vault_count: z.number(),
  is_complete: z.boolean(),
  name: z.string().nullable(),
  symbol: z.string().nullable(),
  decimals: z.number().nullable(),
  logo: z.string().nullable(),
  vault_path: z.string().nullable(),
  usd_price: z.string().nullable(),
  usd_value: z.string().nullable(),
})
export type VaultRow = z.output<typeof vaultRow>

export function presentVault(address: string, row: VaultRow): Vault {
  return {
    id: `${address}:${row.token}`,
    address,
    token: vaultType(row.token),
    name: row.name ?? contractParts(row.token).name,
    symbol: row.symbol,
    decimals: row.decimals ?? vaultDecimals,
    icon: row.logo,
    logo: row.logo,
    balance: row.balance,
    vault_count: row.vault_count,
    path: row.vault_path,
    is_complete: row.is_complete,
    usd_price: row.usd_price,
    usd_value: row.usd_value,
  }
}

/** Examples of the routes of fungible tokens. */

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

/** The same as the sender sees it. */
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
