import { coreContracts } from '../core-contracts.ts'
import type { DecodedEvent } from '../decoded-block.ts'
import type { Network } from '../network.ts'
import { readEvmTransaction } from './evm-transaction.ts'
import type { EvmTransaction } from './evm-transaction.ts'

/** Of events that somebody still holds. */
const known = new WeakMap<DecodedEvent, EvmTransaction>()

/** The type of the events that tell of EVM transactions. Contracts of that name in other accounts tell of nothing. */
export function evmTransactionExecuted(network: Network): string {
  return `A.${coreContracts(network).service}.EVM.TransactionExecuted`
}

/**
 * `readEvmTransaction` of an event of that type, once for all the workers of a process that look at the same event.
 * Undefined where its payload could not be decoded, which ingest has logged.
 * @throws FieldShapeError
 */
export function evmTransactionOf(event: DecodedEvent): EvmTransaction | undefined {
  const found = known.get(event)
  if (found !== undefined || event.fields === undefined) return found
  const transaction = readEvmTransaction(event.fields)
  known.set(event, transaction)
  return transaction
}
