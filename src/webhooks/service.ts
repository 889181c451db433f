import type { SettingValues } from '../platform/setting.ts'
import type { webhookSettings } from './settings.ts'
import { connectionLimits, createPool, logIdleErrors } from '../platform/db/pool.ts'
import { asError } from '../platform/errors.ts'
import type { Logger } from '../platform/log.ts'
import type { Metrics } from '../platform/metrics.ts'
import type { Attempt } from './deliver.ts'
import { OverviewStore } from './webhook-stores.ts'
import type { ServiceContext } from '../platform/service.ts'
import type pg from 'pg'
import { Dispatcher } from './dispatcher.ts'
import type { DispatchLimits } from './dispatcher.ts'
import { Poster } from './deliver.ts'
import { resolveHost } from '../platform/outbound/resolve-target.ts'
import type { ResolveHost } from '../platform/outbound/resolve-target.ts'
import type { RetryRules } from './sender.ts'
import { Sender } from './sender.ts'
import { targetPolicy } from '../platform/outbound/target-policy.ts'

type Config = SettingValues<typeof webhookSettings>

const connections = 8

export async function startWebhooks({
  config,
  databaseUrl,
  lifecycle,
  ...context
}: ServiceContext<Config>): Promise<void> {
  const log = context.log.child({ service: 'webhooks' })
  if (!config.ENABLE_WEBHOOKS) {
    log.info('Webhooks are disabled')
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
  lifecycle.onStop('webhook metrics', () => figures.stop())
  lifecycle.onStop('webhooks', () => service.stop())
}

interface WebhookMetricsOptions {
  readonly overview: OverviewStore
  readonly metrics: Metrics
  readonly log: Logger
  /** Only the dispatching process exports backlog gauges. */
  readonly isDispatching: () => boolean
  readonly readMs?: number
}

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

  /** Never rejects. */
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
      log.warn({ err: asError(error) }, 'Could not read the webhook backlog. Metrics are stale.')
    }
  }
}

export interface WebhookServiceOptions {
  readonly databaseUrl: string
  /** Closed by the caller after `stop`. */
  readonly pool: pg.Pool
  readonly log: Logger
  readonly allowedNetworks: readonly string[]
  readonly relay: { readonly url: URL; readonly token: string | undefined } | undefined
  readonly concurrency: number
  readonly timeoutMs: number
  readonly retry: RetryRules
  readonly limits?: Partial<DispatchLimits>
  readonly lookUp?: ResolveHost
  readonly onAttempt?: (attempt: Attempt) => void
  readonly onMade?: (count: number) => void
}

/** Any number of processes may run it. */
export class WebhookService {
  readonly #options: WebhookServiceOptions
  readonly #stopping = new AbortController()
  #running: Promise<unknown> = Promise.resolve()
  #dispatcher: Dispatcher | undefined

  constructor(options: WebhookServiceOptions) {
    this.#options = options
  }

  get isDispatching(): boolean {
    return this.#dispatcher?.isDispatching ?? false
  }

  start(): void {
    const { databaseUrl, pool, log, limits, onAttempt, onMade, ...rest } = this.#options
    const { signal } = this.#stopping
    const poster = new Poster({ timeoutMs: rest.timeoutMs })
    const sender = new Sender({
      databaseUrl,
      pool,
      log,
      signal,
      poster,
      policy: targetPolicy(rest.allowedNetworks),
      lookUp: rest.lookUp ?? resolveHost(),
      relay: rest.relay,
      concurrency: rest.concurrency,
      retry: rest.retry,
      ...(onAttempt === undefined ? {} : { onAttempt }),
    })
    const dispatcher = new Dispatcher({
      databaseUrl,
      pool,
      log,
      signal,
      ...(limits === undefined ? {} : { limits }),
      onMade: (count) => {
        sender.wake()
        onMade?.(count)
      },
    })
    this.#dispatcher = dispatcher
    this.#running = Promise.all([sender.run(), dispatcher.run()]).finally(() => poster.close())
  }

  /** Waits briefly for running attempts; another process sends the rest. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#running
  }
}
