import { z } from 'zod'
import type { Logger } from '../log.ts'
import type { Metrics } from '../metrics.ts'
import { cannotListen } from './cannot-listen.ts'
import { refuseDnsRebinding } from './guards.ts'
import { guard } from './router.ts'
import { routesOf } from './route.ts'
import { createHttpServer } from './server.ts'
import type { HttpServer } from './server.ts'

const metricsRoute = routesOf<Metrics, { ownHost: undefined }>()({
  path: '/metrics',
  operationId: 'getMetrics',
  tag: 'Service',
  summary: 'Metrics of this process in Prometheus format',
  access: 'ownHost',
  response: z.string(),
  contentType: 'text/plain; version=0.0.4; charset=utf-8',
  handler: async (_input, metrics) => ({ body: await metrics.registry.metrics() }),
})

/** For a process without an API. @throws FatalError `cannot-listen` */
export async function startMetricsServer(options: {
  readonly metrics: Metrics
  readonly log: Logger
  readonly host: string
  readonly port: number
}): Promise<HttpServer> {
  const { host, port, metrics } = options
  const ownHost = guard<undefined>(({ request }) => {
    refuseDnsRebinding(request, host, undefined, 'or by its address')
    return undefined
  })
  try {
    return await createHttpServer(
      { ...options, service: 'metrics', closeGraceMs: 0 },
      { routes: [metricsRoute], services: metrics, guards: { ownHost } },
    )
  } catch (error) {
    throw cannotListen(error, { variable: 'METRICS_PORT', port, host })
  }
}
