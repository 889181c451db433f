import type { TransactionBody } from '../../../src/flow/transaction-body.ts'
import type { CadenceType, EventShape } from '../encoding/cadence-type.ts'
import type { CadenceValue } from '../encoding/cadence-value.ts'
import type { Account } from '../world/account.ts'

/** An event before it is encoded. */
export interface DraftEvent {
  readonly shape: EventShape
  /** In the order of the shape's fields. */
  readonly values: readonly CadenceValue[]
}

export interface DraftArgument {
  readonly type: CadenceType
  readonly value: CadenceValue
}

/** What somebody wants done, and what came of it, before it has a place in a block. */
export interface DraftTransaction {
  /** The source text's bytes, one constant for all transactions of a kind. */
  readonly script: Buffer
  readonly arguments: readonly DraftArgument[]
  /** None on most system transactions. */
  readonly authorizers: readonly Account[]
  readonly gasLimit: number
  /** As `computation_usage` tells it. */
  readonly computation: number
  /** The node's words when it failed. Nothing but the fee is left of a failed transaction, so its events are none. */
  readonly error?: string
  /** In their order, without those of the fee, which the chain adds for every user transaction. */
  readonly events: readonly DraftEvent[]
}

/** A user transaction with what the chain adds to it. */
export interface SignedDraft extends DraftTransaction {
  /** Pays the fee and proposes; its key 0 signs the envelope, the keys 0 of other authorizers the payload. */
  readonly payer: Account
  readonly sequenceNumber: number
  /** As somebody sent it to the node; where there is none, it is made from the draft, with signatures of chance. */
  readonly body?: TransactionBody
}

/** All that happens in one block, in its order. */
export interface DraftBlock {
  readonly height: number
  readonly userTransactions: readonly SignedDraft[]
  /** First the one that asks for scheduled transactions, then the due ones, last the system chunk. */
  readonly systemTransactions: readonly DraftTransaction[]
}
