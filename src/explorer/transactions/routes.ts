import type { DatabasePool } from 'slonik'
import { z } from 'zod'
import { transactionTags } from '../../flow/transactions/transaction-tags.ts'
import { ApiError } from '../../platform/errors.ts'
import { hashPattern } from '../formats.ts'
import { readBounds, readBoundsOf } from '../paging/bounds.ts'
import type { Bounds } from '../paging/bounds.ts'
import { listOf, singleOf, pageUpTo } from '../paging/pages.ts'
import type { List } from '../paging/pages.ts'
import {
  accountParameter,
  cursorParameter,
  dayFilters,
  flagParameter,
  heightParameter,
  limitParameter,
  contractParameter,
} from '../parameters.ts'
import { defineRoute } from '../route.ts'
import type { Services } from '../route.ts'
import { transactionWorkers } from './derived-details.ts'
import { completeTransactions } from './descriptions.ts'
import { completeContent, readTransactionDetail } from './detail-queries.ts'
import { presentTransactionDetail, transactionDetailSchema } from './detail-schema.ts'
import { readEventsWithin } from './event-batches.ts'
import { markKey, placedEventRow } from './events.ts'
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
  accountTransactionCursorForm,
  accountTransactionCursorPattern,
  formatAccountTransactionCursor,
  parseAccountTransactionCursor,
} from './queries.ts'
import type { TransactionPlace } from './queries.ts'
import type { Transaction, TransactionRow } from './schema.ts'

const lowerCaseStatuses = transactionStatuses.map((status) => status.toLowerCase() as Lowercase<typeof status>)

const statusParameter = z
  .enum([...transactionStatuses, ...lowerCaseStatuses], `must be one of ${transactionStatuses.join(', ')}`)
  .transform((status) => status.toUpperCase() as (typeof transactionStatuses)[number])
  .describe('Execution status SUCCESS or FAILURE; SEALED; UNKNOWN: no access node serves the result.')

const filterParameters = {
  height: heightParameter().optional().describe('Block height.'),
  ...dayFilters,
  status: statusParameter.optional(),
  tag: z
    .enum(transactionTags, `must be one of ${transactionTags.join(', ')}`)
    .optional()
    .describe('One of the tags.'),
  include_events: flagParameter('Include events.'),
}

const transactionList = defineRoute({
  path: '/flow/transaction',
  operationId: 'listTransactions',
  tag: 'Transactions',
  summary: 'Transactions, latest first',
  description:
    'Includes system transactions. The two at the end of every block have the same id in each block, and the zero ' +
    'address as payer.',
  query: z.object({
    limit: limitParameter({ default: 20, max: 100 }),
    cursor: cursorParameter(transactionCursorPattern, '<block_height>:<tx_index>:<tx_id>'),
    ...filterParameters,
    payer: accountParameter().optional().describe('Payer.'),
    proposer: accountParameter().optional().describe('Proposer.'),
    authorizers: accountParameter().optional().describe('One of the authorizers.'),
    contract: contractParameter().optional().describe('Contract that the script imports.'),
  }),
  response: listOf(transactionSchema, 'Transaction'),
  example: {
    data: [exampleTransaction],
    has_more: true,
    cursor: `${exampleTransaction.block_height}:${exampleTransaction.transaction_index}:${exampleTransaction.id}`,
    _meta: { limit: 1, count: 1 },
  },
  handler: async ({ query }, services) => {
    const { limit, height, payer, proposer, authorizers: authorizer, status, contract, tag } = query
    const before = parseTransactionCursor(query.cursor)
    const filter = { payer, proposer, authorizer, status, contract, tag }
    const isFiltered = Object.values(filter).some((value) => value !== undefined)
    const { database } = services
    const options = { limit, includeEvents: query.include_events, cursorOf: formatTransactionCursor }
    const bounds = await readBoundsOf(database, query)
    if (isFiltered) return { body: await transactionPage({ filter, bounds, before }, options, services) }
    const rows =
      height === undefined || bounds === undefined
        ? await listTransactions(database, bounds, before, limit + 1)
        : await listTransactionsOfBlock(database, height, indexWithin(height, before), limit + 1)
    return { body: await transactionPage({ rows }, options, services) }
  },
})

/** Undefined if the cursor is in a higher block, 0 if in a lower one. */
function indexWithin(height: number, before: TransactionPlace | undefined): number | undefined {
  if (before === undefined || before.height > height) return undefined
  return before.height === height ? before.index : 0
}

