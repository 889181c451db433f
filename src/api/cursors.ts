import type { TransactionPlace } from './queries/transactions.ts'

/** Cursors are the sort key of the last item of a page, so that a page does not move while blocks arrive above it. */

export const blockCursorPattern = /^(\d{1,15})?$/
export const transactionCursorPattern = /^(\d{1,15}:\d{1,9}:[0-9a-f]{64})?$/i

/** @param cursor a text that `blockCursorPattern` accepts; the block with this height was the last one of a page */
export function parseBlockCursor(cursor: string | undefined): number | undefined {
  return cursor === undefined || cursor === '' ? undefined : Number(cursor)
}

/** @param cursor a text that `transactionCursorPattern` accepts; the id in it is for people, the place decides */
export function parseTransactionCursor(cursor: string | undefined): TransactionPlace | undefined {
  if (cursor === undefined || cursor === '') return undefined
  const [height, index] = cursor.split(':')
  return { height: Number(height), index: Number(index) }
}

export function formatTransactionCursor(row: { block_height: number; tx_index: number; id: string }): string {
  return `${row.block_height}:${row.tx_index}:${row.id}`
}
