import type { DatabasePool } from 'slonik'
import { z } from 'zod'
import { ApiError } from '../../base/errors.ts'
import { readBounds } from '../paging/bounds.ts'
import { formatTransactionCursor, parseTransactionCursor, transactionCursorPattern } from '../paging/cursors.ts'
import { listOf, singleOf } from '../paging/envelope.ts'
import { exampleTransaction, exampleTransactionDetail } from '../examples/transactions.ts'
import { hashPattern } from '../formats/formats.ts'
import {
  accountParameter,
  cursorParameter,
  flagParameter,
  heightParameter,
  limitParameter,
  noParameters,
} from '../parameters/parameters.ts'
import { transactionSchema } from '../presenters/transaction.ts'
import type { CompleteTransaction } from '../presenters/transaction.ts'
import { presentTransactionDetail, transactionDetailSchema } from '../presenters/transaction-detail.ts'
import { completeTransactions } from '../queries/complete-transactions.ts'
import { transactionWorkers } from '../queries/derived-details.ts'
import { readTransactionContent } from '../queries/transaction-content.ts'
import { transactionStatuses } from '../queries/transaction-filters.ts'
import {
  findSystemTransaction,
  findTransaction,
  findTransactionInBlock,
  listOtherHeights,
  listTransactions,
  listTransactionsOfBlock,
  readTransaction,
  readTransactionExtras,
} from '../queries/transactions.ts'
import type { TransactionPlace } from '../queries/transactions.ts'
import { defineRoute } from '../route.ts'
import { transactionPage } from '../paging/transaction-page.ts'

const lowerCaseStatuses = transactionStatuses.map((status) => status.toLowerCase() as Lowercase<typeof status>)

/** `status` as people write it. */
const statusParameter = z
  .enum([...transactionStatuses, ...lowerCaseStatuses], `must be one of ${transactionStatuses.join(', ')}`)
  .transform((status) => status.toUpperCase() as (typeof transactionStatuses)[number])
  .describe('SUCCESS or FAILURE of its execution; SEALED; UNKNOWN: no access node can serve its result.')

const transactionList = defineRoute({
  path: '/flow/transaction',
  operationId: 'listTransactions',
  tag: 'Transactions',
  summary: 'Transactions, the latest first',
  description:
    'System transactions are among them. The two that end every block have the same id in each and no payer, ' +
    'for which the zero address stands.',
  params: noParameters,
  query: z.object({
    limit: limitParameter({ default: 20, max: 100 }),
    cursor: cursorParameter(transactionCursorPattern, '<block_height>:<tx_index>:<tx_id>'),
    height: heightParameter().optional().describe('Only transactions of this block.'),
    payer: accountParameter().optional().describe('Only transactions that this account paid for.'),
    proposer: accountParameter().optional().describe('Only transactions that this account proposed.'),
    authorizers: accountParameter()
      .optional()
      .describe('Only transactions that this account authorized, alone or with others.'),
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
    const rows =
      height === undefined
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
  description:
    'The system transactions that end every block have the same id in each: without `height` the answer is the one of the ' +
    'newest block and `Content-Location` names it. `other_heights` lists other blocks with the same id.',
  params: z.object({
    id: z
      .string()
      .regex(hashPattern, 'must be a transaction id or an EVM hash: 64 hex digits, with or without 0x')
      .describe('Transaction id, or hash of an EVM transaction that it executed; with or without 0x.'),
  }),
  query: z.object({
    height: heightParameter()
      .optional()
      .describe('Height of its block, which a system transaction needs: its id is in every block.'),
    lite: flagParameter('Whether script, arguments, events, transfers and all else that may be long is left out.'),
  }),
  response: singleOf(transactionDetailSchema, 'Transaction'),
  problems: { 404: 'The transaction is not stored.' },
  derivedBy: [...transactionWorkers, 'evm_worker', 'accounts_worker', 'defi_worker', 'scheduled_worker'],
  example: { data: [exampleTransactionDetail] },
  handler: async ({ params: { id }, query: { height, lite }, cachingAt }, services) => {
    const { database, network } = services
    const known = await findPlace(database, id, height)
    const system =
      known === undefined && height === undefined
        ? await findSystemTransaction(database, id, await readBounds(database))
        : undefined
    const place = known ?? system
    if (place === undefined) throw unknownTransaction(id, height)
    const caching = await cachingAt(place.height)
    const reading = readTransaction(database, place)
    const complete = async (): Promise<CompleteTransaction | undefined> => {
      const row = await reading
      return row === undefined ? undefined : (await completeTransactions(database, network(), [row]))[0]
    }
    // Ids of system transactions repeat.
    const others = async (): Promise<readonly number[]> => {
      const row = await reading
      return row === undefined || row.collection_index !== null ? [] : listOtherHeights(database, row.id, place.height)
    }
    const [transaction, otherHeights, extras, content] = await Promise.all([
      complete(),
      others(),
      readTransactionExtras(database, place),
      lite ? undefined : readTransactionContent(database, place, async () => (await reading)?.timestamp),
    ])
    if (transaction === undefined || extras === undefined) throw unknownTransaction(id, height)
    return {
      body: { data: [presentTransactionDetail(transaction, extras, content, otherHeights)] },
      ...(system === undefined
        ? {}
        : { headers: { 'Content-Location': `/flow/transaction/${id}?height=${place.height}` } }),
      // The newest block is soon another, and what was scheduled ends at another height.
      caching: known === undefined || (content?.scheduled.length ?? 0) > 0 ? 'revalidate' : caching,
    }
  },
})

/** Where the transaction with an id is, or that which executed the EVM transaction with this hash. @param height where it must be */
async function findPlace(
  database: DatabasePool,
  id: string,
  height: number | undefined,
): Promise<TransactionPlace | undefined> {
  if (height === undefined) return findTransaction(database, id)
  const inBlock = await findTransactionInBlock(database, id, height)
  if (inBlock !== undefined) return inBlock
  const byHash = await findTransaction(database, id)
  return byHash?.height === height ? byHash : undefined
}

function unknownTransaction(id: string, height: number | undefined): ApiError {
  const detail =
    height === undefined
      ? `Transaction ${id} is not stored. A system transaction of an older block needs \`height\`.`
      : `Transaction ${id} is not stored at height ${height}.`
  return new ApiError(404, 'unknown-transaction', detail, { field: 'id' })
}

/** Transactions. */
export const transactionRoutes = [transactionList, transactionDetail]
