import { TokenBuckets } from '../../platform/limits/token-buckets.ts'
import type { Allowance } from '../../platform/limits/token-buckets.ts'
import type { LiveClient } from './subscriptions.ts'

/** About forty times the block rate. */
export const replayBlocksPerSecond = 50

/** Multiple of the budget of one connection. */
export const replayNetworkFactor = 3

/** Multiple of the budget of one connection. */
export const replayProcessFactor = 10

/** The budget of four client networks. */
export const replayProcessBlocksPerSecond = 200

/** Much longer than the refill time of a default budget. */
const idleMs = 3_600_000

type BudgetOwner = Pick<LiveClient, 'id' | 'network'>

type Budget = readonly [name: string, allowance: Allowance]

/**
 * Limits blocks read for resuming clients, per connection, per client network (an IPv4 address or
 * an IPv6 /64) and per process. Blocks in memory are free.
 */
export class ReplayBudget {
  readonly #buckets: TokenBuckets
  readonly #connection: Allowance
  readonly #network: Allowance
  readonly #process: Allowance

  /** @param blocks per connection, at least the replay limit */
  constructor(blocks: number, clock?: () => number) {
    this.#buckets = new TokenBuckets({ idleMs, ...(clock === undefined ? {} : { clock }) })
    this.#connection = { rate: replayBlocksPerSecond, burst: blocks }
    this.#network = { rate: replayBlocksPerSecond, burst: blocks * replayNetworkFactor }
    this.#process = { rate: replayProcessBlocksPerSecond, burst: blocks * replayProcessFactor }
  }

  /** Spends from all budgets or none. @returns seconds until it is possible; 0 if spent */
  spend(client: BudgetOwner, blocks: number): number {
    const budgets: readonly Budget[] = [...this.#budgetsOf(client), ['process', this.#process]]
    const seconds = this.#wait(budgets, blocks)
    if (seconds === 0) for (const [name, allowance] of budgets) this.#buckets.take(name, allowance, blocks)
    return seconds
  }

  /**
   * Seconds; spends nothing. Ignores the budget of the process: other clients may delay a replay
   * but not prevent it.
   */
  waitOf(client: BudgetOwner, blocks: number): number {
    return this.#wait(this.#budgetsOf(client), blocks)
  }

  #wait(budgets: readonly Budget[], blocks: number): number {
    const waits = budgets.map(([name, allowance]) => {
      const missing = blocks - this.#buckets.take(name, allowance, 0).remaining
      return Math.ceil(missing / allowance.rate)
    })
    return Math.max(0, ...waits)
  }

  #budgetsOf({ id, network }: BudgetOwner): readonly Budget[] {
    return [
      [`connection ${id}`, this.#connection],
      [`network ${network}`, this.#network],
    ]
  }
}
