import type { SettingValues } from '../platform/setting.ts'
import type { webhookSettings } from './settings.ts'
import { connectionLimits } from '../platform/db/connection-limits.ts'
import { createPool, logIdleErrors } from '../platform/db/pool.ts'
import { asError } from '../platform/errors.ts'
import type { Logger } from '../platform/log.ts'
import type { Metrics } from '../platform/metrics.ts'
import type { Attempt } from './deliver.ts'
import { OverviewStore } from './overview-store.ts'
import { WebhookService } from './webhook-service.ts'
import type { ServiceContext } from '../platform/service.ts'

type Config = SettingValues<typeof webhookSettings>

/** Connections for making deliveries, fetching jobs and writing down what became of them. */
const connections = 8

/** Starts making webhooks of what is committed, and sending them. */
export async function startWebhooks({
  config,
  databaseUrl,
  lifecycle,
  ...context
}: ServiceContext<Config>): Promise<void> {
  const log = context.log.child({ service: 'webhooks' })
  if (!config.ENABLE_WEBHOOKS) {
    log.info('webhooks are off')
    return
  }
  const pool = createPool(databaseUrl, {
    ...connectionLimits,
    max: connections,
    applicationName: 'flowfarm webhooks',
    onIdleError: logIdleErrors(log),
  })
  lifecycle.onStop('connections: flowfarm webhooks', () => pool.end())
  const { WEBHOOK_SERVER_URL: server, WEBHOOK_AUTH_TOKEN: token } = config
  const service = new WebhookService({
    databaseUrl,
    pool,
    log,
    allowedNetworks: config.WEBHOOK_ALLOWED_NETWORKS,
    concurrency: config.WEBHOOK_CONCURRENCY,
    timeoutMs: config.WEBHOOK_TIMEOUT_MS,
    relay: server === undefined ? undefined : { url: new URL(server), token },
    retry: {
      maxTries: config.WEBHOOK_MAX_TRIES,
      baseMs: config.WEBHOOK_RETRY_BASE_MS,
      capMs: config.WEBHOOK_RETRY_CAP_MS,
      pauseAfter: config.WEBHOOK_PAUSE_AFTER,
    },
    onAttempt: (attempt) => figures.attempt(attempt),
    onMade: (count) => figures.made(count),
  })
  const figures = new WebhookMetrics({
    overview: new OverviewStore(pool),
    metrics: context.metrics,
    log,
    isDispatching: () => service.isDispatching,
  })
  service.start()
  lifecycle.onStop('figures of webhooks', () => figures.stop())
  lifecycle.onStop('webhooks', () => service.stop())
}

interface WebhookMetricsOptions {
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
