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

export type Feed = (socket: WebSocket, request: IncomingMessage) => void

export interface WebSocketOptions {
  /** By exact path, after `resolvePath`. */
  readonly feeds: Readonly<Record<string, Feed>>
  /** Clients on this machine are not limited. */
  readonly maxConnectionsPerAddress: number
  /** The default of ws is 100 MiB. */
  readonly maxMessageBytes?: number | undefined
  /** Counts a connection attempt; returns the seconds to wait if there were too many. */
  readonly waitOf?: ((client: Client) => number | undefined) | undefined
}

interface WebSocketGateOptions extends WebSocketOptions {
  readonly log: Logger
  readonly resolvePath: (path: string) => string
  readonly clientOf: (request: IncomingMessage) => Client
  readonly closeGraceMs: number
}

export interface WebSocketGate {
  readonly upgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => void
  /** Closes with 1001 and terminates connections that remain after the grace period. */
  close(): Promise<void>
}

/**
 * koa-websocket accepts any upgrade, so upgrades are checked here first, while they can still be
 * refused with an HTTP status.
 *
 * open → close() → closing → all connections closed or grace period over → closed
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
      log.error({ err: asError(error), path: pathOf(req.url) }, 'a feed failed to accept a connection')
      websocket.close(1011, 'internal error')
    }
  })

  app.use(async ({ originalUrl }, next) => {
    const path = pathOf(originalUrl)
    if (Object.hasOwn(feeds, resolvePath(path)))
      throw new ApiError(426, 'websocket-only', `${path} is a WebSocket. Connect with ws:// or wss://.`)
    await next()
  })

  function refusal(request: IncomingMessage, client: Client): Refusal | undefined {
    if (isClosing) return { error: new ApiError(503, 'stopping', 'The server is stopping; connect again in a moment.') }
    const retryAfter = waitOf?.(client)
    if (retryAfter !== undefined) {
      return {
        error: new ApiError(429, 'rate-limited', `Too many attempts. Try again in ${retryAfter} s.`),
        retryAfter,
      }
    }
    if (!Object.hasOwn(feeds, resolvePath(pathOf(request.url)))) {
      return {
        error: new ApiError(
          404,
          'unknown-path',
          `No WebSocket at this path. WebSockets are at ${Object.keys(feeds).join(' and ')}.`,
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
        `Your address has ${maxConnectionsPerAddress} connections, which is the limit. Close one.`,
      ),
    }
  }

  function upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const client = clientOf(request)
    const address = clientNetwork(client.address)
    const refused = refusal(request, client)
    if (refused !== undefined) return refuse(socket, refused)
    // Counted now, so that simultaneous connections are limited too.
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

const maxFragments = 64

/**
 * Below the smallest network segments. Each piece of an incomplete message costs about 250 bytes
 * besides its content.
 */
const minPieceBytes = 256

function listenDetached(app: websockify.App, maxPayload: number): Server {
  app.ws.listen({
    noServer: true,
    maxPayload,
    perMessageDeflate: false,
    clientTracking: true,
    // With the default, a message in single bytes could take 16 MiB.
    maxFragments,
    maxBufferedChunks: Math.ceil(maxPayload / minPieceBytes),
  })
  const { server } = app.ws
  if (server === undefined) throw new TypeError('koa-websocket did not create a server')
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
  socket.on('error', () => socket.destroy())
  const wait = retryAfter === undefined ? '' : `Retry-After: ${retryAfter}\r\n`
  const body = JSON.stringify(problemOf(error, randomUUID()))
  socket.end(
    `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}\r\n${wait}Connection: close\r\n` +
      `Content-Type: application/problem+json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  )
}
