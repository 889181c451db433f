import { createServer } from 'node:http'
import type { RequestListener, Server, IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { ApiError } from '../errors.ts'

/** Times in milliseconds that a client may take. */
export interface Patience {
  /** To send the head of a request. */
  readonly headMs: number
  /** To send all of a request. */
  readonly requestMs: number
  /** To take something of its answer. */
  readonly stalledMs: number
}

const usualPatience: Patience = { headMs: 10_000, requestMs: 30_000, stalledMs: 60_000 }

/** Creates an HTTP server that drops clients which send or read too slowly. */
export function createListener(
  handle: RequestListener,
  { headMs, requestMs, stalledMs }: Patience = usualPatience,
): Server {
  const server: Server = createServer(
    {
      headersTimeout: headMs,
      requestTimeout: requestMs,
      // Node checks both of the above this seldom.
      connectionsCheckingInterval: Math.min(1000, headMs),
      // Longer than the minute for which proxies usually keep idle connections, so that they close first.
      keepAliveTimeout: 65_000,
      maxHeaderSize: 16 * 1024,
      // Others ask for HTTP/2 (`h2c`), as clients in Java do with every request, and take an answer in HTTP/1.1.
      shouldUpgradeCallback: ({ headers }) =>
        headers.upgrade?.toLowerCase() === 'websocket' && server.listenerCount('upgrade') > 0,
    },
    handle,
  )
  // Longer than any answer takes: nothing was sent or read, so the client is gone. WebSockets have pings of their own.
  server.timeout = stalledMs
  return server
}

/**
 * Makes a server listen.
 * @param listener a server, or what handles the requests of a new one
 * @param address port 0 picks a free one
 * @throws what the system says when the port cannot be bound
 */
export async function listen(
  listener: Server | RequestListener,
  address: { readonly host: string; readonly port: number },
): Promise<{ readonly server: Server; readonly port: number }> {
  const server = typeof listener === 'function' ? createListener(listener) : listener
  const { host, port } = address
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  server.once('error', reject)
  server.listen({ host, port }, resolve)
  await promise
  server.off('error', reject)
  return { server, port: (server.address() as AddressInfo).port }
}

/**
 * How often connections are closed whose request has been answered meanwhile, ms: `close` closes those alone that are
 * idle at first.
 */
const lookMs = 20

/** Takes no more requests, waits for those that run, and ends the rest after `graceMs`. */
export async function closeServer(server: Server, graceMs: number): Promise<void> {
  const closed = Promise.withResolvers<void>()
  server.close(() => closed.resolve())
  const look = setInterval(() => server.closeIdleConnections(), lookMs)
  const force = setTimeout(() => server.closeAllConnections(), graceMs)
  await closed.promise
  clearTimeout(force)
  clearInterval(look)
}

/** Where a server on this machine is reached that binds this address. */
export function localHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1'
  return host.includes(':') ? `[${host}]` : host
}

/** Address for browsers on this machine of a server that listens on `host`. */
export function pageAddress(host: string, port: number): string {
  const isEvery = ['0.0.0.0', '::', ''].includes(host)
  return `http://${isEvery ? 'localhost' : host.includes(':') ? `[${host}]` : host}:${port}`
}

type Exchange = readonly [request: IncomingMessage, response: ServerResponse]

/** Requests that may wait behind another one on their connection. */
const maxWaiting = 100

/**
 * Handles the requests of a connection one after another. Node emits pipelined requests at once: thousands would run
 * together, with their answers in memory behind the first one. A client with more than a hundred waiting requests is
 * disconnected.
 */
export function oneAtATime(handle: RequestListener): RequestListener {
  /** What waits, by connection, for those on which something is worked on. */
  const waiting = new WeakMap<Socket, Exchange[]>()

  function begin(exchange: Exchange, socket: Socket): void {
    exchange[1].once('close', () => next(socket))
    handle(...exchange)
  }

  function next(socket: Socket): void {
    const exchange = socket.destroyed ? undefined : waiting.get(socket)?.shift()
    if (exchange === undefined) waiting.delete(socket)
    else begin(exchange, socket)
  }

  return (request, response) => {
    const { socket } = request
    const line = waiting.get(socket)
    if (line === undefined) {
      waiting.set(socket, [])
      begin([request, response], socket)
    } else if (line.length < maxWaiting) line.push([request, response])
    else socket.destroy()
  }
}

/**
 * The target of a request as a path with its query. Koa and its parts throw on other forms and on fragments, in
 * places where it cannot be caught.
 *
 * - `/path?query`: as it is, but for a fragment, which no client should send;
 * - `http://host/path`, as proxies are asked: the path of it;
 * - `OPTIONS *`, about the whole server: `/`.
 *
 * @throws ApiError 400 `bad-target`, or `bad-host` where there is more than one `Host`, of which others may take the
 *   other one
 */
export function requestTarget({ url = '', method, rawHeaders }: IncomingMessage): string {
  const hosts = rawHeaders.filter((name, i) => i % 2 === 0 && name.toLowerCase() === 'host')
  if (hosts.length > 1) throw new ApiError(400, 'bad-host', 'A request has one Host header.')
  if (url.startsWith('/')) return url.split('#', 1)[0] ?? '/'
  if (url === '*' && method === 'OPTIONS') return '/'
  const { protocol, pathname, search } = URL.parse(url) ?? { protocol: '', pathname: '', search: '' }
  if (protocol === 'http:' || protocol === 'https:') return `${pathname}${search}`
  throw new ApiError(400, 'bad-target', 'Ask for a path that begins with a slash, or for an address of http.')
}

/** Aborted when the client leaves before it has its answer. */
export function leftSignal(response: ServerResponse): AbortSignal {
  const controller = new AbortController()
  const left = (): void => {
    if (!response.writableFinished) controller.abort(new Error('the client has gone'))
  }
  // It may have left while its request was read.
  if (response.destroyed) left()
  else response.once('close', left)
  return controller.signal
}

/** The last one is of a client that leaves within a body. */
const codes: ReadonlySet<unknown> = new Set([
  'ERR_STREAM_PREMATURE_CLOSE',
  'ECONNRESET',
  'EPIPE',
  'HPE_INVALID_EOF_STATE',
])

/** Whether an answer could not be sent because the client has gone, which is no fault. */
export function isClientDisconnect(error: unknown): boolean {
  return error instanceof Error && 'code' in error && codes.has(error.code)
}
