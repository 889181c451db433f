import type { ChainPlace, NodeChain } from '../node/node-view.ts'
import { RecentCache } from '../node/recent-cache.ts'
import { bytesField } from '../node/wire.ts'
import { LedgerBlock, blockId, collectionId, heightInId } from './ledger-block.ts'
import type { DraftBlock } from './events/draft.ts'
import type { LedgerState } from './state/ledger-state.ts'
import { ExternalAccounts } from './state/external-accounts.ts'
import { Journal } from './submissions/journal.ts'
import { CycleRun } from './cycle-run.ts'
import type { ExternalInput, LedgerPlan } from './cycle-run.ts'
import type { Branch } from './world/branch.ts'
import { timeOf } from './world/clock.ts'
import { cycleLength, cycleOf } from './world/cycle.ts'

const maxCollections = 1000

/** For calls by id alone. */
const maxRememberedTransactions = 100_000

/** Two of every block, and scheduled ones. */
const maxSystemBodies = 1000

/**
 * Any block is made on demand from the start of its cycle. Ids of blocks and collections carry
 * their heights; transaction ids are known for recently requested blocks only.
 */
export class LedgerChain implements NodeChain {
  readonly name: string
  readonly lowest = 0
  readonly highest = Number.POSITIVE_INFINITY
  readonly firstHead: number
  /** `entities.Metadata` without a node id. */
  readonly metadata = bytesField(3, Buffer.alloc(32))
  readonly #plan: LedgerPlan
  readonly #journal: Journal
  readonly #outside: ExternalInput
  readonly #atGenesis: ExternalAccounts
  /** Journal changes included in the caches. */
  #known = 0
  readonly #runs = new RecentCache<number, CycleRun>(3)
  readonly #states = new RecentCache<number, CycleRun>(2)
  readonly #blocks = new RecentCache<number, LedgerBlock>(256)
  readonly #transactions = new RecentCache<string, ChainPlace>(maxRememberedTransactions)
  readonly #systemBodies = new RecentCache<string, Buffer>(maxSystemBodies)

  /** @param hasPayer whether the published payer exists */
  constructor(
    plan: LedgerPlan,
    firstHead: number,
    { journal = new Journal(), hasPayer = false }: { readonly journal?: Journal; readonly hasPayer?: boolean } = {},
  ) {
    this.#plan = plan
    this.#journal = journal
    this.#atGenesis = ExternalAccounts.atGenesis(hasPayer)
    this.#outside = {
      before: (cycle) => this.#externalAccountsBefore(cycle),
      at: (height) => journal.at(plan.branch, height),
    }
    this.name = plan.branch.name
    this.firstHead = firstHead
  }

  draft(height: number): DraftBlock {
    this.#invalidate()
    const cycle = cycleOf(height)
    return this.#runs.get(cycle, () => this.#run(cycle)).block(height)
  }

  /** Read it at once: later calls change it. */
  stateAt(height: number): LedgerState {
    this.#invalidate()
    const cycle = cycleOf(height)
    const make = (): CycleRun => this.#run(cycle)
    let run = this.#states.get(cycle, make)
    if (run.next > height + 1) {
      this.#states.delete(cycle)
      run = this.#states.get(cycle, make)
    }
    run.block(height)
    return run.state
  }

  /** Milliseconds since 1970. */
  timeOf(height: number): number {
    return timeOf(height, this.#plan.clock)
  }

  stateBefore(cycle: number): LedgerState {
    return this.#run(cycle).state
  }

  get branch(): Branch {
    return this.#plan.branch
  }

  block(height: number): LedgerBlock {
    this.#invalidate()
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
    // The height in a foreign id may have no block.
    const index = Array.from({ length: maxCollections }, (_, nth) => nth).find((nth) =>
      collectionId(this.#plan, height, nth).equals(id),
    )
    return index !== undefined && index < this.block(height).collectionIds.length ? { height, index } : undefined
  }

  placeOfTransaction(id: Buffer): ChainPlace | undefined {
    const height = this.#journal.heightOf(this.#plan.branch, id.toString('hex'))
    if (height === undefined) return this.#transactions.peek(id.toString('latin1'))
    return { height, index: this.block(height).transactionIds.findIndex((one) => one.equals(id)) }
  }

  systemTransaction(id: Buffer): Buffer | undefined {
    return this.#systemBodies.peek(id.toString('latin1'))
  }

  #run(cycle: number): CycleRun {
    return new CycleRun(this.#plan, cycle, this.#outside)
  }

  #externalAccountsBefore(cycle: number): ExternalAccounts {
    const { branch } = this.#plan
    const last = this.#journal.lastBelow(branch, cycle * cycleLength)
    if (last === undefined) return this.#atGenesis
    return this.#journal.settled(branch, last, () => {
      const run = this.#run(cycleOf(last))
      run.block(last)
      return run.state.externalAccounts.copy()
    })
  }

  #invalidate(): void {
    const { changes } = this.#journal
    if (this.#known === changes.length) return
    const from = changes.slice(this.#known).reduce((lowest, height) => Math.min(lowest, height))
    this.#known = changes.length
    this.#blocks.deleteIf((height) => height >= from)
    for (const runs of [this.#runs, this.#states]) runs.deleteIf((_cycle, run) => run.next > from)
  }

  #remember(block: LedgerBlock): void {
    const { transactionIds, transactions, userTransactionCount, height } = block
    transactionIds.forEach((id, index) => {
      const key = id.toString('latin1')
      if (index < userTransactionCount) this.#transactions.get(key, () => ({ height, index }))
      // The messages of a block share one piece of memory.
      else this.#systemBodies.get(key, () => Buffer.from(transactions[index] as Buffer))
    })
  }
}
