import type { IncomingMessage } from 'node:http'
import type { RawData, WebSocket } from 'ws'
import { clientNetwork } from '../../platform/limits/clients.ts'
import { TokenBuckets } from '../../platform/limits/token-buckets.ts'
import type { Allowance } from '../../platform/limits/token-buckets.ts'
import type { Logger } from '../../platform/log.ts'
import type { Metrics } from '../../platform/metrics.ts'
import { TimeSlices } from './time-slices.ts'
import type { Socket } from 'node:net'

export interface FeedClientsOptions {
  readonly name: string
  readonly metrics: Metrics
  readonly log: Logger
  /** Default 15,000; a client without a pong until the next ping is dropped. */
  readonly pingMs?: number
  /** Default 1 MiB; a client beyond it is dropped. */
  readonly maxBufferedBytes?: number
  /** Per ping interval. Default 100; a client beyond it is dropped. */
  readonly maxInboundMessages?: number
  /** Limit of received bytes per client network. Default 64 KiB a second, 4 MiB at once. */
  readonly inboundBytes?: Allowance
  /** Default: that of the socket's address. */
  readonly networkOf?: (request: IncomingMessage) => string
}

/** A subscription of 20 KB takes 2 ms: 100 connections that reconnect could occupy the process. */
const defaultInboundBytes: Allowance = { rate: 64 * 1024, burst: 4 * 1024 * 1024 }
/** Small messages cost as much. */
const minMessageBytes = 256
/** Longer than a budget takes to refill. */
const budgetIdleMs = 600_000

export interface ConnectionHandler {
  /** Undefined for binary frames. */
  readonly message?: (text: string | undefined) => void
  readonly closed?: () => void
}

/**
 * Pings clients and drops those that do not respond, send too much or read too slowly.
 *
 *   open ──too slow──► dropped (1013)   open ──no pong──► ended
 *     └──sends too much──► dropped (1008)   └──closes──► gone
 */
export class FeedClients {
  readonly #connections = new Set<FeedConnection>()
  readonly #options: Required<FeedClientsOptions>
  readonly #slices = new TimeSlices()
  readonly #budgets = new TokenBuckets({ idleMs: budgetIdleMs })
  #pinging: NodeJS.Timeout | undefined
  #isPinging = false

