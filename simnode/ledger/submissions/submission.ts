import type { TransactionBody } from '../../../src/flow/transaction-body.ts'

/** A transaction that somebody has sent to the node. */
export interface Submission {
  /** 32 bytes. */
  readonly id: Buffer
  readonly body: TransactionBody
}
