import { attempt, isFault } from './attempt.ts'
import type { BlockCalls } from './block-calls.ts'
import { piecesAtOnce, resultsById } from './fetch-results.ts'
import type { FetchedResults, ResultOptions } from './fetch-results.ts'
import { mapLimited } from './map-limited.ts'
import type { BlockMessage, TransactionMessage } from './messages.ts'
import { PartMissingError } from './source-errors.ts'

export interface Pieces extends FetchedResults {
  readonly transactions: readonly TransactionMessage[]
  readonly transactionIds: readonly Buffer[]
}

/**
 * A block from a node without bulk calls: its collections, then the transactions and results of each id. Such nodes
 * list user transactions only; they have no call that would name the system transactions.
 */
export async function fetchPieces(calls: BlockCalls, block: BlockMessage, options: ResultOptions): Promise<Pieces> {
  const transactionIds = await userTransactionIds(calls, block)
  const [transactions, results] = await Promise.all([
    transactionsById(calls, block, transactionIds),
    resultsById(calls, block, transactionIds, options),
  ])
  return { transactions, transactionIds, ...results }
}

/** The ids of the transactions in the block's collections, in order. */
export async function userTransactionIds(calls: BlockCalls, block: BlockMessage): Promise<Buffer[]> {
  const idsOf = (collectionId: Buffer) => found(calls, block, calls.collection(collectionId))
  const collections = await mapLimited(block.collectionIds, piecesAtOnce, idsOf)
  return collections.flat()
}

/** The bodies of these transactions, one call each. */
export function transactionsById(
  calls: BlockCalls,
  block: BlockMessage,
  ids: readonly Buffer[],
): Promise<TransactionMessage[]> {
  return mapLimited(ids, piecesAtOnce, (id) => found(calls, block, calls.transaction(id)))
}

/** A piece that is not found is a hole in the block, not the absence of the block. */
async function found<T>(calls: BlockCalls, block: BlockMessage, call: Promise<T>): Promise<T> {
  const outcome = await attempt(call)
  if (outcome.fault === undefined) return outcome.value
  if (isFault(outcome, 'not-found', 'not-ready')) {
    throw new PartMissingError(calls.node.endpoint, block.height, outcome.error)
  }
  throw outcome.error
}
