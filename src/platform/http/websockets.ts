import { randomUUID } from 'node:crypto'
import { STATUS_CODES } from 'node:http'
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import type Koa from 'koa'
import websockify from 'koa-websocket'
import type { WebSocket } from 'ws'
import { limitKey } from '../limits/clients.ts'
import { ApiError, asError } from '../errors.ts'
import type { Logger } from '../log.ts'
import { problemOf, toApiError } from './problem.ts'
import type { Client } from '../limits/clients.ts'
import { Slots } from '../limits/slots.ts'
import type { Slot } from '../limits/slots.ts'

export type Feed = (socket: WebSocket, request: IncomingMessage) => void

export interface WebSocketOptions {
  /** By exact path, after `resolvePath`. */
  readonly feeds: Readonly<Record<string, Feed>>
  /** Clients on this machine are not limited. */
  readonly maxConnectionsPerAddress: number
  /** Default: no limit. */
  readonly maxConnections?: number | undefined
  /** The default of ws is 100 MiB. */
  readonly maxMessageBytes?: number | undefined
  /** Runs for each attempt. @throws ApiError that refuses the connection */
  readonly admit?: ((request: IncomingMessage, client: Client) => void) | undefined
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
  const { log, feeds, resolvePath, clientOf, admit, maxConnectionsPerAddress, closeGraceMs } = options
  const { maxMessageBytes = 64 * 1024, maxConnections = Infinity } = options
  const mounted = websockify(app)
  const server = listenDetached(mounted, maxMessageBytes)
  const connections = new Slots({
    what: 'connections',
    max: maxConnections,
    maxPerClient: maxConnectionsPerAddress,
    refusals: {
      client: () =>
        new ApiError(
          429,
          'too-many-connections',
          `Your address has ${maxConnectionsPerAddress} connections, which is the limit. Close one.`,
        ),
    },
  })
  let isClosing = false

  mounted.ws.use((context) => {
    const { websocket, req } = context
    try {
      feeds[resolvePath(pathOf(req.url))]?.(websocket, req)
    } catch (error) {
      log.error({ err: asError(error), path: pathOf(req.url) }, 'A feed failed to accept a connection')
      websocket.close(1011, 'internal error')
    }
  })

  app.use(async ({ originalUrl }, next) => {
    const path = pathOf(originalUrl)
    if (Object.hasOwn(feeds, resolvePath(path)))
      throw new ApiError(426, 'websocket-only', `${path} is a WebSocket. Connect with ws:// or wss://.`)
    await next()
  })

  function enter(request: IncomingMessage): Slot {
    if (isClosing) throw new ApiError(503, 'stopping', 'The server is stopping; connect again in a moment.')
    const client = clientOf(request)
    admit?.(request, client)
    if (!Object.hasOwn(feeds, resolvePath(pathOf(request.url))))
      throw new ApiError(
        404,
        'unknown-path',
        `No WebSocket at this path. WebSockets are at ${Object.keys(feeds).join(' and ')}.`,
      )
    return connections.enterNow(limitKey(client))
  }

  function upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    try {
      // Counted now, so that simultaneous connections are limited too.
      const slot = enter(request)
      socket.once('close', () => slot.leave())
    } catch (error) {
      refuse(socket, toApiError(error))
      return
    }
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

function refuse(socket: Duplex, error: ApiError): void {
  socket.on('error', () => socket.destroy())
  const { retryAfterSeconds } = error.details
  const wait = typeof retryAfterSeconds === 'number' ? `Retry-After: ${retryAfterSeconds}\r\n` : ''
  const body = JSON.stringify(problemOf(error, randomUUID()))
  socket.end(
    `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}\r\n${wait}Connection: close\r\n` +
      `Content-Type: application/problem+json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  )
}
