import { z } from 'zod'
import { ApiError } from '../../base/errors.ts'
import { cachingAt, readBounds } from '../paging/bounds.ts'
import type { Bounds } from '../paging/bounds.ts'
import { formatTransactionCursor, parseTransactionCursor, transactionCursorPattern } from '../paging/cursors.ts'
import { listOf, singleOf } from '../paging/envelope.ts'
import { exampleTransaction, exampleTransactionDetail } from '../examples/transactions.ts'
import { hashPattern } from '../formats/formats.ts'
import {
  accountParameter, cursorParameter, flagParameter, heightParameter, limitParameter, noParameters,
} from '../parameters/parameters.ts'
import { transactionSchema } from '../presenters/transaction.ts'
import type { CompleteTransaction } from '../presenters/transaction.ts'
import { presentTransactionDetail, transactionDetailSchema } from '../presenters/transaction-detail.ts'
import { completeTransactions } from '../queries/complete-transactions.ts'
import { readTransactionContent } from '../queries/transaction-content.ts'
import { transactionStatuses } from '../queries/transaction-filters.ts'
import {
  findTransaction, findTransactionInBlock, listTransactions, listTransactionsOfBlock, readTransaction,
  readTransactionExtras,
} from '../queries/transactions.ts'
import type { TransactionPlace } from '../queries/transactions.ts'
import { defineRoute } from '../route.ts'
import type { Services } from '../route.ts'
import { transactionPage } from '../paging/transaction-page.ts'

const lowerCaseStatuses = transactionStatuses.map((status) => status.toLowerCase() as Lowercase<typeof status>)

/** `status` as people write it. */
const statusParameter = z.enum([...transactionStatuses, ...lowerCaseStatuses], `must be one of ${transactionStatuses.join(', ')}`)
  .transform((status) => status.toUpperCase() as typeof transactionStatuses[number])
  .describe('SUCCESS or FAILURE of its execution; SEALED; UNKNOWN: no access node can serve its result.')

const transactionList = defineRoute({
  path: '/flow/transaction',
  operationId: 'listTransactions',
  tag: 'Transactions',
  summary: 'Transactions, the latest first',
  description: 'System transactions are among them. The two that end every block have the same id in each and no payer, ' +
    'for which the zero address stands.',
  params: noParameters,
  query: z.object({
    limit: limitParameter({ default: 20, max: 100 }),
    cursor: cursorParameter(transactionCursorPattern, '<block_height>:<tx_index>:<tx_id>'),
    height: heightParameter().optional().describe('Only transactions of this block.'),
    payer: accountParameter().optional().describe('Only transactions that this account paid for.'),
    proposer: accountParameter().optional().describe('Only transactions that this account proposed.'),
    authorizers: accountParameter().optional().describe('Only transactions that this account authorized, alone or with others.'),
    status: statusParameter.optional(),
    include_events: flagParameter('Whether the transactions come with their events.'),
  }),
  response: listOf(transactionSchema, 'Transaction'),
  example: {
    data: [exampleTransaction],
    has_more: true,
    cursor: `${exampleTransaction.block_height}:${exampleTransaction.transaction_index}:${exampleTransaction.id}`,
    _meta: { limit: 1, count: 1 },
  },
  handler: async ({ query }, services) => {
    const { limit, height, payer, proposer, authorizers: authorizer, status } = query
    const before = parseTransactionCursor(query.cursor)
    const filter = { payer, proposer, authorizer, status }
    const isFiltered = Object.values(filter).some((value) => value !== undefined)
    const { database } = services
    const options = { limit, includeEvents: query.include_events, cursorOf: formatTransactionCursor }
    if (isFiltered) return { body: await transactionPage({ filter, height, before }, options, services) }
    const rows = height === undefined
      ? await listTransactions(database, await readBounds(database), before, limit + 1)
      : await listTransactionsOfBlock(database, height, indexWithin(height, before), limit + 1)
    return { body: await transactionPage({ rows }, options, services) }
  },
})

/** The index that a cursor means inside one block: all of it when the cursor is above, none of it when it is below. */
function indexWithin(height: number, before: TransactionPlace | undefined): number | undefined {
  if (before === undefined || before.height > height) return undefined
  return before.height === height ? before.index : 0
}

const transactionDetail = defineRoute({
  path: '/flow/transaction/{id}',
  operationId: 'getTransaction',
  tag: 'Transactions',
  summary: 'One transaction with its events',
  description: 'The system transactions that end every block have the same id in each: without `height` those of the ' +
    'newest block are meant.',
  params: z.object({
    id: z.string().regex(hashPattern, 'must be a transaction id or an EVM hash: 64 hex digits, with or without 0x')
      .describe('Transaction id, or hash of an EVM transaction that it executed; with or without 0x.'),
  }),
  query: z.object({
    height: heightParameter().optional().describe('Height of the block, for a system transaction.'),
    lite: flagParameter('Whether script, arguments, events, transfers and all else that may be long is left out.'),
  }),
  response: singleOf(transactionDetailSchema, 'Transaction'),
  problems: { 404: 'The transaction is not stored.' },
  example: { data: [exampleTransactionDetail] },
  handler: async ({ params: { id }, query: { height, lite } }, services) => {
    const { database, network, maxReorgDepth } = services
    const bounds = await readBounds(database)
    const known = await (height === undefined
      ? findTransaction(database, id)
      : findTransactionInBlock(database, id, height))
    const place = known ?? (await findInNewestBlock(id, height, bounds, services))
    if (place === undefined) throw unknownTransaction(id)
    const reading = readTransaction(database, place)
    const complete = async (): Promise<CompleteTransaction | undefined> => {
      const row = await reading
      return row === undefined ? undefined : (await completeTransactions(database, network(), [row]))[0]
    }
    const [transaction, extras, content] = await Promise.all([
      complete(),
      readTransactionExtras(database, place),
      lite ? undefined : readTransactionContent(database, place, async () => (await reading)?.timestamp),
    ])
    if (transaction === undefined || extras === undefined) throw unknownTransaction(id)
    return {
      body: { data: [presentTransactionDetail(transaction, extras, content)] },
      // The newest block is soon another.
      caching: known === undefined ? 'revalidate' : cachingAt(place.height, bounds, maxReorgDepth),
    }
  },
})

function unknownTransaction(id: string): ApiError {
  return new ApiError(404, 'unknown-transaction', `Transaction ${id} is not stored.`, { field: 'id' })
}

/** The way to the system transactions that end every block with the same id. */
async function findInNewestBlock(
  id: string, height: number | undefined, bounds: Bounds | undefined, { database }: Services,
): Promise<TransactionPlace | undefined> {
  return height === undefined && bounds !== undefined ? findTransactionInBlock(database, id, bounds.max) : undefined
}

/** Transactions. */
export const transactionRoutes = [transactionList, transactionDetail]
