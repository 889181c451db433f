import type { ChainPlace, NodeChain } from '../node/node-chain.ts'
import { KeptRecently } from '../node/kept-recently.ts'
import { bytesField } from '../node/wire.ts'
import { LedgerBlock } from './block/ledger-block.ts'
import { blockId, collectionId, heightInId } from './block/block-ids.ts'
import type { DraftBlock } from './draft.ts'
import type { LedgerState } from './state/ledger-state.ts'
import { TideRun } from './tide-run.ts'
import type { LedgerPlan } from './tide-run.ts'
import { timeOf } from './world/clock.ts'
import { tideOf } from './world/tide.ts'

/** More than any block has. */
const mostCollections = 1000

/** Most transaction ids that are remembered for calls by id alone. */
const maxRememberedTransactions = 100_000

/** The two of every block, and runs of scheduled transactions, which have ids of their own. */
const maxSystemBodies = 1000

/**
 * A branch of the ledger. Any block is made on demand from the start of its tide, whatever was asked before: block and
 * collection ids carry their heights. Transaction ids are true hashes and cannot: those of blocks that were asked for
 * not too long ago are known.
 */
export class LedgerChain implements NodeChain {
  readonly name: string
  readonly lowest = 0
  readonly highest = Number.POSITIVE_INFINITY
  readonly firstHead: number
  /** A node without an id. */
  readonly metadata = bytesField(3, Buffer.alloc(32))
  readonly #plan: LedgerPlan
  readonly #runs = new KeptRecently<number, TideRun>(3)
  readonly #states = new KeptRecently<number, TideRun>(2)
  readonly #blocks = new KeptRecently<number, LedgerBlock>(256)
  readonly #transactions = new KeptRecently<string, ChainPlace>(maxRememberedTransactions)
  readonly #systemBodies = new KeptRecently<string, Buffer>(maxSystemBodies)

  constructor(plan: LedgerPlan, firstHead: number) {
    this.#plan = plan
    this.name = plan.branch.name
    this.firstHead = firstHead
  }

  /** What happens at a height, before it is encoded. */
  draft(height: number): DraftBlock {
    const tide = tideOf(height)
    return this.#runs.get(tide, () => new TideRun(this.#plan, tide)).block(height)
  }

  /** The state after a block; to be read at once, not kept. */
  stateAt(height: number): LedgerState {
    const tide = tideOf(height)
    const make = (): TideRun => new TideRun(this.#plan, tide)
    let run = this.#states.get(tide, make)
    if (run.next > height + 1) {
      this.#states.delete(tide)
      run = this.#states.get(tide, make)
    }
    run.block(height)
    return run.state
  }

  /** When a block is made, in milliseconds since 1970. */
  timeOf(height: number): number {
    return timeOf(height, this.#plan.clock)
  }

  /** The state before the first block of a tide. */
  stateBefore(tide: number): LedgerState {
    return new TideRun(this.#plan, tide).state
  }

  block(height: number): LedgerBlock {
    return this.#blocks.get(height, () => {
      const made = new LedgerBlock(this.#plan, this.draft(height))
      this.#remember(made)
      return made
    })
  }

  heightOfBlock(id: Buffer): number | undefined {
    const height = heightInId(id)
    return height !== undefined && blockId(this.#plan, height).equals(id) ? height : undefined
  }

  placeOfCollection(id: Buffer): ChainPlace | undefined {
    const height = heightInId(id)
    if (height === undefined) return undefined
    // By hashes first: the height in an id that is not ours may be one at which no block can be made.
    const index = Array.from({ length: mostCollections }, (_, nth) => nth)
      .find((nth) => collectionId(this.#plan, height, nth).equals(id))
    return index !== undefined && index < this.block(height).collectionIds.length ? { height, index } : undefined
  }

  placeOfTransaction(id: Buffer): ChainPlace | undefined {
    return this.#transactions.peek(id.toString('latin1'))
  }

  systemTransaction(id: Buffer): Buffer | undefined {
    return this.#systemBodies.peek(id.toString('latin1'))
  }

  #remember(block: LedgerBlock): void {
    const { transactionIds, transactions, userTransactionCount, height } = block
    transactionIds.forEach((id, index) => {
      const key = id.toString('latin1')
      if (index < userTransactionCount) this.#transactions.get(key, () => ({ height, index }))
      // A copy: the messages of a block share one piece of memory.
      else this.#systemBodies.get(key, () => Buffer.from(transactions[index] as Buffer))
    })
  }
}
