import type { NewBlock } from './block.ts'
import type { TransactionSummary } from './transaction.ts'

/** A block as the live feed tells of it: the block, then each of its transactions. */
export interface FeedBlock {
  readonly block: NewBlock
  readonly transactions: readonly TransactionSummary[]
}
