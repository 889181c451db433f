import { randomUUID } from 'node:crypto'
import { STATUS_CODES } from 'node:http'
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import type Koa from 'koa'
import websockify from 'koa-websocket'
import type { WebSocket } from 'ws'
import { clientNetwork } from '../limits/clients.ts'
import { ApiError, asError } from '../errors.ts'
import type { Logger } from '../log.ts'
import { problemOf } from './problem.ts'
import type { Client } from '../limits/clients.ts'

/** Takes over a connection that was let in. */
export type Feed = (socket: WebSocket, request: IncomingMessage) => void

export interface WebSocketOptions {
  /** Feeds by path, exactly as clients ask for them once `resolvePath` is applied. */
  readonly feeds: Readonly<Record<string, Feed>>
  /** Connections from one client network; this machine is not limited. */
  readonly maxConnectionsPerAddress: number
  /** Longest message of a client. Default 64 KiB; ws would take 100 MiB. */
  readonly maxMessageBytes?: number | undefined
  /** Counts an attempt; the seconds after which to try again, where there were too many. */
  readonly waitOf?: ((client: Client) => number | undefined) | undefined
}

interface WebSocketGateOptions extends WebSocketOptions {
  readonly log: Logger
  readonly resolvePath: (path: string) => string
  readonly clientOf: (request: IncomingMessage) => Client
  /** How long clients have to answer the close at shutdown, ms. */
  readonly closeGraceMs: number
}

export interface WebSocketGate {
  /** Listener for the HTTP server's `upgrade`. */
  readonly upgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => void
  /** Refuses newcomers with 503, closes all connections with 1001, and ends those that stay beyond the grace. */
  close(): Promise<void>
}

/**
 * Mounts feeds on a Koa application by koa-websocket, which by itself lets anybody in: on any path, without limit, and
 * without a word about errors. So it is not given the HTTP server. An upgrade is decided here, while it can still be
 * refused with a status, and only one that is let in goes on to koa-websocket's middleware.
 *
 *     open ──close()──► closing ──all gone or grace over──► closed
 */
export function createWebSocketGate(app: Koa, options: WebSocketGateOptions): WebSocketGate {
  const { log, feeds, resolvePath, clientOf, waitOf, maxConnectionsPerAddress, closeGraceMs } = options
  const { maxMessageBytes = 64 * 1024 } = options
  const mounted = websockify(app)
  const server = listenDetached(mounted, maxMessageBytes)
  const connections = new Map<string, number>()
  let isClosing = false

  mounted.ws.use((context) => {
    const { websocket, req } = context
    try {
      feeds[resolvePath(pathOf(req.url))]?.(websocket, req)
    } catch (error) {
      log.error({ err: asError(error), path: pathOf(req.url) }, 'a feed failed to take a connection')
      websocket.close(1011, 'internal error')
    }
  })

  // A browser that asks without an upgrade is told what it has found.
  app.use(async ({ originalUrl }, next) => {
    const path = pathOf(originalUrl)
    if (Object.hasOwn(feeds, resolvePath(path)))
      throw new ApiError(426, 'websocket-only', `${path} is a WebSocket: connect with ws:// or wss://.`)
    await next()
  })

  function refusal(request: IncomingMessage, client: Client): Refusal | undefined {
    if (isClosing) return { error: new ApiError(503, 'stopping', 'The server is stopping; connect again in a moment.') }
    const retryAfter = waitOf?.(client)
    if (retryAfter !== undefined) {
      return {
        error: new ApiError(429, 'rate-limited', `Too many attempts; try again in ${retryAfter} s.`),
        retryAfter,
      }
    }
    if (!Object.hasOwn(feeds, resolvePath(pathOf(request.url)))) {
      return {
        error: new ApiError(
          404,
          'unknown-path',
          `There is no WebSocket here, but at ${Object.keys(feeds).join(' and ')}.`,
        ),
      }
    }
    const isCrowded =
      !client.isLocal && (connections.get(clientNetwork(client.address)) ?? 0) >= maxConnectionsPerAddress
    if (!isCrowded) return undefined
    return {
      error: new ApiError(
        429,
        'too-many-connections',
        `Your address has ${maxConnectionsPerAddress} connections, which is the most; close one.`,
      ),
    }
  }

  function upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const client = clientOf(request)
    const address = clientNetwork(client.address)
    const refused = refusal(request, client)
    if (refused !== undefined) return refuse(socket, refused)
    // Counted from here on, so that a crowd that arrives at once is seen.
    connections.set(address, (connections.get(address) ?? 0) + 1)
    socket.once('close', () => {
      const left = (connections.get(address) ?? 1) - 1
      if (left > 0) connections.set(address, left)
      else connections.delete(address)
    })
    server.handleUpgrade(request, socket, head, (websocket) => server.emit('connection', websocket, request))
  }

  return {
    upgrade,
    close: async () => {
      isClosing = true
      const timer = new AbortController()
      const gone = Promise.all(
        [...server.clients].map(
          (client) =>
            new Promise((resolve) => {
              client.once('close', resolve)
              client.close(1001, 'server is shutting down')
            }),
        ),
      )
      const grace = delay(closeGraceMs, undefined, { signal: timer.signal }).catch(() => undefined)
      await Promise.race([gone, grace])
      timer.abort()
      for (const client of server.clients) client.terminate()
      await gone
      server.close()
    },
  }
}

/** Most frames that a message may be cut into. */
const maxFragments = 64

/**
 * What a client sends comes in pieces of this many bytes on average, or more: fewer than the network's smallest
 * segments have. Each piece of an unfinished message is held apart, at some 250 bytes beside its own.
 */
const minPieceBytes = 256

/** koa-websocket's own server, attached to no HTTP server. */
function listenDetached(app: websockify.App, maxPayload: number): Server {
  app.ws.listen({
    noServer: true,
    maxPayload,
    perMessageDeflate: false,
    clientTracking: true,
    // By default a message in single bytes might take 16 MiB.
    maxFragments,
    maxBufferedChunks: Math.ceil(maxPayload / minPieceBytes),
  })
  const { server } = app.ws
  if (server === undefined) throw new TypeError('koa-websocket made no server')
  return server
}

type Server = NonNullable<websockify.App['ws']['server']>

function pathOf(url = '/'): string {
  return url.split('?', 1)[0] ?? '/'
}

interface Refusal {
  readonly error: ApiError
  /** Seconds. */
  readonly retryAfter?: number
}

function refuse(socket: Duplex, { error, retryAfter }: Refusal): void {
  // The client may be gone already; there is nobody left to tell.
  socket.on('error', () => socket.destroy())
  const wait = retryAfter === undefined ? '' : `Retry-After: ${retryAfter}\r\n`
  const body = JSON.stringify(problemOf(error, randomUUID()))
  socket.end(
    `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}\r\n${wait}Connection: close\r\n` +
      `Content-Type: application/problem+json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  )
}
