import type pg from 'pg'
import { asError } from '../platform/errors.ts'
import type { Logger } from '../platform/log.ts'
import type { Metrics } from '../platform/metrics.ts'
import type { RoundReport } from './coordinator/coordinator.ts'
import { readFarmOverview } from './overview/farm-overview.ts'
import type { KnownCoverage } from './overview/farm-overview.ts'
import type { StagePlan } from './overview/stage-plan.ts'

export interface FarmMetricsOptions {
  readonly pool: pg.Pool
  readonly metrics: Metrics
  readonly log: Logger
  readonly stages: () => Promise<readonly StagePlan[]>
  /** Interval of gauge reads. Default 10,000 ms. */
  readonly readMs?: number
}

const statuses = ['queued', 'active', 'failed', 'flagged', 'skipped'] as const

/**
 * Metrics of the coordinator and of worker progress. Only the process that coordinates reports
 * them, so nothing is counted twice.
 *
 *     silent ──a round──► reads at every tick ──no round since the last tick──► silent, gauges removed
 */
export class FarmMetrics {
  readonly #options: FarmMetricsOptions
  readonly #known: KnownCoverage = new Map()
  readonly #timer: NodeJS.Timeout
  #rounds = 0
  #isCoordinating = false
  #reading: Promise<void> | undefined

  constructor(options: FarmMetricsOptions) {
    this.#options = options
    this.#timer = setInterval(() => this.#tick(), options.readMs ?? 10_000)
    this.#timer.unref()
  }

  round({ allocated, expired, requeued, reenqueued, folded, seconds }: RoundReport): void {
    const { metrics } = this.#options
    metrics.farmRoundSeconds.observe(seconds)
    const events = { allocated, expired: expired.length, requeued, 're-enqueued': reenqueued, folded }
    for (const [event, count] of Object.entries(events)) metrics.farmLeaseEvents.inc({ event }, count)
    this.#rounds++
    if (!this.#isCoordinating) this.#tick()
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer)
    await this.#reading
  }

  #tick(): void {
    this.#isCoordinating = this.#rounds > 0
    this.#rounds = 0
    if (!this.#isCoordinating) this.#reset()
    else this.#reading ??= this.#read().finally(() => (this.#reading = undefined))
  }

  #reset(): void {
    const { metrics } = this.#options
    for (const gauge of [
      metrics.farmCoveredHeights,
      metrics.farmBacklogHeights,
      metrics.farmLagHeights,
      metrics.farmOldestSeconds,
      metrics.farmLeases,
    ])
      gauge.reset()
  }

  /** Never rejects. */
  async #read(): Promise<void> {
    const { pool, metrics, log, stages } = this.#options
    try {
      const overview = await readFarmOverview(pool, await stages(), {}, this.#known)
      // This process may have stopped coordinating during the read.
      if (!this.#isCoordinating) return
      for (const stage of overview.stages) {
        if (stage.kind !== 'worker') continue
        const worker = { worker: stage.name }
        metrics.farmCoveredHeights.set(worker, stage.covered)
        metrics.farmBacklogHeights.set(worker, stage.backlog)
        const { stored, takenAt } = overview
        if (stored !== null)
          metrics.farmLagHeights.set(
            worker,
            stage.highest === null ? stored.to - stored.from : stored.to - 1 - stage.highest,
          )
        const since = stage.oldestUnfinished?.since
        metrics.farmOldestSeconds.set(
          worker,
          since === undefined ? 0 : Math.max(0, (takenAt.getTime() - since.getTime()) / 1000),
        )
        for (const status of statuses) metrics.farmLeases.set({ ...worker, status }, stage[status].leases)
      }
    } catch (error) {
      log.warn({ err: asError(error) }, 'Could not read worker progress: the metrics keep their last values')
    }
  }
}
