import { TokenBuckets } from '../../platform/limits/token-buckets.ts'
import type { Allowance } from '../../platform/limits/token-buckets.ts'
import type { LiveClient } from './subscriptions.ts'

/** Blocks a second by which a spent budget grows again: some forty times the pace of the chain. */
export const replayBlocksPerSecond = 50

/** A client network may spend as much as this many connections. */
export const replayNetworkFactor = 3

/** All clients of the process may spend as much as this many connections. */
export const replayProcessFactor = 10

/** Blocks a second by which the budget of the process grows again: as many as four client networks may spend. */
export const replayProcessBlocksPerSecond = 200

/** Much longer than a default budget takes to fill up again. */
const idleMs = 3_600_000

/** Whose budgets are spent. */
type BudgetOwner = Pick<LiveClient, 'id' | 'network'>

type Budget = readonly [name: string, allowance: Allowance]

/**
 * Limits the blocks that are read and decoded for clients that resume. Each connection has a budget, all connections of
 * a client network (an IPv4 address or an IPv6 /64) share one that outlives them, and so do all clients of the process.
 * Blocks in memory are free.
 */
export class ReplayBudget {
  readonly #buckets: TokenBuckets
  readonly #connection: Allowance
  readonly #network: Allowance
  readonly #process: Allowance

  /** @param blocks the budget of one connection: at least as far as a client may go back */
  constructor(blocks: number, clock?: () => number) {
    this.#buckets = new TokenBuckets({ idleMs, ...(clock === undefined ? {} : { clock }) })
    this.#connection = { rate: replayBlocksPerSecond, burst: blocks }
    this.#network = { rate: replayBlocksPerSecond, burst: blocks * replayNetworkFactor }
    this.#process = { rate: replayProcessBlocksPerSecond, burst: blocks * replayProcessFactor }
  }

  /** Spends blocks of all three budgets, or of none. @returns seconds until they can be spent; 0 when they were */
  spend(client: BudgetOwner, blocks: number): number {
    const budgets: readonly Budget[] = [...this.#budgetsOf(client), ['process', this.#process]]
    const seconds = this.#wait(budgets, blocks)
    if (seconds === 0) for (const [name, allowance] of budgets) this.#buckets.take(name, allowance, blocks)
    return seconds
  }

  /**
   * Seconds until the client's own budgets allow so many blocks; 0 when they do now. Spends nothing. Not by the
   * budget of the process: what other clients spend delays a replay, but does not refuse it.
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
