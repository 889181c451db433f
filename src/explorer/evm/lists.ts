import type { DatabasePool } from 'slonik'
import { z } from 'zod'
import { readBoundsOfDays } from '../paging/bounds.ts'
import type { DayFilter } from '../paging/bounds.ts'
import { eventCursor, parseEventCursor } from '../paging/event-pages.ts'
import { page, pageUpTo } from '../paging/pages.ts'
import type { List } from '../paging/pages.ts'
import { dayFilters, limitParameter, textParameter } from '../parameters.ts'
import type { Services } from '../route.ts'
import { readEvmContext, readSelectors } from './context.ts'
import { describeEvmAddresses, listEvmTransactions } from './queries.ts'
import type { EvmTransactionSelection } from './queries.ts'
import { presentEvmTransaction, readStoredCalls } from './schema.ts'
import type { EvmInternalTransaction, EvmTransactionItem, EvmTransactionRow } from './schema.ts'
import { evmTransferCursor, listEvmTokenTransfers, parseEvmTransferCursor } from './token-queries.ts'
import { presentEvmParty, presentEvmTokenTransfer } from './token-schema.ts'
import type { EvmTokenTransferItem } from './token-schema.ts'

const listParameters = { limit: limitParameter({ default: 20, max: 100 }), ...dayFilters }

/** Names of Solidity have letters, digits, _ and $. */
const methodForm = /^(0[xX][0-9a-fA-F]{8}|[A-Za-z_$][A-Za-z0-9_$]{0,99}(\([A-Za-z0-9,()[\]]{0,400}\))?)$/
const methodProblem = 'must be a name, a signature such as transfer(address,uint256), or 0x and 8 hex digits'

export const transactionListParameters = {
  ...listParameters,
  status: z.enum(['ok', 'error'], 'must be ok or error').optional().describe('Result of the transaction.'),
  type: z
    .enum(['0', '1', '2', '4', '255'], 'must be 0, 1, 2, 4 or 255')
    .transform(Number)
    .optional()
    .describe('0 legacy, 1 access list, 2 dynamic fee, 4 set code, 255 direct call without signature.'),
  method: textParameter(methodForm, methodProblem, (text) => (/^0x/i.test(text) ? text.toLowerCase() : text))
    .optional()
    .describe(
      'Called function: name (of common functions and of verified contracts, in any case), signature such as ' +
        '`transfer(address,uint256)`, or selector, 0x and 8 hex digits.',
    ),
  cursor: eventCursor.parameter,
}
export const transferListParameters = { ...listParameters, cursor: evmTransferCursor.parameter }

export const directionParameter = z
  .enum(['sent', 'received'], 'must be sent or received')
  .optional()
  .describe('Sent or received by the address.')

interface ListQuery extends DayFilter {
  readonly limit: number
  readonly cursor?: string | undefined
}

interface TransactionListQuery extends ListQuery, Pick<EvmTransactionSelection, 'status' | 'type'> {
  readonly method?: string | undefined
}

export async function pageOfTransactions(
  { database }: Services,
  of: Pick<EvmTransactionSelection, 'address' | 'direction'>,
  { limit, cursor, method, status, type, ...days }: TransactionListQuery,
): Promise<List<EvmTransactionItem>> {
  const [bounds, methods] = await Promise.all([
    readBoundsOfDays(database, days),
    method === undefined ? undefined : readSelectors(database, method),
  ])
  if (methods?.length === 0) return pageUpTo([], limit, '')
  const selection = { ...of, status, type, methods }
  const found = await listEvmTransactions(database, bounds, selection, parseEventCursor(cursor), limit + 1)
  const rows = found.rows.slice(0, limit)
  const last = found.rows.length > limit ? rows.at(-1) : found.stoppedAt
  const context = await readEvmContext(database, { transactions: rows })
  const data = rows.map((row) => presentEvmTransaction(row, context))
  return pageUpTo(data, limit, last === undefined ? '' : eventCursor.format(last))
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

export const internalNote =
  'Events record only calls of contracts that are built into Flow, not calls and transfers between other contracts.'

/** A page of internal transactions has those of up to `limit` transactions. */
export const internalListParameters = { ...listParameters, cursor: eventCursor.parameter }

export async function pageOfInternalTransactions(
  { database }: Services,
  of: Pick<EvmTransactionSelection, 'address' | 'direction'>,
  { limit, cursor, ...days }: ListQuery,
): Promise<List<EvmInternalTransaction>> {
  const bounds = await readBoundsOfDays(database, days)
  const found = await listEvmTransactions(database, bounds, of, parseEventCursor(cursor), limit + 1)
  const rows = found.rows.slice(0, limit)
  const last = found.rows.length > limit ? rows.at(-1) : found.stoppedAt
  const data = await readInternalTransactions(database, rows)
  return pageUpTo(data, limit, last === undefined ? '' : eventCursor.format(last))
}

export async function readInternalTransactions(
  database: DatabasePool,
  rows: ReadonlyArray<Pick<EvmTransactionRow, 'evm_hash' | 'evm_block_height' | 'precompiled_calls'>>,
): Promise<EvmInternalTransaction[]> {
  const calls = rows.flatMap((row) =>
    readStoredCalls(row.precompiled_calls).map((call, index) => ({ ...call, row, index })),
  )
  const directory = await describeEvmAddresses(
    database,
    calls.map(({ address }) => address),
  )
  return calls.map(({ address, output, error, row, index }) => ({
    transaction_hash: `0x${row.evm_hash}`,
    block_number: row.evm_block_height,
    index,
    type: 'call',
    from: null,
    to: { ...presentEvmParty(address, directory), is_contract: true },
    success: error === '',
    error: error === '' ? null : error,
    output: `0x${Buffer.from(output).toString('hex')}`,
  }))
}
