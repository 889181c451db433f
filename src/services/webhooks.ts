import { connectionLimits } from '../db/connection-limits.ts'
import { createPool, logIdleErrors } from '../db/pool.ts'
import { OverviewStore } from '../webhooks/overview-store.ts'
import { WebhookService } from '../webhooks/webhook-service.ts'
import type { ServiceContext } from './context.ts'
import { WebhookMetrics } from './webhook-metrics.ts'

/** Connections for making deliveries, fetching jobs and writing down what became of them. */
const connections = 8

/** Starts making webhooks of what is committed, and sending them. */
export async function startWebhooks({ config, databaseUrl, lifecycle, ...context }: ServiceContext): Promise<void> {
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
