import { blockMethods } from './block-methods.ts'
import { eventMethods, transactionMethods } from './transaction-methods.ts'
import { Refusal } from './node-view.ts'
import type { UnaryMethod } from './node-view.ts'
import { bytesField, keepFields, rewrite } from './wire.ts'

function unimplemented(method: string): UnaryMethod {
  return {
    answer() {
      throw new Refusal('UNIMPLEMENTED', `method ${method} not implemented`)
    },
  }
}

/** Answered alike by all nodes. */
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

/** `access.AccessAPI` of candidate sporks. Source: onflow/flow `protobuf/flow/legacy`. */

const onlyFirst = (answer: Buffer): Buffer => keepFields(answer, [1])

function withContent(answer: Buffer, numbers: readonly number[]): Buffer {
  return rewrite(onlyFirst(answer), (_field, content) => bytesField(1, keepFields(content, numbers)))
}

const block = (answer: Buffer): Buffer => withContent(answer, [1, 2, 3, 4, 5, 6, 7])
const header = (answer: Buffer): Buffer => withContent(answer, [1, 2, 3, 4])
const events = (answer: Buffer): Buffer => withContent(answer, [1, 2, 3])

/** Each keeps some fields of the modern answer. */
export const legacyMethods: Readonly<Record<string, (answer: Buffer) => Buffer>> = {
  Ping: onlyFirst,
  GetLatestBlockHeader: header,
  GetBlockHeaderByID: header,
  GetBlockHeaderByHeight: header,
  GetLatestBlock: block,
  GetBlockByID: block,
  GetBlockByHeight: block,
  GetCollectionByID: onlyFirst,
  GetTransaction: onlyFirst,
  GetTransactionResult: (answer) => keepFields(answer, [1, 2, 3, 4]),
  GetAccount: onlyFirst,
  GetAccountAtLatestBlock: onlyFirst,
  GetAccountAtBlockHeight: onlyFirst,
  GetEventsForHeightRange: events,
  GetEventsForBlockIDs: events,
  GetNetworkParameters: onlyFirst,
  SendTransaction: onlyFirst,
  ExecuteScriptAtLatestBlock: onlyFirst,
  ExecuteScriptAtBlockID: onlyFirst,
  ExecuteScriptAtBlockHeight: onlyFirst,
}
