import type { DatabasePool } from 'slonik'
import { ApiError } from '../../base/errors.ts'
import { formatTransferCursor, parseTransferCursor } from './cursors.ts'
import type { TransferKey } from '../queries/transfer-pages.ts'
import { findTransactionInBlock } from '../queries/transactions.ts'

/**
 * The place that a cursor of transfers means. The cursor names the transaction by its id, and the order goes by its position,
 * which its block tells.
 * @param cursor a text that `transferCursorPattern` accepts
 * @returns undefined for the first page
 * @throws ApiError 400 where the block has no such transaction, also because the chain was rolled back since
 */
export async function findTransferKey(
  database: DatabasePool,
  cursor: string | undefined,
): Promise<TransferKey | undefined> {
  const place = parseTransferCursor(cursor)
  if (place === undefined) return undefined
  const transaction = await findTransactionInBlock(database, place.id, place.height)
  if (transaction === undefined) {
    throw new ApiError(
      400,
      'invalid-parameter',
      `Parameter "cursor" names a transaction that block ${place.height} does not have; begin again without it.`,
      { field: 'cursor' },
    )
  }
  return { height: place.height, txIndex: transaction.index, eventIndex: place.eventIndex, leg: place.leg }
}

/** The cursor that continues after a transfer. */
export function transferCursorOf(row: {
  readonly block_height: number
  readonly transaction_hash: string
  readonly event_index: number
  readonly leg: number
}): string {
  return formatTransferCursor({
    height: row.block_height,
    id: row.transaction_hash,
    eventIndex: row.event_index,
    leg: row.leg,
  })
}
