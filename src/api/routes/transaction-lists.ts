import { z } from 'zod'
import {
  accountTransactionCursorForm,
  accountTransactionCursorPattern,
  formatAccountTransactionCursor,
  formatTransactionCursor,
  parseAccountTransactionCursor,
  parseTransactionCursor,
  transactionCursorPattern,
} from '../paging/cursors.ts'
import { listOf } from '../paging/envelope.ts'
import { exampleTransaction } from '../examples/transactions.ts'
import {
  accountParameter,
  contractParameter,
  cursorParameter,
  flagParameter,
  heightParameter,
  limitParameter,
} from '../parameters/parameters.ts'
import { transactionSchema } from '../presenters/transaction.ts'
import { defineRoute } from '../route.ts'
import { placeOfCursor, transactionPage } from '../paging/transaction-page.ts'

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
