import { randomUUID } from 'node:crypto'
import { Agent, createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { BlockList, Socket } from 'node:net'
import { clientReader, isListed, plainAddress } from '../../platform/limits/clients.ts'
import { ApiError, asError } from '../../platform/errors.ts'
import { closeServer, connectionLimit, listen } from '../../platform/http/connections.ts'
import { loggedPath } from '../../platform/log.ts'
import type { Logger } from '../../platform/log.ts'
import type { Metrics } from '../../platform/metrics.ts'
import { problemOf } from '../../platform/http/problem.ts'
import { refuseDnsRebinding } from '../../platform/http/guards.ts'
import { headersToUpstream } from './forwarded-headers.ts'
import type { Framing } from './forwarded-headers.ts'
import { forwardRequest } from './forward-request.ts'
import type { ForwardOutcome } from './forward-request.ts'
import { pathOf, routeOf } from './route-of.ts'
import type { Upstream, UpstreamName } from './route-of.ts'

export interface ProxyOptions {
  /** Read at each request, since services of this process get their ports later. */
  readonly upstreamOf: (name: UpstreamName) => Upstream
  readonly log: Logger
  readonly metrics: Metrics
  readonly host: string
  readonly port: number
  readonly trustedProxies: BlockList
  readonly needsToken: boolean
  readonly connectMs?: number
  readonly timeouts?: {
    readonly headersTimeout: number
    readonly requestTimeout: number
    readonly connectionsCheckingInterval: number
  }
  /** Long enough for the chat to end its responses. */
  readonly closeGraceMs?: number
}

export interface ProxyServer {
  readonly port: number
  close(): Promise<void>
}

const defaultTimeouts = { headersTimeout: 10_000, requestTimeout: 60_000, connectionsCheckingInterval: 5000 } as const

/** `TRACE` would expose headers to scripts. */
const methods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

const statusOf: Readonly<Record<Exclude<ForwardOutcome, 'answered'>, number>> = { disconnected: 499, broken: 502 }

/** `Upgrade` is ignored. @throws the system error when the port cannot be bound */
export async function startProxyServer(options: ProxyOptions): Promise<ProxyServer> {
  const { closeGraceMs = 4000, timeouts = defaultTimeouts } = options
  const proxy = new Proxy(options)
  const answers = new WeakMap<Socket, ServerResponse>()
  const server = createServer(
    { ...timeouts, keepAliveTimeout: 65_000, maxHeaderSize: maxHeaderBytes },
    (request, response) => {
      answers.set(request.socket, response)
      void proxy.handle(request, response)
    },
  )
  connectionLimit.watch(server)
  // The limit is in bytes; Node silently drops headers beyond a count.
  server.maxHeadersCount = 0
  server.on('connect', (_request, socket: Socket) =>
    refuseSocket(socket, new ApiError(405, 'method-not-allowed', 'CONNECT is not supported.')),
  )
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    const answer = answers.get(socket)
    // After a response has started, an error would be parsed as part of it.
    if (answer?.headersSent === true && !answer.writableFinished) socket.destroy()
    else refuseSocket(socket, unreadable(error))
  })
  const { port } = await listen(server, options)
  return {
    port,
    close: async () => {
      await closeServer(server, closeGraceMs)
      proxy.close()
    },
  }
}

class Proxy {
  readonly #options: ProxyOptions
  readonly #agent = new Agent({ keepAlive: true, maxFreeSockets: 64 })
  readonly #via = `1.1 flowfarm-${randomUUID().slice(0, 8)}`
  readonly #clientOf: ReturnType<typeof clientReader>
  readonly #down = new Set<UpstreamName>()