  constructor(options: FeedClientsOptions) {
    this.#options = {
      pingMs: 15_000,
      maxBufferedBytes: 1024 * 1024,
      maxInboundMessages: 100,
      inboundBytes: defaultInboundBytes,
      networkOf,
      ...options,
    }
  }

  get size(): number {
    return this.#connections.size
  }

  get maxBufferedBytes(): number {
    return this.#options.maxBufferedBytes
  }

  get pingMs(): number {
    return this.#options.pingMs
  }

  add(
    socket: WebSocket,
    request: IncomingMessage,
    handler: (connection: FeedConnection) => ConnectionHandler = () => ({}),
  ): FeedConnection {
    const connection = new FeedConnection(socket, request.socket, this.#options.networkOf(request))
    const { message, closed } = handler(connection)
    this.#connections.add(connection)
    this.#clientsChanged()
    socket.on('ping', () => this.#countInbound(connection))
    socket.on('pong', () => {
      connection.isAlive = true
      this.#countInbound(connection)
    })
    socket.on('message', (data, isBinary) => {
      if (!this.#countInbound(connection) || !this.#spend(connection, data)) return
      message?.(isBinary ? undefined : textOf(data))
    })
    socket.on('error', (error) => {
      this.#options.log.debug({ err: error, feed: this.#options.name }, 'Feed connection failed')
    })
    socket.once('close', () => {
      this.#connections.delete(connection)
      this.#clientsChanged()
      closed?.()
    })
    this.#pinging ??= setInterval(() => void this.#ping(), this.#options.pingMs)
    return connection
  }

  async send(frame: Buffer): Promise<void> {
    let sent = 0
    for (const connection of this.#connections) {
      if (!this.#slices.tryTake()) await this.#slices.take()
      if (!connection.isOpen) continue
      connection.write(frame)
      sent++
      if (connection.waitingBytes > this.#options.maxBufferedBytes) this.dropSlow(connection, 'too slow')
    }
    this.sent(sent)
  }

  sent(messages: number): void {
    this.#options.metrics.feedMessages.inc({ feed: this.#options.name }, messages)
  }

  dropSlow(connection: FeedConnection, reason: string): void {
    if (!connection.isOpen) return
    this.#options.metrics.feedDropped.inc()
    this.#drop(connection, 1013, reason)
  }

  /** @returns false if the client was dropped */
  #countInbound(connection: FeedConnection): boolean {
    if (!connection.isOpen) return false
    connection.inbound++
    if (connection.inbound > this.#options.maxInboundMessages) {
      this.#options.metrics.feedNoisy.inc()
      this.#drop(
        connection,
        1008,
        `too many messages: limit ${this.#options.maxInboundMessages} per ${this.#options.pingMs / 1000} s`,
      )
    } else if (connection.waitingBytes > this.#options.maxBufferedBytes)
      this.dropSlow(connection, 'too slow: responses are not read')
    return connection.isOpen
  }

  /** @returns false if the client was dropped */
  #spend(connection: FeedConnection, data: RawData): boolean {
    const { inboundBytes, metrics } = this.#options
    const length = Array.isArray(data) ? data.reduce((sum, part) => sum + part.length, 0) : data.byteLength
    const bytes = Math.min(inboundBytes.burst, Math.max(minMessageBytes, length))
    const { isAllowed, nextInSeconds } = this.#budgets.take(connection.network, inboundBytes, bytes)
    if (isAllowed) return true
    metrics.feedNoisy.inc()
    this.#drop(connection, 1008, `too many messages from your network: try again in ${nextInSeconds} s`)
    return false
  }

  #drop(connection: FeedConnection, code: number, reason: string): void {
    const { log, name } = this.#options
    log.debug({ feed: name, code, reason, buffered: connection.waitingBytes }, 'Dropped a feed client')
    connection.drop(code, reason)
  }

  async #ping(): Promise<void> {
    // A second concurrent round would drop clients that have not answered the first.
    if (this.#isPinging) return
    this.#isPinging = true
    for (const connection of this.#connections) {
      if (!this.#slices.tryTake()) await this.#slices.take()
      if (!connection.isAlive) {
        connection.terminate()
        continue
      }
      connection.isAlive = false
      connection.inbound = 0
      connection.write(pingFrame)
    }
    this.#isPinging = false
  }

  #clientsChanged(): void {
    this.#options.metrics.feedClients.set({ feed: this.#options.name }, this.#connections.size)
    if (this.#connections.size > 0) return
    clearInterval(this.#pinging)
    this.#pinging = undefined
  }
}

function networkOf({ socket }: IncomingMessage): string {
  return clientNetwork(socket.remoteAddress ?? '')
}

function textOf(data: RawData): string {
  return Array.isArray(data) ? Buffer.concat(data).toString() : Buffer.from(data as Buffer).toString()
}

/** Time to read the close reason. */
const dropGraceMs = 1000

/** Pre-encoded frames bypass the sender of the library, which would encode them per client. */
export class FeedConnection {
  /** Since the last ping. */
  isAlive = true
  /** Since the last ping. */
  inbound = 0
  readonly network: string
  readonly #socket: WebSocket
  readonly #stream: Socket

  constructor(socket: WebSocket, stream: Socket, network: string) {
    this.network = network
    this.#socket = socket
    this.#stream = stream
  }

  get isOpen(): boolean {
    return this.#socket.readyState === this.#socket.OPEN
  }

  /** Bytes not yet accepted by the kernel. */
  get waitingBytes(): number {
    return this.#stream.writableLength
  }

  write(frame: Buffer): void {
    if (this.isOpen) this.#stream.write(frame)
  }

  writeText(text: string): void {
    this.write(textFrame(text))
  }

  async drained(): Promise<void> {
    const stream = this.#stream
    if (!stream.writableNeedDrain || stream.destroyed) return
    await new Promise<void>((resolve) => {
      const done = (): void => {
        stream.off('drain', done).off('close', done)
        resolve()
      }
      stream.on('drain', done).on('close', done)
    })
  }

  /**
   * The reason queues behind unread data; a client that does not read it is terminated.
   *
   * @param reason at most 123 bytes
   */
  drop(code: number, reason: string): void {
    this.#socket.close(code, reason)
    setTimeout(() => this.#socket.terminate(), dropGraceMs).unref()
  }

  terminate(): void {
    this.#socket.terminate()
  }
}

/** RFC 6455 §5.5.2. */
export const pingFrame = Buffer.from([0x89, 0])

/** Unmasked, RFC 6455 §5.2. */
export function textFrame(text: string): Buffer {
  const length = Buffer.byteLength(text)
  const headLength = length < 126 ? 2 : length < 65_536 ? 4 : 10
  const frame = Buffer.allocUnsafe(headLength + length)
  frame[0] = 0x81
  if (headLength === 2) frame[1] = length
  else if (headLength === 4) {
    frame[1] = 126
    frame.writeUInt16BE(length, 2)
  } else {
    frame[1] = 127
    frame.writeBigUInt64BE(BigInt(length), 2)
  }
  frame.write(text, headLength)
  return frame
}
