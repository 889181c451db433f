import type { AddressInfo, Socket } from 'node:net'
import { status } from '@grpc/grpc-js'
import { pino } from 'pino'
import { z } from 'zod'
import { ApiError, asError, FatalError } from '../../src/platform/errors.ts'
import type { ErrorForm } from '../../src/platform/http/problem.ts'
import { createHttpServer } from '../../src/platform/http/server.ts'
import type { HttpServer } from '../../src/platform/http/server.ts'
import { Metrics } from '../../src/platform/metrics.ts'
import { Refusal } from '../node/node-view.ts'
import { accountRoutes, nodeRoutes, scriptRoutes } from './account-routes.ts'
import { blockRoutes, eventRoutes } from './block-routes.ts'
import { clientGuard, peerOf } from './rest-calls.ts'
import type { UnaryCalls } from './rest-calls.ts'
import { transactionRoutes } from './transaction-routes.ts'

/**
 * Source: onflow/flow-go `engine/access/rest/common/base_http_request_handler.go`, where INTERNAL
 * is the client's fault too. UNIMPLEMENTED means an unknown script.
 */
const statuses: Readonly<Record<number, { readonly code: number; readonly prefix: string }>> = {
  [status.NOT_FOUND]: { code: 404, prefix: 'Flow resource not found: ' },
  [status.INVALID_ARGUMENT]: { code: 400, prefix: 'Invalid Flow argument: ' },
  [status.FAILED_PRECONDITION]: { code: 400, prefix: 'Invalid Flow argument: ' },
  [status.OUT_OF_RANGE]: { code: 400, prefix: 'Invalid Flow argument: ' },
  [status.INTERNAL]: { code: 400, prefix: 'Invalid Flow request: ' },
  [status.UNIMPLEMENTED]: { code: 400, prefix: 'Invalid Flow request: ' },
  [status.UNAVAILABLE]: { code: 503, prefix: 'Failed to process request: ' },
  [status.RESOURCE_EXHAUSTED]: { code: 429, prefix: 'Failed to process request: ' },
  [status.DEADLINE_EXCEEDED]: { code: 408, prefix: 'Failed to process request: ' },
}

function toApiError(thrown: unknown): ApiError {
  const known = thrown instanceof Refusal ? statuses[thrown.code] : undefined
  const { message } = asError(thrown)
  return known === undefined
    ? new ApiError(500, 'internal', `internal server error: ${message}`)
    : new ApiError(known.code, 'refused', `${known.prefix}${message}`)
}

const errorForm: ErrorForm = {
  schema: z.strictObject({ code: z.int(), message: z.string() }),
  contentType: 'application/json; charset=utf-8',
  bodyOf: ({ status: code, message }, _requestId, { method, url }) => ({
    code,
    message: code === 405 ? `method ${method} is not allowed for ${url?.split('?', 1)[0]}` : message,
  }),
}

/**
 * `/v1`, for any origin. Source: onflow/flow `openapi/access.yaml`; onflow/flow-go
 * `engine/access/rest`.
 */
export class RestServer {
  readonly url: string
  readonly #http: HttpServer
  /** By the peer's `address:port`. */
  readonly #sockets = new Map<string, Socket>()

  private constructor(http: HttpServer) {
    const { address, family, port } = http.server.address() as AddressInfo
    this.url = `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`
    this.#http = http
    http.server.on('connection', (socket: Socket) => {
      const peer = peerOf({ socket })
      this.#sockets.set(peer, socket)
      socket.once('close', () => this.#sockets.delete(peer))
    })
  }

  /**
   * @param port 0 for any free one
   * @throws FatalError when the address cannot be bound
   */
  static async listen(host: string, port: number, calls: UnaryCalls): Promise<RestServer> {
    const log = pino({ level: 'silent' })
    const app = {
      routes: [...blockRoutes, ...accountRoutes, ...scriptRoutes, ...transactionRoutes, ...eventRoutes, ...nodeRoutes],
      services: calls,
      guards: { client: clientGuard(calls) },
      headers: { 'Access-Control-Allow-Origin': '*' },
      cors: { origin: '*', allowMethods: 'GET, HEAD, POST, OPTIONS', maxAge: 600 },
      errorFormOf: () => errorForm,
      translate: toApiError,
      unknownPath: (path: string) => `unknown path ${path}; see simnode/rest for the supported paths`,
    }
    try {
      const options = { service: 'access-rest', log, metrics: new Metrics(), host, port, closeGraceMs: 0 }
      return new RestServer(await createHttpServer(options, app))
    } catch (thrown) {
      throw new FatalError('listen-failed', `Cannot listen on ${host}:${port}: ${asError(thrown).message}`, {
        cause: thrown,
      })
    }
  }

  dropConnection(peer: string): void {
    this.#sockets.get(peer)?.destroy()
  }

  /** Clients may reconnect at once. */
  dropConnections(): void {
    for (const socket of this.#sockets.values()) socket.destroy()
  }

  async close(): Promise<void> {
    this.dropConnections()
    await this.#http.close()
  }
}