  constructor(options: ProxyOptions) {
    this.#options = options
    this.#clientOf = clientReader(options.trustedProxies)
  }

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const begin = performance.now()
    const given = request.headers['x-request-id']
    const requestId = typeof given === 'string' && /^[\w.-]{1,128}$/.test(given) ? given : randomUUID()
    let route: UpstreamName | undefined
    let status: number
    try {
      route = this.#admit(request)
      const end = await this.#pass(request, response, { route, requestId })
      status = end === 'answered' ? response.statusCode : statusOf[end]
      if (end === 'broken') this.#options.log.warn({ requestId, upstream: route }, 'A service aborted its response')
      else this.#reportUp(route)
    } catch (thrown) {
      const error = this.#toAnswer(thrown, route, requestId)
      ;({ status } = error)
      if (response.headersSent) response.destroy()
      else refuse(response, error, requestId)
    }
    const { method = '' } = request
    const seconds = (performance.now() - begin) / 1000
    const labels = {
      route: `proxy: ${route ?? 'refused'}`,
      method: methods.has(method) ? method : 'other',
      status: String(status),
    }
    this.#options.metrics.httpRequests.observe(labels, seconds)
    this.#options.log.debug(
      { requestId, method, path: loggedPath(pathOf(request.url ?? '')), status, seconds },
      'Request forwarded',
    )
  }

  close(): void {
    this.#agent.destroy()
  }

  #admit(request: IncomingMessage): UpstreamName {
    const { method = '', url = '', headers } = request
    const route = routeOf(url)
    if (!methods.has(method)) throw new ApiError(405, 'method-not-allowed', `Method ${method} is not allowed.`)
    if (countOf(request, 'host') > 1)
      throw new ApiError(400, 'bad-request', 'Invalid request: more than one Host header.')
    if (headers.via?.includes(this.#via) === true) {
      throw new ApiError(508, 'proxy-loop', 'Proxy loop: a PROXY_*_URL points to this proxy.')
    }
    const { needsToken, host, trustedProxies } = this.#options
    // The services see only the proxy's address, so the check against DNS rebinding is here.
    if (!needsToken && route !== 'mcp' && /^\/api(?:\/|$)/i.test(pathOf(url)))
      refuseDnsRebinding(request, host, trustedProxies)
    return route
  }

  #pass(
    request: IncomingMessage,
    response: ServerResponse,
    { route, requestId }: { route: UpstreamName; requestId: string },
  ): Promise<ForwardOutcome> {
    const { upstreamOf, trustedProxies, connectMs = 10_000 } = this.#options
    const peer = peerOf(request)
    const framing = framingOf(request)
    return forwardRequest({
      request,
      response,
      upstream: upstreamOf(route),
      agent: this.#agent,
      connectMs,
      hasBody: framing !== 'none',
      headers: headersToUpstream({
        raw: request.rawHeaders,
        framing,
        requestId,
        via: this.#via,
        sender: { peer, isProxy: isListed(trustedProxies, peer), client: this.#clientOf(request).address },
      }),
    })
  }

  #toAnswer(thrown: unknown, route: UpstreamName | undefined, requestId: string): ApiError {
    const { log } = this.#options
    if (!(thrown instanceof ApiError)) {
      log.error({ err: asError(thrown), requestId }, 'Request failed')
      return new ApiError(500, 'internal-error', 'Internal error. See the log for details.', { cause: thrown })
    }
    if (route !== undefined && thrown.code === 'upstream-down' && !this.#down.has(route)) {
      this.#down.add(route)
      const { title, url } = this.#options.upstreamOf(route)
      log.warn(
        { err: thrown.cause ?? thrown, url: url.origin },
        `${title} is unreachable; requests to it fail with 502`,
      )
    }
    return thrown
  }

  #reportUp(route: UpstreamName): void {
    if (this.#down.delete(route)) this.#options.log.info(`${this.#options.upstreamOf(route).title} is reachable again`)
  }
}

/** @throws ApiError 501 `transfer-encoding` */
function framingOf({ headers, method }: IncomingMessage): Framing {
  const encoding = headers['transfer-encoding']
  if (encoding !== undefined) {
    if (encoding.trim().toLowerCase() === 'chunked') return 'chunked'
    throw new ApiError(501, 'transfer-encoding', 'Unsupported transfer encoding. Use a single `chunked`.')
  }
  const bytes = headers['content-length']
  if (bytes !== undefined) return { bytes }
  // Without it Node would send a chunked body.
  return ['POST', 'PUT', 'PATCH'].includes(method ?? '') ? { bytes: '0' } : 'none'
}

function peerOf({ socket }: IncomingMessage): string {
  return plainAddress(socket.remoteAddress ?? '')
}

function countOf({ rawHeaders }: IncomingMessage, name: string): number {
  return rawHeaders.filter((text, i) => i % 2 === 0 && text.toLowerCase() === name).length
}

/** Less than the 16 KB of the services, since the proxy adds headers. */
const maxHeaderBytes = 15 * 1024

function refuse(response: ServerResponse, error: ApiError, requestId: string): void {
  response
    .writeHead(error.status, {
      ...problemHeaders(error, requestId),
      ...(response.req.complete ? {} : { Connection: 'close' }),
    })
    .end(JSON.stringify(problemOf(error, requestId)))
}

function refuseSocket(socket: Socket, error: ApiError): void {
  if (!socket.writable) {
    socket.destroy()
    return
  }
  const requestId = randomUUID()
  const problem = problemOf(error, requestId)
  const body = JSON.stringify(problem)
  const headers = {
    ...problemHeaders(error, requestId),
    'Content-Length': String(Buffer.byteLength(body)),
    Connection: 'close',
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.once('error', () => socket.destroy())
  socket.end(`HTTP/1.1 ${error.status} ${problem.title}\r\n${lines.join('')}\r\n${body}`, () => socket.destroy())
}

function unreadable({ code }: NodeJS.ErrnoException): ApiError {
  if (code === 'HPE_HEADER_OVERFLOW')
    return new ApiError(431, 'headers-too-large', `Request headers too large: at most ${maxHeaderBytes} bytes.`)
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return new ApiError(408, 'request-timeout', 'The request was not received in time.')
  return new ApiError(400, 'bad-request', 'Malformed HTTP/1.1 request.')
}

function problemHeaders(error: ApiError, requestId: string): Record<string, string> {
  const { retryAfterSeconds } = error.details
  return {
    'Content-Type': 'application/problem+json',
    'Cache-Control': 'no-store',
    'X-Request-Id': requestId,
    'X-Content-Type-Options': 'nosniff',
    'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
    ...(typeof retryAfterSeconds === 'number' ? { 'Retry-After': String(retryAfterSeconds) } : {}),
  }
}
