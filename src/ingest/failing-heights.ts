import type pg from 'pg'
import type { Logger } from '../base/log.ts'
import type { Metrics } from '../base/metrics.ts'
import type { ChainSource } from '../access/chain-source.ts'
import type { FetchedBlock } from '../access/messages.ts'
import { NodesFailedError, NotYetError } from '../access/source-errors.ts'
import { recordFailure } from './sql/record-failure.ts'
import type { IngesterName } from './checkpoints.ts'

/** Milliseconds that a settled height may fail before operators are told, at most: short failures are ordinary. */
const maxQuietMs = 30_000

/** A height that was given up as a whole: no node serves even its block. */
export interface LostHeight {
  readonly lostHeight: number
  readonly reason: string
  readonly endpoint: string
}

export interface FailingHeightsOptions {
  readonly pool: pg.Pool
  readonly name: IngesterName
  readonly source: Pick<ChainSource, 'isSettled' | 'salvageBlock'>
  readonly log: Logger
  readonly metrics: Metrics
  /** UNAVAILABLE_AFTER_S in milliseconds; 0: only operators give heights up. */
  readonly unavailableAfterMs: number
}

interface Failing {
  readonly since: number
  isReported: boolean
}

/**
 * Heights that an ingester fails to fetch. Only settled heights count: the head is waited for.
 *
 *     failing ──maxQuietMs──► reported (log, metric, raw.failing_heights)
 *        └─► fetched                └──unavailableAfterMs, or an operator skips it──► given up with what can be had
 *
 * The time is that of raw.failing_heights, so a restart does not begin it anew. An outage, in which nodes do not respond at
 * all, is reported and never gives heights up by itself.
 */
export class FailingHeights {
  readonly #options: FailingHeightsOptions
  readonly #failing = new Map<number, Failing>()

  constructor(options: FailingHeightsOptions) {
    this.#options = options
  }

  /** The height was fetched, or is not wanted any more. Its row is deleted by the commit. */
  ended(height: number): void {
    if (this.#failing.delete(height)) this.#count()
  }

  /**
   * A try failed.
   * @returns what is left of the height where it is given up, else undefined: try again
   */
  async failed(height: number, error: Error, signal: AbortSignal): Promise<FetchedBlock | LostHeight | undefined> {
    const { source, pool, name, unavailableAfterMs } = this.#options
    if (error instanceof NotYetError || !(await source.isSettled(height, signal))) return undefined
    let failing = this.#failing.get(height)
    if (failing === undefined) {
      failing = { since: performance.now(), isReported: false }
      this.#failing.set(height, failing)
      this.#count()
    }
    const reportAfterMs = unavailableAfterMs === 0 ? maxQuietMs : Math.min(maxQuietMs, unavailableAfterMs / 2)
    if (performance.now() - failing.since < reportAfterMs) return undefined
    const recorded = await recordFailure(pool, { height, ingester: name, reason: error.message })
    const isDue = this.#isDue(recorded.failingMs, error) && failing.isReported
    this.#report(height, failing, error)
    return isDue || recorded.isSkipped ? this.#giveUp(height, error, signal) : undefined
  }

  #isDue(failingMs: number, error: Error): boolean {
    const { unavailableAfterMs } = this.#options
    const isOutage = error instanceof NodesFailedError && error.isOutage
    return unavailableAfterMs > 0 && failingMs >= unavailableAfterMs && !isOutage
  }

  #report(height: number, failing: Failing, error: Error): void {
    if (failing.isReported) return
    failing.isReported = true
    const { log, unavailableAfterMs } = this.#options
    const then = unavailableAfterMs === 0 ? 'until an operator skips it' : `for up to ${unavailableAfterMs / 1000} s`
    log.error(
      { height, reason: error.message, unavailableAfterMs },
      `No access node serves settled height ${height}: ingestion waits ${then}. ` +
        `Add a node that has it, or run npm run raw -- skip ${height}.`,
    )
  }

  async #giveUp(height: number, error: Error, signal: AbortSignal): Promise<FetchedBlock | LostHeight> {
    const { source, log, metrics, name } = this.#options
    const { block, reasons } = await source.salvageBlock(height, signal)
    if (block !== undefined && block.missing.length === 0) return block
    metrics.heightsGivenUp.inc({ ingester: name })
    log.error(
      { height, reasons, missing: block?.missing.length },
      `Height ${height} is recorded as unavailable${block === undefined ? '' : ' in part'}. ` +
        `To fetch it again, run npm run raw -- retry ${height}.`,
    )
    if (block !== undefined) return block
    const [first] = reasons
    return { lostHeight: height, reason: first?.reason ?? error.message, endpoint: first?.endpoint ?? '' }
  }

  #count(): void {
    this.#options.metrics.failingHeights.set({ ingester: this.#options.name }, this.#failing.size)
  }
}
