import type { NewBlock } from './block.ts'
import type { TransactionSummary } from './transaction.ts'

/** A transaction as the live feed tells of it, with what its filters ask for. */
export interface FeedTransaction {
  readonly summary: TransactionSummary
  /**
   * Accounts that took part, 0x and 16 hex digits each, or 40 for an EVM account: payer, proposer, authorizers, accounts that it
   * created, and both sides of the moves of tokens and items; of fees only who paid. Nobody, where the chain itself made it
   * and nothing moved.
   */
  readonly accounts: readonly string[]
  /** Contracts that its script imports or that its events are of, `A.<address>.<name>` each. */
  readonly contracts: readonly string[]
}

/** A block as the live feed tells of it: the block, then each of its transactions. */
export interface FeedBlock {
  readonly block: NewBlock
  readonly transactions: readonly FeedTransaction[]
}
