import { createServer } from 'node:http'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { status } from '@grpc/grpc-js'
import { ApiError } from '../../src/platform/errors.ts'
import { Refusal } from '../node/node-view.ts'
import { listenOn } from '../node/listen-on.ts'
import { RestCalls, paramsOf } from './rest-calls.ts'
import type { UnaryCalls, RestRoute } from './rest-calls.ts'
import { accountRoutes, nodeRoutes, scriptRoutes } from './account-routes.ts'
import { blockRoutes, eventRoutes } from './block-routes.ts'
import { transactionRoutes } from './transaction-routes.ts'

interface RestFailure {
  /** HTTP status. */
  readonly code: number
  readonly message: string
}

/**
 * HTTP status and message prefix by gRPC code. Source: onflow/flow-go
 * `engine/access/rest/common/base_http_request_handler.go`, where INTERNAL is the client's fault too. UNIMPLEMENTED
 * means an unknown script.
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

function restFailure(thrown: unknown): RestFailure {
  if (thrown instanceof ApiError) return { code: thrown.status, message: thrown.message }
  const known = thrown instanceof Refusal ? statuses[thrown.code] : undefined
  if (known === undefined)
    return { code: 500, message: `internal server error: ${thrown instanceof Error ? thrown.message : String(thrown)}` }
  return { code: known.code, message: `${known.prefix}${(thrown as Refusal).message}` }
}

const routes: readonly RestRoute[] = [
  ...blockRoutes,
  ...accountRoutes,
  ...scriptRoutes,
  ...transactionRoutes,
  ...eventRoutes,
  ...nodeRoutes,
]

/** Bytes; a transaction may have 1.5 MB, in base64. */
const maxBodyBytes = 4 * 1024 * 1024

/** Any page may call it. */
const openToAll = { 'access-control-allow-origin': '*' }
const preflightHeaders = {
  ...openToAll,
  'access-control-allow-methods': 'GET, HEAD, POST, OPTIONS',
  'access-control-max-age': '600',
}

/**
 * The access API's REST, `/v1`. Errors are `{ code, message }`.
 * Source: onflow/flow `openapi/access.yaml`; onflow/flow-go `engine/access/rest`.
 */
export class RestServer {
  /** `http://host:port` */
  readonly url: string
  readonly #http: Server
  /** By the peer's `address:port`. */
  readonly #sockets: Map<string, Socket>

  private constructor(http: Server, sockets: Map<string, Socket>) {
    const { address, family, port } = http.address() as AddressInfo
    this.url = `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`
    this.#http = http
    this.#sockets = sockets
  }

  /**
   * @param port 0 for any free one
   * @throws FatalError when the address cannot be taken
   */
  static async listen(host: string, port: number, calls: UnaryCalls): Promise<RestServer> {
    const sockets = new Map<string, Socket>()
    const http = createServer((request, response) => {
      void respond(calls, request, response)
    })
    http.on('connection', (socket: Socket) => {
      const peer = peerOf(socket)
      sockets.set(peer, socket)
      socket.once('close', () => sockets.delete(peer))
    })
    await listenOn(http, host, port)
    return new RestServer(http, sockets)
  }

  dropConnection(peer: string): void {
    this.#sockets.get(peer)?.destroy()
  }

  /** Clients may reconnect at once. */
  dropConnections(): void {
    for (const socket of this.#sockets.values()) socket.destroy()
  }

  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => {
      this.#http.close(() => resolve())
    })
    this.dropConnections()
    await closed
  }
}

function peerOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress}:${remotePort}`
}

async function respond(calls: UnaryCalls, request: IncomingMessage, response: ServerResponse): Promise<void> {
  // A disconnected client is no error.
  response.on('error', () => response.destroy())
  if (request.method === 'OPTIONS') {
    const asked = request.headers['access-control-request-headers']
    response
      .writeHead(204, {
        ...preflightHeaders,
        ...(asked === undefined ? {} : { 'access-control-allow-headers': asked }),
      })
      .end()
    return
  }
  try {
    send(request, response, 200, await answer(new RestCalls(calls, peerOf(request.socket)), request))
  } catch (thrown) {
    const failure = restFailure(thrown)
    // The rest of an unread body would be taken for the next request.
    if (!request.complete) response.setHeader('connection', 'close')
    send(request, response, failure.code, failure)
  }
}

function send(request: IncomingMessage, response: ServerResponse, code: number, body: unknown): void {
  const text = JSON.stringify(body)
  const headers = {
    ...openToAll,
    'content-type': 'application/json; charset=UTF-8',
    'content-length': Buffer.byteLength(text),
  }
  response.writeHead(code, headers).end(request.method === 'HEAD' ? undefined : text)
}

async function answer(calls: RestCalls, request: IncomingMessage): Promise<unknown> {
  const { pathname, searchParams } = urlOf(request)
  const method = request.method === 'HEAD' ? 'GET' : request.method
  let isKnown = false
  for (const route of routes) {
    const params = paramsOf(route.path, pathname)
    if (params === undefined) continue
    isKnown = true
    if (route.method !== method) continue
    const body = method === 'POST' ? await bodyOf(request) : undefined
    return route.answer(calls, { params, query: searchParams, body })
  }
  if (isKnown) throw new ApiError(405, 'method-not-allowed', `there is no ${request.method} of ${pathname}`)
  throw new ApiError(
    404,
    'not-found',
    `there is no ${pathname}; a simulated node knows the paths of docs/simulated-chain.md`,
  )
}

function urlOf({ url = '/' }: IncomingMessage): URL {
  const parsed = URL.parse(`http://node${url.startsWith('/') ? '' : '/'}${url}`)
  if (parsed === null) throw new ApiError(400, 'bad-request', 'the path cannot be read')
  return parsed
}

/** Ignores the content type: clients do not send it. @throws ApiError */
async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const tooLarge = new ApiError(413, 'body-too-large', `request body too large: at most ${maxBodyBytes} bytes`)
  if (Number(request.headers['content-length'] ?? '0') > maxBodyBytes) throw tooLarge
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > maxBodyBytes) throw tooLarge
    chunks.push(chunk)
  }
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks))) as unknown
  } catch (error) {
    throw new ApiError(400, 'bad-json', 'request body contains badly-formed JSON', { cause: error })
  }
}
