import type { TransactionPlace } from '../queries/transactions.ts'

/** Cursors are the sort key of the last item of a page, so that a page does not move while blocks arrive above it. */

export const blockCursorPattern = /^(\d{1,15})?$/
export const transactionCursorPattern = /^(\d{1,15}:\d{1,9}:[0-9a-fA-F]{64})?$/

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

export const accountTransactionCursorPattern = /^(\d{1,15}:[0-9a-fA-F]{64})?$/
export const accountTransactionCursorForm = '<block_height>:<tx_id>'

/** @param cursor a text that `accountTransactionCursorPattern` accepts. The id has to be looked up in its block. */
export function parseAccountTransactionCursor(cursor: string | undefined): { height: number; id: string } | undefined {
  if (cursor === undefined || cursor === '') return undefined
  const [height, id = ''] = cursor.split(':')
  return { height: Number(height), id: id.toLowerCase() }
}

export function formatAccountTransactionCursor(row: { block_height: number; id: string }): string {
  return `${row.block_height}:${row.id}`
}

/** A place in the order of events; transfers that one event made have legs, counted from 0. */
export interface TransferPlace {
  readonly height: number
  readonly id: string
  readonly eventIndex: number
  readonly leg: number
}

export const transferCursorPattern = /^(\d{1,15}:[0-9a-fA-F]{64}:\d{1,9}(:\d{1,4})?)?$/
export const transferCursorForm = '<block_height>:<tx_id>:<event_index>[:<leg>]'

/**
 * @param cursor a text that `transferCursorPattern` accepts. The id has to be looked up in its block
 *   (`findTransactionInBlock`): the order within a block is that of its transactions.
 */
export function parseTransferCursor(cursor: string | undefined): TransferPlace | undefined {
  if (cursor === undefined || cursor === '') return undefined
  const [height, id = '', eventIndex, leg = 0] = cursor.split(':')
  return { height: Number(height), id: id.toLowerCase(), eventIndex: Number(eventIndex), leg: Number(leg) }
}

/** The leg is left out where it is the first, which nearly all are. */
export function formatTransferCursor({ height, id, eventIndex, leg }: TransferPlace): string {
  return `${height}:${id}:${eventIndex}${leg === 0 ? '' : `:${leg}`}`
}
