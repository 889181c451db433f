import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { asError, FatalError } from '../errors.ts'
import type { Metrics } from '../metrics.ts'
import { refuseRebound } from './guards.ts'

export interface MetricsServer {
  readonly port: number
  close(): Promise<void>
}

/**
 * Serves `/metrics` alone, for a process that has no API: a scraper must reach every process.
 * @throws FatalError `port-taken`
 */
export async function startMetricsServer(metrics: Metrics, host: string, port: number): Promise<MetricsServer> {
  const server = createServer((request, response) => {
    try {
      refuseRebound(request, host, undefined, 'or by its address')
    } catch (error) {
      response.writeHead(403).end(`${asError(error).message}\n`)
      return
    }
    if (request.url !== '/metrics') {
      response.writeHead(404).end('There is only /metrics here.\n')
      return
    }
    metrics.registry.metrics().then(
      (text) => response.writeHead(200, { 'content-type': metrics.registry.contentType }).end(text),
      (error: unknown) => response.writeHead(500).end(`${String(error)}\n`),
    )
  })
  const listening = Promise.withResolvers<void>()
  server.once('error', (error: NodeJS.ErrnoException) => {
    listening.reject(
      error.code === 'EADDRINUSE'
        ? new FatalError('port-taken', `METRICS_PORT ${port} is taken by another program. Choose another.`, {
            cause: error,
          })
        : error,
    )
  })
  server.listen({ host, port }, listening.resolve)
  await listening.promise
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((done) => {
        server.close(() => done())
        server.closeAllConnections()
      }),
  }
}
