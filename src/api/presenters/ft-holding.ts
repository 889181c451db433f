import { z } from 'zod'
import { contractParts } from '../formats/contract-parts.ts'
import { addressFormat, amountFormat, countFormat, heightFormat } from '../formats/formats.ts'
import { vaultDecimals, vaultType } from './ft-transfer.ts'
import { tokenFormat } from './fungible-token.ts'

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
        'What part that is of the total supply, 0 to 1; null where the contract does not say that, or was not asked yet.',
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

const unsaid = 'Null where the contract does not say it, or was not asked yet.'

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
