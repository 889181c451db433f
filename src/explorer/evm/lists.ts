import { z } from 'zod'
import { readBoundsOfDays } from '../paging/bounds.ts'
import type { DayFilter } from '../paging/bounds.ts'
import { eventCursor, parseEventCursor } from '../paging/event-pages.ts'
import { page } from '../paging/pages.ts'
import type { List } from '../paging/pages.ts'
import { dayFilters, limitParameter } from '../parameters.ts'
import type { Services } from '../route.ts'
import { readEvmContext } from './context.ts'
import { describeEvmAddresses, listEvmTransactions } from './queries.ts'
import { presentEvmTransaction } from './schema.ts'
import type { EvmTransactionItem } from './schema.ts'
import { evmTransferCursor, listEvmTokenTransfers, parseEvmTransferCursor } from './token-queries.ts'
import { presentEvmTokenTransfer } from './token-schema.ts'
import type { EvmTokenTransferItem } from './token-schema.ts'

const listParameters = { limit: limitParameter({ default: 20, max: 100 }), ...dayFilters }

export const transactionListParameters = { ...listParameters, cursor: eventCursor.parameter }
export const transferListParameters = { ...listParameters, cursor: evmTransferCursor.parameter }

export const directionParameter = z
  .enum(['sent', 'received'], 'must be sent or received')
  .optional()
  .describe('Sent or received by the address.')

interface ListQuery extends DayFilter {
  readonly limit: number
  readonly cursor?: string | undefined
}

export async function pageOfTransactions(
  { database }: Services,
  selection: Parameters<typeof listEvmTransactions>[2],
  { limit, cursor, ...days }: ListQuery,
): Promise<List<EvmTransactionItem>> {
  const bounds = await readBoundsOfDays(database, days)
  const rows = await listEvmTransactions(database, bounds, selection, parseEventCursor(cursor), limit + 1)
  const context = await readEvmContext(database, { transactions: rows })
  return page(rows, limit, (row) => presentEvmTransaction(row, context), eventCursor.format)
}

export async function pageOfTransfers(
  { database, network }: Services,
  selection: Parameters<typeof listEvmTokenTransfers>[2],
  { limit, cursor, ...days }: ListQuery,
): Promise<List<EvmTokenTransferItem>> {
  const bounds = await readBoundsOfDays(database, days)
  const rows = await listEvmTokenTransfers(database, bounds, selection, parseEvmTransferCursor(cursor), limit + 1)
  const directory = await describeEvmAddresses(
    database,
    rows.flatMap((row) => [row.from_address, row.to_address]),
  )
  return page(rows, limit, (row) => presentEvmTokenTransfer(row, directory, network()), evmTransferCursor.format)
}
