import { blockMethods } from './block-methods.ts'
import { eventMethods } from './event-methods.ts'
import { Refusal } from './refusal.ts'
import { transactionMethods } from './transaction-methods.ts'
import type { UnaryMethod } from './unary-method.ts'

function unimplemented(method: string): UnaryMethod {
  return {
    answer() {
      throw new Refusal('UNIMPLEMENTED', `method ${method} not implemented`)
    },
  }
}

/** The unary methods of `flow.access.AccessAPI` that every node answers in the same way; those that none knows are refused. */
export const sharedMethods: Readonly<Record<string, UnaryMethod>> = {
  Ping: { answer: () => Buffer.alloc(0) },
  ...Object.fromEntries(
    [
      'ExecuteScriptAtBlockID',
      'ExecuteScriptAtBlockHeight',
      'SendTransaction',
      'GetExecutionResultForBlockID',
      'GetScheduledTransaction',
      'GetScheduledTransactionResult',
      'GetAccountBalanceAtLatestBlock',
      'GetAccountBalanceAtBlockHeight',
      'GetAccountKeysAtLatestBlock',
      'GetAccountKeysAtBlockHeight',
      'GetAccountKeyAtLatestBlock',
      'GetAccountKeyAtBlockHeight',
    ].map((method) => [method, unimplemented(method)]),
  ),
  ...blockMethods,
  ...transactionMethods,
  ...eventMethods,
}
