import { z } from 'zod'
import { contractParts } from '../formats/contract-parts.ts'
import { amountFormat } from '../formats/formats.ts'
import { partyFormat, presentTransfer, transferFields, transferRowFields } from './transfer.ts'

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
export const transferredTokenSchema = z
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
        'transfer; mint; burn; bridge: into Flow EVM or out of it; escrow: locked up by the bridge, or given out again; stake, ' +
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
export const vaultDecimals = 8

/** The type of a token's vaults: tokens are called by their contract, unless the vault has a name of its own. */
export function vaultType(token: string): string {
  return token.split('.').length > 3 ? token : `${token}.Vault`
}
