import { z } from 'zod'
import { addressFormat, amountFormat, countFormat } from '../formats/formats.ts'
import { multiplyDecimals } from '../formats/decimals.ts'
import { partyFormat } from './transfer-summary.ts'
import type { AssetNames } from './transfer-summary.ts'

const party = partyFormat.nullable().describe('Null: no account.')
const coaOwner = addressFormat.nullable().describe('The Flow account that owns this EVM account, where that is known.')

const moveFields = {
  from_address: party,
  to_address: party,
  event_index: countFormat,
  leg: countFormat.describe('Counts from 0 the movements that one event tells of.'),
  is_cross_vm: z.boolean().describe('Whether it went into EVM or out of it.'),
  from_coa_flow_address: coaOwner,
  to_coa_flow_address: coaOwner,
}

/** A movement of tokens within one transaction. */
export const fungibleMoveSchema = z
  .strictObject({
    token: z.string().describe('A.<address>.<name>'),
    amount: amountFormat.describe('In whole tokens.'),
    ...moveFields,
    transfer_type: z.enum([
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
    ]),
    token_name: z.string().nullable(),
    token_symbol: z.string().nullable(),
    token_logo: z.string().nullable(),
    token_decimals: z.int().nullable(),
    approx_usd_price: amountFormat.nullable().describe('Latest price of one whole token; null where none is known.'),
    usd_value: amountFormat.nullable(),
  })
  .meta({ id: 'FungibleMove' })
export type FungibleMove = z.output<typeof fungibleMoveSchema>

/** A movement of an item within one transaction. */
export const nonFungibleMoveSchema = z
  .strictObject({
    token: z.string().nullable().describe('Collection, A.<address>.<name>; null where no event tells.'),
    token_id: z.string().describe('Id of the item within its collection.'),
    ...moveFields,
    transfer_type: z.enum(['transfer', 'mint', 'burn', 'bridge', 'escrow', 'deposit', 'withdrawal']),
    collection_name: z.string().nullable(),
    collection_logo: z.string().nullable(),
  })
  .meta({ id: 'NonFungibleMove' })
export type NonFungibleMove = z.output<typeof nonFungibleMoveSchema>

const moveRow = z.object({
  event_index: z.number(),
  leg: z.number(),
  from_address: z.string().nullable(),
  to_address: z.string().nullable(),
})

/** As they are read from the database. */
export const fungibleMoveRow = moveRow.extend({
  token: z.string(),
  amount: z.string(),
  transfer_type: fungibleMoveSchema.shape.transfer_type,
})
export type FungibleMoveRow = z.output<typeof fungibleMoveRow>

export const nonFungibleMoveRow = moveRow.extend({
  token: z.string().nullable(),
  nft_id: z.string(),
  transfer_type: nonFungibleMoveSchema.shape.transfer_type,
})
export type NonFungibleMoveRow = z.output<typeof nonFungibleMoveRow>

/** Flow accounts by the EVM account that they own. */
export type CoaOwners = ReadonlyMap<string, string>

export function presentFungibleMove(row: FungibleMoveRow, names: AssetNames, owners: CoaOwners): FungibleMove {
  const known = names.tokens.get(row.token)
  const price = known?.price ?? null
  return {
    token: row.token,
    amount: row.amount,
    ...presentMove(row, owners),
    transfer_type: row.transfer_type,
    token_name: known?.name ?? null,
    token_symbol: known?.symbol ?? null,
    token_logo: known?.logo ?? null,
    token_decimals: known?.decimals ?? null,
    approx_usd_price: price,
    usd_value: price === null ? null : multiplyDecimals(row.amount, price),
  }
}

export function presentNonFungibleMove(row: NonFungibleMoveRow, names: AssetNames, owners: CoaOwners): NonFungibleMove {
  const known = row.token === null ? undefined : names.collections.get(row.token)
  return {
    token: row.token,
    token_id: row.nft_id,
    ...presentMove(row, owners),
    transfer_type: row.transfer_type,
    collection_name: known?.name ?? null,
    collection_logo: known?.logo ?? null,
  }
}

function presentMove(
  { event_index, leg, from_address: from, to_address: to }: z.output<typeof moveRow>,
  owners: CoaOwners,
): Pick<FungibleMove, keyof typeof moveFields> {
  return {
    from_address: from,
    to_address: to,
    event_index,
    leg,
    is_cross_vm: isEvmAccount(from) !== isEvmAccount(to),
    from_coa_flow_address: ownerOf(from, owners),
    to_coa_flow_address: ownerOf(to, owners),
  }
}

function isEvmAccount(address: string | null): boolean {
  return address !== null && address.length === 42
}

function ownerOf(address: string | null, owners: CoaOwners): string | null {
  return address === null ? null : (owners.get(address) ?? null)
}
