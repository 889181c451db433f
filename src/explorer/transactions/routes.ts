import type { DatabasePool } from 'slonik'
import { z } from 'zod'
import { ApiError } from '../../platform/errors.ts'
import { hashPattern } from '../formats.ts'
import { readBounds } from '../paging/bounds.ts'
import { listOf, singleOf, pageUpTo } from '../paging/pages.ts'
import type { List } from '../paging/pages.ts'
import {
  accountParameter,
  cursorParameter,
  flagParameter,
  heightParameter,
  limitParameter,
  contractParameter,
} from '../parameters.ts'
import { defineRoute } from '../route.ts'
import type { Services } from '../route.ts'
import { transactionWorkers } from './derived-details.ts'
import { completeTransactions } from './descriptions.ts'
import { readTransactionContent } from './detail-queries.ts'
import { presentTransactionDetail, transactionDetailSchema } from './detail-schema.ts'
import { readEventsOfPlaces, markKey } from './events.ts'
import { exampleTransaction, exampleTransactionDetail, transactionSchema, presentWithEvents } from './schema.ts'
import { transactionStatuses, listFilteredTransactions } from './filters.ts'
import type { FilteredPage, TransactionFilter } from './filters.ts'
import {
  formatTransactionCursor,
  parseTransactionCursor,
  transactionCursorPattern,
  findSystemTransaction,
  findTransaction,
  findTransactionInBlock,
  listOtherHeights,
  listTransactions,
  listTransactionsOfBlock,
  readTransaction,
  readTransactionExtras,
  accountTransactionCursorForm,
  accountTransactionCursorPattern,
  formatAccountTransactionCursor,
  parseAccountTransactionCursor,
} from './queries.ts'
import type { TransactionPlace } from './queries.ts'
import type { CompleteTransaction, Transaction, TransactionRow } from './schema.ts'

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
    'The system transactions that end every block have the same id in each: without `height` the answer is the ' +
    'one of the ' +
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

/**
 * Where the transaction with an id is, or that which executed the EVM transaction with this hash. @param height where
 * it must be
 */
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

const commonParameters = {
  limit: limitParameter({ default: 20, max: 100 }),
  height: heightParameter().optional().describe('Only transactions of this block.'),
  include_events: flagParameter('Whether the transactions come with their events.'),
}

const accountTransactions = defineRoute({
  path: '/flow/account/{address}/transaction',
  operationId: 'listAccountTransactions',
  tag: 'Accounts',
  summary: 'Transactions that the account paid for, proposed or authorized, the latest first',
  description: '`transfer_summary` is told as the account sees it: what came in and what went out.',
  params: z.object({ address: accountParameter() }),
  query: z.object({
    ...commonParameters,
    cursor: cursorParameter(accountTransactionCursorPattern, accountTransactionCursorForm),
  }),
  response: listOf(transactionSchema, 'Transaction'),
  example: {
    data: [exampleTransaction],
    has_more: true,
    cursor: `${exampleTransaction.block_height}:${exampleTransaction.id}`,
    _meta: { limit: 1, count: 1 },
  },
  handler: async ({ params: { address }, query }, services) => {
    const before = await placeOfCursor(parseAccountTransactionCursor(query.cursor), services)
    const { limit, height, include_events: includeEvents } = query
    return {
      body: await transactionPage(
        { filter: { participant: address }, height, before },
        { limit, includeEvents, cursorOf: formatAccountTransactionCursor, account: address },
        services,
      ),
    }
  },
})

const contractTransactions = defineRoute({
  path: '/flow/contract/{identifier}/transaction',
  operationId: 'listContractTransactions',
  tag: 'Contracts',
  summary: 'Transactions whose scripts import the contract, the latest first',
  params: z.object({ identifier: contractParameter('contracts') }),
  query: z.object({
    ...commonParameters,
    cursor: cursorParameter(transactionCursorPattern, '<block_height>:<tx_index>:<tx_id>'),
  }),
  response: listOf(transactionSchema, 'Transaction'),
  example: {
    data: [exampleTransaction],
    has_more: true,
    cursor: `${exampleTransaction.block_height}:${exampleTransaction.transaction_index}:${exampleTransaction.id}`,
    _meta: { limit: 1, count: 1 },
  },
  handler: async ({ params: { identifier: contract }, query }, services) => {
    const { limit, height, include_events: includeEvents } = query
    return {
      body: await transactionPage(
        { filter: { contract }, height, before: parseTransactionCursor(query.cursor) },
        { limit, includeEvents, cursorOf: formatTransactionCursor },
        services,
      ),
    }
  },
})

/** Transactions of an account, and of a contract. */
export const transactionListRoutes = [accountTransactions, contractTransactions]

/**
 * Which transactions a page shows: those of a filter, or rows that are there already, one more than fit on the page
 * if there are.
 */
type PageSource =
  | { readonly rows: readonly TransactionRow[] }
  | {
      readonly filter: TransactionFilter
      readonly height?: number | undefined
      readonly before: TransactionPlace | undefined
    }

interface PageOptions {
  readonly limit: number
  readonly includeEvents: boolean
  readonly cursorOf: (row: TransactionRow) => string
  /** Sums of transfers are told as this account sees them. */
  readonly account?: string
}

/**
 * A page of transactions, complete. A page of several conditions may hold fewer than `limit`, also none, though there
 * are more: then `has_more` is true, and the cursor goes on where the search has stopped.
 */
async function transactionPage(
  source: PageSource,
  { limit, includeEvents, cursorOf, account }: PageOptions,
  { database, network }: Services,
): Promise<List<Transaction>> {
  const { rows, stoppedAt } = await readSource(source, limit + 1, database)
  const shown = rows.slice(0, limit)
  const [complete, events] = await Promise.all([
    completeTransactions(database, network(), shown, account),
    includeEvents ? readEventsOfPlaces(database, shown) : [],
  ])
  const byPlace = Map.groupBy(events, markKey)
  const last = rows.length > limit ? shown.at(-1) : stoppedAt
  const data = complete.map((one) => presentWithEvents(one, byPlace.get(markKey(one.row)) ?? []))
  return pageUpTo(data, limit, last === undefined ? '' : cursorOf(last))
}

async function readSource(source: PageSource, count: number, database: DatabasePool): Promise<FilteredPage> {
  if ('rows' in source) return { rows: source.rows, stoppedAt: undefined }
  const { filter, height, before } = source
  const bounds = height === undefined ? await readBounds(database) : { min: height, max: height }
  return listFilteredTransactions(database, bounds, filter, before, count)
}

/**
 * The place that a cursor with height and id means.
 * @throws ApiError 400 where there is no such transaction, or no longer
 */
async function placeOfCursor(
  cursor: { readonly height: number; readonly id: string } | undefined,
  { database }: Services,
): Promise<TransactionPlace | undefined> {
  if (cursor === undefined) return undefined
  const place = await findTransactionInBlock(database, cursor.id, cursor.height)
  if (place !== undefined) return place
  const detail =
    'Parameter "cursor" names a transaction that is not in its block (any more): begin again without a cursor.'
  throw new ApiError(400, 'invalid-parameter', detail, { field: 'cursor' })
}