const transactionDetail = defineRoute({
  path: '/flow/transaction/{id}',
  operationId: 'getTransaction',
  tag: 'Transactions',
  summary: 'Transaction with its events',
  description:
    'The system transactions at the end of every block have the same id in each block. Without `height`, the ' +
    'newest one is returned and named by `Content-Location`; `other_heights` lists other blocks.',
  params: z.object({
    id: z
      .string()
      .regex(hashPattern, 'must be a transaction id or an EVM hash: 64 hex digits, with or without 0x')
      .describe('Transaction id, or hash of an EVM transaction that it executed; 0x is optional.'),
  }),
  query: z.object({
    height: heightParameter().optional().describe('Block height. Required to select a system transaction.'),
    lite: flagParameter('Omit script, arguments, events, transfers and other lists.'),
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
    const row = await readTransactionDetail(database, place, lite)
    if (row === undefined) throw unknownTransaction(id, height)
    const [[transaction], content, otherHeights] = await Promise.all([
      completeTransactions(database, network(), [row]),
      completeContent(database, row),
      // Ids of system transactions repeat.
      row.collection_index === null ? listOtherHeights(database, row.id, place.height) : [],
    ])
    if (transaction === undefined) throw unknownTransaction(id, height)
    return {
      body: { data: [presentTransactionDetail(transaction, row, content, otherHeights)] },
      ...(system === undefined
        ? {}
        : { headers: { 'Content-Location': `/flow/transaction/${id}?height=${place.height}` } }),
      // The newest block changes, and scheduled transactions finish later.
      caching: known === undefined || (content?.scheduled.length ?? 0) > 0 ? 'revalidate' : caching,
    }
  },
})

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
      ? `Transaction ${id} is not stored. For a system transaction of an older block, pass \`height\`.`
      : `Transaction ${id} is not stored at height ${height}.`
  return new ApiError(404, 'unknown-transaction', detail, { field: 'id' })
}

export const transactionRoutes = [transactionList, transactionDetail]

const commonParameters = { limit: limitParameter({ default: 20, max: 100 }), ...filterParameters }

const accountTransactions = defineRoute({
  path: '/flow/account/{address}/transaction',
  operationId: 'listAccountTransactions',
  tag: 'Accounts',
  summary: 'Transactions of an account, latest first',
  description: 'Transactions that it paid for, proposed or authorized. `transfer_summary` is relative to the account.',
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
    const { limit, status, tag, include_events: includeEvents } = query
    return {
      body: await transactionPage(
        { filter: { participant: address, status, tag }, bounds: await readBoundsOf(services.database, query), before },
        { limit, includeEvents, cursorOf: formatAccountTransactionCursor },
        services,
      ),
    }
  },
})

const contractTransactions = defineRoute({
  path: '/flow/contract/{identifier}/transaction',
  operationId: 'listContractTransactions',
  tag: 'Contracts',
  summary: 'Transactions that import a contract, latest first',
  params: z.object({ identifier: contractParameter() }),
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
    const { limit, status, tag, include_events: includeEvents } = query
    const bounds = await readBoundsOf(services.database, query)
    return {
      body: await transactionPage(
        { filter: { contract, status, tag }, bounds, before: parseTransactionCursor(query.cursor) },
        { limit, includeEvents, cursorOf: formatTransactionCursor },
        services,
      ),
    }
  },
})

export const transactionListRoutes = [accountTransactions, contractTransactions]

/** Rows include one more than the page holds. */
type PageSource =
  | { readonly rows: readonly TransactionRow[] }
  | {
      readonly filter: TransactionFilter
      readonly bounds: Bounds | undefined
      readonly before: TransactionPlace | undefined
    }

interface PageOptions {
  readonly limit: number
  readonly includeEvents: boolean
  readonly cursorOf: (row: TransactionRow) => string
}

/**
 * With several conditions or large events a page may have fewer than `limit` items and still
 * `has_more`; the cursor then points to where it stopped.
 */
async function transactionPage(
  source: PageSource,
  { limit, includeEvents, cursorOf }: PageOptions,
  { database, network }: Services,
): Promise<List<Transaction>> {
  const { rows, stoppedAt } = await readSource(source, limit + 1, database)
  const shown = rows.slice(0, limit)
  const [complete, { events, places }] = await Promise.all([
    completeTransactions(database, network(), shown),
    includeEvents ? readEventsWithin(database, shown) : { events: new Map<string, never>(), places: shown.length },
  ])
  const last = places < shown.length ? shown[places - 1] : rows.length > limit ? shown.at(-1) : stoppedAt
  const data = complete.slice(0, places).map((one) => {
    const { block_height: height, tx_index: txIndex } = one.row
    const ofRow = events.get(markKey(one.row)) ?? []
    return presentWithEvents(
      one,
      ofRow.map((event) => placedEventRow({ height, txIndex, event })),
    )
  })
  return pageUpTo(data, limit, last === undefined ? '' : cursorOf(last))
}

async function readSource(source: PageSource, count: number, database: DatabasePool): Promise<FilteredPage> {
  if ('rows' in source) return { rows: source.rows, stoppedAt: undefined }
  const { filter, bounds, before } = source
  return listFilteredTransactions(database, bounds, filter, before, count)
}

/** @throws ApiError 400 */
async function placeOfCursor(
  cursor: { readonly height: number; readonly id: string } | undefined,
  { database }: Services,
): Promise<TransactionPlace | undefined> {
  if (cursor === undefined) return undefined
  const place = await findTransactionInBlock(database, cursor.id, cursor.height)
  if (place !== undefined) return place
  const detail = 'Parameter "cursor" is outdated: its transaction is not in the block. Restart without a cursor.'
  throw new ApiError(400, 'invalid-parameter', detail, { field: 'cursor' })
}
