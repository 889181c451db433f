import { z } from 'zod'
import type { TransferKey } from '../queries/transfer-pages.ts'
import { ftTransferSchema, presentFtTransfer } from './ft-transfer.ts'
import type { FtTransferRow } from './ft-transfer.ts'
import { nftTransferSchema, presentNftTransfer } from './nft-transfer.ts'
import type { NftTransferRow } from './nft-transfer.ts'

/** A movement of a fungible token or of an item that an account gave or got. */
export const accountTransferSchema = z.discriminatedUnion('type', [
  ftTransferSchema.extend({ type: z.literal('ft') }).meta({ id: 'AccountFtTransfer' }),
  nftTransferSchema.extend({ type: z.literal('nft') }).meta({ id: 'AccountNftTransfer' }),
])
export type AccountTransfer = z.output<typeof accountTransferSchema>

/** What an account paid for a transaction: a movement of FLOW that lists of transfers leave out. */
export const accountFeeSchema = ftTransferSchema
  .extend({ type: z.literal('fee'), transfer_type: z.literal('fee') })
  .meta({ id: 'AccountFee' })
export type AccountFee = z.output<typeof accountFeeSchema>

/** A transfer of either kind as it is read from the database. */
export type AccountTransferRow =
  | { readonly type: 'ft'; readonly row: FtTransferRow }
  | { readonly type: 'nft'; readonly row: NftTransferRow }

/** A fee as it is read from the database. */
export interface AccountFeeRow {
  readonly type: 'fee'
  readonly row: FtTransferRow
}

export function presentAccountTransfer(transfer: AccountTransferRow, address: string): AccountTransfer {
  return transfer.type === 'ft'
    ? { type: 'ft', ...presentFtTransfer(transfer.row, address) }
    : { type: 'nft', ...presentNftTransfer(transfer.row, address) }
}

export function presentAccountFee({ row }: AccountFeeRow, address: string): AccountFee {
  return { type: 'fee', ...presentFtTransfer({ ...row, transfer_type: 'transfer' }, address), transfer_type: 'fee' }
}

/** Where a transfer or a fee stands in the order of all. */
export function transferKeyOf({ row }: AccountTransferRow | AccountFeeRow): TransferKey {
  return { height: row.block_height, txIndex: row.tx_index, eventIndex: row.event_index, leg: row.leg }
}
