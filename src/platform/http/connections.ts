import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { RequestListener, Server, IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { ApiError } from '../errors.ts'
import { clientNetwork } from '../limits/clients.ts'

/** Client timeouts, ms. */
export interface ClientTimeouts {
  /** Until the request head is complete. */
  readonly headMs: number
  /** Until the request is complete. */
  readonly requestMs: number
  /** Without any progress of the response. */
  readonly stalledMs: number
}

export const defaultTimeouts: ClientTimeouts = { headMs: 10_000, requestMs: 30_000, stalledMs: 60_000 }

export function createListener(
  handle: RequestListener,
  { headMs, requestMs, stalledMs }: ClientTimeouts = defaultTimeouts,
): Server {
  const server: Server = createServer(
    {
      headersTimeout: headMs,
      requestTimeout: requestMs,
      // Node checks both timeouts above at this interval.
      connectionsCheckingInterval: Math.min(1000, headMs),
      // Longer than the 60 s of most proxies, so that they close first.
      keepAliveTimeout: 65_000,
      maxHeaderSize: 16 * 1024,
      // Java clients request an upgrade to `h2c` and accept HTTP/1.1 instead.
      shouldUpgradeCallback: ({ headers }) =>
        headers.upgrade?.toLowerCase() === 'websocket' && server.listenerCount('upgrade') > 0,
    },
    handle,
  )
  // WebSockets have their own pings.
  server.timeout = stalledMs
  connectionLimit.watch(server)
  return server
}

/** Half of the open files at most: the rest is for the database, nodes and files. */
const maxConnections = Math.min(10_000, Math.floor(maxOpenFiles() / 2))

/**
 * Bounds the connections of several servers together. Beyond the limit the network with the most
 * connections loses its newest, so one client cannot lock out the others.
 */
export class ConnectionLimit {
  readonly #max: number
  readonly #open = new Map<string, Set<Socket>>()
  #count = 0

  constructor(max: number) {
    this.#max = max
  }

  watch(server: Server): void {
    server.on('connection', (socket) => this.#add(socket))
  }

  #add(socket: Socket): void {
    const network = clientNetwork(socket.remoteAddress ?? '')
    const own = this.#open.get(network) ?? new Set()
    this.#open.set(network, own)
    own.add(socket)
    this.#count++
    socket.once('close', () => {
      this.#count--
      own.delete(socket)
      if (own.size === 0) this.#open.delete(network)
    })
    if (this.#count <= this.#max) return
    const largest = [...this.#open.values()].reduce((most, each) => (each.size > most.size ? each : most), own)
    ;[...largest].at(-1)?.destroy()
  }
}

/** Shared by all servers of the process. */
export const connectionLimit = new ConnectionLimit(maxConnections)

/** Node raises the soft limit to the hard one. Other systems than Linux: their usual limit. */
function maxOpenFiles(): number {
  try {
    return Number(/^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1] ?? Infinity)
  } catch {
    return 10_240
  }
}

/**
 * @param address port 0 picks a free port
 * @throws the system error when the port cannot be bound
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

/** `server.close` closes only connections that are idle at first. */
const sweepMs = 20

/** Aborts requests still open after `graceMs`. */
export async function closeServer(server: Server, graceMs: number): Promise<void> {
  const closed = Promise.withResolvers<void>()
  server.close(() => closed.resolve())
  const sweep = setInterval(() => server.closeIdleConnections(), sweepMs)
  const force = setTimeout(() => server.closeAllConnections(), graceMs)
  await closed.promise
  clearTimeout(force)
  clearInterval(sweep)
}

export function localHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1'
  return host.includes(':') ? `[${host}]` : host
}

export function pageAddress(host: string, port: number): string {
  const isEvery = ['0.0.0.0', '::', ''].includes(host)
  return `http://${isEvery ? 'localhost' : host.includes(':') ? `[${host}]` : host}:${port}`
}

type Exchange = readonly [request: IncomingMessage, response: ServerResponse]

const maxWaiting = 100

/**
 * Handles the requests of a connection one after another: Node emits pipelined requests at once, so
 * thousands could run together. Clients with more than 100 waiting requests are disconnected.
 */
export function serializePipelinedRequests(handle: RequestListener): RequestListener {
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
 * The request target as a path with query; Koa throws on other forms where it cannot be caught.
 * Accepts absolute URLs (as sent to proxies) and `OPTIONS *`.
 *
 * @throws ApiError 400 `bad-target`; `bad-host` if there are several `Host` headers, which servers
 *   interpret differently
 */
export function requestTarget({ url = '', method, rawHeaders }: IncomingMessage): string {
  const hosts = rawHeaders.filter((name, i) => i % 2 === 0 && name.toLowerCase() === 'host')
  if (hosts.length > 1) throw new ApiError(400, 'bad-host', 'The request has more than one Host header.')
  if (url.startsWith('/')) return url.split('#', 1)[0] ?? '/'
  if (url === '*' && method === 'OPTIONS') return '/'
  const { protocol, pathname, search } = URL.parse(url) ?? { protocol: '', pathname: '', search: '' }
  if (protocol === 'http:' || protocol === 'https:') return `${pathname}${search}`
  throw new ApiError(400, 'bad-target', 'The request target must be a path that starts with a slash, or an http URL.')
}

/** Aborted when the client disconnects before it has its response. */
export function disconnectSignal(response: ServerResponse): AbortSignal {
  const controller = new AbortController()
  const left = (): void => {
    if (!response.writableFinished) controller.abort(new Error('the client disconnected'))
  }
  // The client may have disconnected while its request was read.
  if (response.destroyed) left()
  else response.once('close', left)
  return controller.signal
}

/** HPE_INVALID_EOF_STATE: the client disconnected within a body. */
const codes: ReadonlySet<unknown> = new Set([
  'ERR_STREAM_PREMATURE_CLOSE',
  'ECONNRESET',
  'EPIPE',
  'HPE_INVALID_EOF_STATE',
])

export function isClientDisconnect(error: unknown): boolean {
  return error instanceof Error && 'code' in error && codes.has(error.code)
}
