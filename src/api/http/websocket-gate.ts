import { STATUS_CODES } from 'node:http'
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import type Koa from 'koa'
import websockify from 'koa-websocket'
import type { WebSocket } from 'ws'
import { clientNetwork } from '../../base/client-network.ts'
import { asError } from '../../base/errors.ts'
import type { Logger } from '../../base/log.ts'
import type { Client } from './client-address.ts'

/** Takes over a connection that was let in. */
export type Feed = (socket: WebSocket, request: IncomingMessage) => void

export interface WebSocketGateOptions {
  readonly log: Logger
  /** Feeds by path, exactly as clients ask for them once `resolvePath` is applied. */
  readonly feeds: Readonly<Record<string, Feed>>
  readonly resolvePath: (path: string) => string
  readonly clientOf: (request: IncomingMessage) => Client
  /** Most connections from one address, or one network of IPv6; this machine is not limited. */
  readonly maxConnectionsPerAddress: number
  /** Longest message of a client; ws would take 100 MiB. */
  readonly maxMessageBytes: number
  /** Counts an attempt; the seconds after which to try again, where there were too many. */
  readonly waitOf: (client: Client) => number | undefined
  /** How long clients have to answer the close at shutdown, in milliseconds. */
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
  const { log, feeds, resolvePath, clientOf, waitOf, maxConnectionsPerAddress, maxMessageBytes, closeGraceMs } = options
  const mounted = websockify(app)
  const server = listenDetached(mounted, maxMessageBytes)
  const connections = new Map<string, number>()
  let isClosing = false

  mounted.ws.use((context) => {
    const { websocket, req } = context
    try {
      feeds[resolvePath(pathOf(req))]?.(websocket, req)
    } catch (error) {
      log.error({ err: asError(error), path: pathOf(req) }, 'a feed failed to take a connection')
      websocket.close(1011, 'internal error')
    }
  })

  function refusal(request: IncomingMessage, client: Client): Refusal | undefined {
    if (isClosing) return { status: 503 }
    const retryAfter = waitOf(client)
    if (retryAfter !== undefined) return { status: 429, retryAfter }
    if (!Object.hasOwn(feeds, resolvePath(pathOf(request)))) return { status: 404 }
    const isCrowded = !client.isLocal && (connections.get(clientNetwork(client.address)) ?? 0) >= maxConnectionsPerAddress
    return isCrowded ? { status: 429 } : undefined
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
      const gone = Promise.all([...server.clients].map((client) => new Promise((resolve) => {
        client.once('close', resolve)
        client.close(1001, 'server is shutting down')
      })))
      const grace = delay(closeGraceMs, undefined, { signal: timer.signal }).catch(() => undefined)
      await Promise.race([gone, grace])
      timer.abort()
      for (const client of server.clients) client.terminate()
      await gone
      server.close()
    },
  }
}

/** koa-websocket's own server, attached to no HTTP server. */
function listenDetached(app: websockify.App, maxPayload: number): Server {
  app.ws.listen({ noServer: true, maxPayload, perMessageDeflate: false, clientTracking: true })
  const { server } = app.ws
  if (server === undefined) throw new TypeError('koa-websocket made no server')
  return server
}

type Server = NonNullable<websockify.App['ws']['server']>

function pathOf(request: IncomingMessage): string {
  return (request.url ?? '/').split('?', 1)[0] ?? '/'
}

interface Refusal {
  readonly status: number
  /** Seconds. */
  readonly retryAfter?: number
}

function refuse(socket: Duplex, { status, retryAfter }: Refusal): void {
  // The client may be gone already; there is nobody left to tell.
  socket.on('error', () => socket.destroy())
  const wait = retryAfter === undefined ? '' : `Retry-After: ${retryAfter}\r\n`
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${wait}Connection: close\r\nContent-Length: 0\r\n\r\n`)
}
