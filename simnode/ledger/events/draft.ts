import type { TransactionBody } from '../../../src/flow/transactions/transaction-id.ts'
import { arrayOf } from '../encoding/cadence.ts'
import type { CadenceType, EventShape, CadenceValue } from '../encoding/cadence.ts'
import type { Account } from '../world/account.ts'

export interface DraftEvent {
  readonly shape: EventShape
  /** In the order of the shape's fields. */
  readonly values: readonly CadenceValue[]
}

export interface DraftArgument {
  readonly type: CadenceType
  readonly value: CadenceValue
}

const lists = {
  address: arrayOf('Address'),
  string: arrayOf('String'),
  ufix64: arrayOf('UFix64'),
  uint8: arrayOf('UInt8'),
  uint64: arrayOf('UInt64'),
} as const

/** Fixed-point numbers are in units of 10^-8. */
export const argument = {
  address: ({ address }: Account): DraftArgument => ({ type: 'Address', value: address }),
  addresses: (all: readonly Account[]): DraftArgument => ({
    type: lists.address,
    value: all.map((one) => one.address),
  }),
  bytes: (value: Buffer): DraftArgument => ({ type: lists.uint8, value }),
  int: (value: number): DraftArgument => ({ type: 'Int', value }),
  string: (value: string): DraftArgument => ({ type: 'String', value }),
  strings: (value: readonly string[]): DraftArgument => ({ type: lists.string, value }),
  ufix64: (value: bigint): DraftArgument => ({ type: 'UFix64', value }),
  ufix64s: (value: readonly bigint[]): DraftArgument => ({ type: lists.ufix64, value }),
  uint8: (value: number): DraftArgument => ({ type: 'UInt8', value }),
  uint64: (value: number): DraftArgument => ({ type: 'UInt64', value }),
  uint64s: (value: readonly number[]): DraftArgument => ({ type: lists.uint64, value }),
} as const

export interface DraftTransaction {
  /** One constant for all transactions of a kind. */
  readonly script: Buffer
  readonly arguments: readonly DraftArgument[]
  /** None on most system transactions. */
  readonly authorizers: readonly Account[]
  readonly gasLimit: number
  readonly computation: number
  /** A failed transaction has no events but those of its fee. */
  readonly error?: string
  readonly events: readonly DraftEvent[]
}

export interface SignedDraft extends DraftTransaction {
  /** Pays the fee and proposes; its key 0 signs the envelope. */
  readonly payer: Account
  readonly sequenceNumber: number
  /** Default: made from the draft, with random signatures. */
  readonly body?: TransactionBody
}

export interface DraftBlock {
  readonly height: number
  readonly userTransactions: readonly SignedDraft[]
  /** The scheduler's `process`, the due scheduled transactions, the system chunk. */
  readonly systemTransactions: readonly DraftTransaction[]
}
