import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { WebSocket } from 'ws'
import type { Logger } from '../base/log.ts'
import type { Metrics } from '../base/metrics.ts'

export interface FeedClientsOptions {
  /** Label of the feed in metrics and log. */
  readonly name: string
  readonly metrics: Metrics
  readonly log: Logger
  /** Pause between pings; a client that answers none of them until the next is dropped. Default 15,000 ms. */
  readonly pingMs?: number
  /** What may wait for a client that does not read; with more it is dropped. Default 4 MiB. */
  readonly maxBufferedBytes?: number
}

/** Messages that a client may send between two pings; feeds expect none. */
const maxInboundMessages = 100

/** How long a client that is dropped has to read why, in milliseconds. */
const dropGraceMs = 1000

interface Client {
  readonly socket: WebSocket
  readonly connection: Socket
  isAlive: boolean
  inbound: number
}

/**
 * The connections of one feed. A message is made into bytes once and the same bytes go to all; a slow client costs the
 * others nothing, since nothing waits for it: it is dropped when too much is on its way to it.
 *
 *     open ──too slow──► dropped (1013)     open ──no pong──► ended
 *       └──talks too much──► dropped (1008)   └──leaves──► gone
 */
export class FeedClients {
  readonly #clients = new Set<Client>()
  readonly #options: Required<FeedClientsOptions>
  #pinging: NodeJS.Timeout | undefined

  constructor(options: FeedClientsOptions) {
    this.#options = { pingMs: 15_000, maxBufferedBytes: 4 * 1024 * 1024, ...options }
  }

  get size(): number {
    return this.#clients.size
  }

  /** Takes a connection over. */
  add(socket: WebSocket, request: IncomingMessage): void {
    const client: Client = { socket, connection: request.socket, isAlive: true, inbound: 0 }
    this.#clients.add(client)
    this.#clientsChanged()
    socket.on('pong', () => {
      client.isAlive = true
    })
    socket.on('message', () => {
      client.inbound++
      if (client.inbound > maxInboundMessages) this.#drop(client, 1008, 'too many messages')
    })
    socket.on('error', (error) => {
      this.#options.log.debug({ err: error, feed: this.#options.name }, 'a feed client failed')
    })
    socket.once('close', () => {
      this.#clients.delete(client)
      this.#clientsChanged()
    })
    this.#pinging ??= setInterval(() => this.#ping(), this.#options.pingMs)
  }

  /** Sends messages, each a JSON text in UTF-8, to all clients in this order; each client gets them in one write. */
  send(messages: readonly Buffer[]): void {
    for (const client of this.#clients) this.#sendTo(client, messages)
  }

  /** Sends messages to one client. */
  sendTo(socket: WebSocket, messages: readonly Buffer[]): void {
    for (const client of this.#clients) if (client.socket === socket) this.#sendTo(client, messages)
  }

  #sendTo(client: Client, messages: readonly Buffer[]): void {
    const { socket, connection } = client
    if (socket.readyState !== socket.OPEN) return
    if (socket.bufferedAmount > this.#options.maxBufferedBytes) return this.#drop(client, 1013, 'too slow')
    connection.cork()
    for (const message of messages) socket.send(message, { binary: false })
    connection.uncork()
    this.#options.metrics.feedMessages.inc({ feed: this.#options.name }, messages.length)
  }

  #drop(client: Client, code: number, reason: string): void {
    const { metrics, log, name } = this.#options
    if (code === 1013) metrics.feedDropped.inc()
    log.debug({ feed: name, code, reason, buffered: client.socket.bufferedAmount }, 'a feed client was dropped')
    client.socket.close(code, reason)
    // The reason waits behind what the client has not read; whoever does not read it either is not waited for.
    setTimeout(() => client.socket.terminate(), dropGraceMs).unref()
  }

  #ping(): void {
    for (const client of this.#clients) {
      if (!client.isAlive) {
        client.socket.terminate()
        continue
      }
      client.isAlive = false
      client.inbound = 0
      if (client.socket.readyState === client.socket.OPEN) client.socket.ping()
    }
  }

  #clientsChanged(): void {
    this.#options.metrics.feedClients.set({ feed: this.#options.name }, this.#clients.size)
    if (this.#clients.size > 0) return
    clearInterval(this.#pinging)
    this.#pinging = undefined
  }
}
