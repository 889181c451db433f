import { asError } from '../base/errors.ts'
import type { Logger } from '../base/log.ts'
import type { Metrics } from '../base/metrics.ts'
import type { Attempt } from '../webhooks/deliver.ts'
import type { OverviewStore } from '../webhooks/overview-store.ts'

export interface WebhookMetricsOptions {
  readonly overview: OverviewStore
  readonly metrics: Metrics
  readonly log: Logger
  /** Whether this process makes the deliveries: it has the gauges of what waits, so that nothing is counted twice. */
  readonly isDispatching: () => boolean
  /** How often the gauges are read. Default 10,000 ms. */
  readonly readMs?: number
}

/** The figures of webhooks: attempts of this process, and what waits in the database. */
export class WebhookMetrics {
  readonly #options: WebhookMetricsOptions
  readonly #timer: NodeJS.Timeout
  #reading: Promise<void> | undefined

  constructor(options: WebhookMetricsOptions) {
    this.#options = options
    this.#timer = setInterval(() => void this.read(), options.readMs ?? 10_000)
    this.#timer.unref()
  }

  attempt({ error, status, latencyMs }: Attempt): void {
    const { metrics } = this.#options
    const result = error === null ? 'delivered' : status === null ? 'unanswered' : 'refused'
    metrics.webhookAttempts.inc({ result })
    metrics.webhookAttemptSeconds.observe({ result }, latencyMs / 1000)
  }

  made(count: number): void {
    this.#options.metrics.webhookDeliveriesMade.inc(count)
  }

  /** Reads the gauges. Never rejects. */
  read(): Promise<void> {
    return (this.#reading ??= this.#read().finally(() => (this.#reading = undefined)))
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer)
    await this.#reading
  }

  async #read(): Promise<void> {
    const { overview, metrics, log, isDispatching } = this.#options
    try {
      if (isDispatching()) {
        const { deliveries, oldestSeconds, paused } = await overview.totals()
        metrics.webhookWaiting.set(deliveries)
        metrics.webhookOldestSeconds.set(oldestSeconds)
        for (const [reason, count] of Object.entries(paused)) metrics.webhookPaused.set({ reason }, count)
      } else {
        for (const gauge of [metrics.webhookWaiting, metrics.webhookOldestSeconds]) gauge.remove()
        metrics.webhookPaused.reset()
      }
    } catch (error) {
      log.warn({ err: asError(error) }, 'what waits of webhooks could not be counted, the figures stay as they were')
    }
  }
}
