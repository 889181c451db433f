import type { DraftEvent } from '../events/draft.ts'
import { arrayOf, eventShape } from '../encoding/cadence.ts'
import type { EventShape, CadenceValue } from '../encoding/cadence.ts'
import { lazy } from './evm-encoding.ts'
import { checksumAddress } from './evm-world.ts'
import type { EvmBlock, LogParts } from './evm-block.ts'
import type { EvmPayload } from './evm-payload.ts'
import { logsBytes } from './evm-block.ts'

const evmContract = 'A.f8d6e0586b0a20c7.EVM'

const bytes = arrayOf('UInt8')
const hash = arrayOf('UInt8', 32)

/** Since September 2024. */
export const evmEvents = {
  transactionExecuted: eventShape(`${evmContract}.TransactionExecuted`, {
    hash,
    index: 'UInt16',
    type: 'UInt8',
    payload: bytes,
    errorCode: 'UInt16',
    errorMessage: 'String',
    gasConsumed: 'UInt64',
    contractAddress: 'String',
    logs: bytes,
    blockHeight: 'UInt64',
    returnedData: bytes,
    precompiledCalls: bytes,
    stateUpdateChecksum: arrayOf('UInt8', 4),
  }),
  blockExecuted: eventShape(`${evmContract}.BlockExecuted`, {
    height: 'UInt64',
    hash,
    timestamp: 'UInt64',
    totalSupply: 'Int',
    totalGasUsed: 'UInt64',
    parentHash: hash,
    receiptRoot: hash,
    transactionHashRoot: hash,
    prevrandao: hash,
  }),
  cadenceOwnedAccountCreated: eventShape(`${evmContract}.CadenceOwnedAccountCreated`, {
    address: 'String',
    uuid: 'UInt64',
  }),
  flowTokensDeposited: eventShape(`${evmContract}.FLOWTokensDeposited`, {
    address: 'String',
    amount: 'UFix64',
    depositedUUID: 'UInt64',
    balanceAfterInAttoFlow: 'UInt',
  }),
  flowTokensWithdrawn: eventShape(`${evmContract}.FLOWTokensWithdrawn`, {
    address: 'String',
    amount: 'UFix64',
    withdrawnUUID: 'UInt64',
    balanceAfterInAttoFlow: 'UInt',
  }),
} as const

export interface ExecutedTransaction {
  readonly type: number
  /** Made on demand: signing dominates the cost. */
  readonly payload: () => EvmPayload
  readonly gasUsed: number
  readonly logs: readonly LogParts[]
  /** Return data; the code of a new contract. */
  readonly returnedData: Buffer
  /** 20 bytes, of a created contract. */
  readonly contractAddress?: Buffer
  /** 306 for a revert. Source: onflow/flow-go `fvm/evm/types/codeFinder.go`. */
  readonly error?: { readonly code: number; readonly message: string }
}

/** @param index in its EVM block */
export function transactionExecuted(transaction: ExecutedTransaction, index: number, blockHeight: number): DraftEvent {
  const { type, error, gasUsed, contractAddress, logs, returnedData } = transaction
  return lazyEvent(evmEvents.transactionExecuted, () => {
    const { hash, bytes } = transaction.payload()
    const stateUpdateChecksum = hash.subarray(0, 4)
    return [
      hash,
      index,
      type,
      bytes,
      error?.code ?? 0,
      error?.message ?? '',
      gasUsed,
      contractAddress === undefined ? '' : checksumAddress(contractAddress),
      logsBytes(logs),
      blockHeight,
      returnedData,
      Buffer.alloc(0),
      stateUpdateChecksum,
    ]
  })
}

export function blockExecuted(block: () => EvmBlock): DraftEvent {
  return lazyEvent(evmEvents.blockExecuted, () => {
    const closed = block()
    return [
      closed.height,
      closed.hash,
      closed.timestamp,
      closed.totalSupply,
      closed.totalGasUsed,
      closed.parentHash,
      closed.receiptRoot,
      closed.transactionHashRoot,
      closed.prevrandao,
    ]
  })
}

function lazyEvent(shape: EventShape, values: () => readonly CadenceValue[]): DraftEvent {
  const made = lazy(values)
  return {
    shape,
    get values() {
      return made()
    },
  }
}
