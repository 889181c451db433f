import { z } from 'zod'
import { ApiError } from '../../base/errors.ts'
import { cachingAt, readBounds } from '../bounds.ts'
import type { Bounds } from '../bounds.ts'
import { formatTransactionCursor, parseTransactionCursor, transactionCursorPattern } from '../cursors.ts'
import { listOf, page, singleOf } from '../envelope.ts'
import { exampleBlock, exampleCollectionId, exampleEvent, exampleTransaction } from '../examples.ts'
import { hashPattern } from '../formats.ts'
import { cursorParameter, heightParameter, limitParameter, noParameters } from '../parameters.ts'
import {
  presentTransaction, presentTransactionDetail, transactionDetailSchema, transactionSchema,
} from '../presenters/transaction.ts'
import { describeTransactions } from '../queries/describe-transactions.ts'
import { readEventsOfTransaction } from '../queries/events.ts'
import {
  findTransaction, findTransactionInBlock, listTransactions, listTransactionsOfBlock, readTransaction,
  readTransactionExtras,
} from '../queries/transactions.ts'
import type { TransactionPlace } from '../queries/transactions.ts'
import { defineRoute } from '../route.ts'
import type { Services } from '../route.ts'

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
  }),
  response: listOf(transactionSchema, 'Transaction'),
  example: {
    data: [exampleTransaction],
    has_more: true,
    cursor: `${exampleTransaction.block_height}:${exampleTransaction.transaction_index}:${exampleTransaction.id}`,
    _meta: { limit: 1, count: 1 },
  },
  handler: async ({ query: { limit, cursor, height } }, { database, network }) => {
    const before = parseTransactionCursor(cursor)
    const rows = height === undefined
      ? await listTransactions(database, await readBounds(database), before, limit + 1)
      : await listTransactionsOfBlock(database, height, indexWithin(height, before), limit + 1)
    const described = await describeTransactions(database, network(), rows)
    return { body: page(described, limit, presentTransaction, ({ row }) => formatTransactionCursor(row)) }
  },
})

/** The index that a cursor means inside one block: all of it when the cursor is above, none of it when it is below. */
function indexWithin(height: number, before: TransactionPlace | undefined): number | undefined {
  if (before === undefined || before.height > height) return undefined
  return before.height === height ? before.index : 0
}

const transaction = defineRoute({
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
  }),
  response: singleOf(transactionDetailSchema, 'Transaction'),
  problems: { 404: 'The transaction is not stored.' },
  example: {
    data: [{
      ...exampleTransaction,
      events: [exampleEvent],
      block_id: exampleBlock.id,
      collection: { id: exampleCollectionId, index: 0 },
      script: 'import "FungibleToken"\n\ntransaction(amount: UFix64, to: Address) {}\n',
      arguments: [{ type: 'UFix64', value: '10.00000000' }, { type: 'Address', value: '0xe467b9dd11fa00df' }],
    }],
  },
  handler: async ({ params: { id }, query: { height } }, services) => {
    const { database, network, maxReorgDepth } = services
    const bounds = await readBounds(database)
    const known = await (height === undefined
      ? findTransaction(database, id)
      : findTransactionInBlock(database, id, height))
    const place = known ?? (await findInNewestBlock(id, height, bounds, services))
    const row = place === undefined ? undefined : await readTransaction(database, place)
    const [described] = await describeTransactions(database, network(), row === undefined ? [] : [row])
    if (place === undefined || described === undefined) {
      throw new ApiError(404, 'unknown-transaction', `Transaction ${id} is not stored.`, { field: 'id' })
    }
    const [events, extras] = await Promise.all([
      readEventsOfTransaction(database, place), readTransactionExtras(database, place),
    ])
    return {
      body: { data: [presentTransactionDetail(described, events, extras)] },
      // The newest block is soon another.
      caching: known === undefined ? 'revalidate' : cachingAt(place.height, bounds, maxReorgDepth),
    }
  },
})

/** The way to the system transactions that end every block with the same id. */
async function findInNewestBlock(
  id: string, height: number | undefined, bounds: Bounds | undefined, { database }: Services,
): Promise<TransactionPlace | undefined> {
  return height === undefined && bounds !== undefined ? findTransactionInBlock(database, id, bounds.max) : undefined
}

/** Transactions. */
export const transactionRoutes = [transactionList, transaction]
