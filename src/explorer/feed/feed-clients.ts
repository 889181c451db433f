import type { IncomingMessage } from 'node:http'
import type { RawData, WebSocket } from 'ws'
import type { Logger } from '../../platform/log.ts'
import type { Metrics } from '../../platform/metrics.ts'
import { TimeSlices } from './time-slices.ts'
import type { Socket } from 'node:net'

export interface FeedClientsOptions {
  /** Label of the feed in metrics and log. */
  readonly name: string
  readonly metrics: Metrics
  readonly log: Logger
  /** Pause between pings; a client that answers none of them until the next is dropped. Default 15,000 ms. */
  readonly pingMs?: number
  /** What may wait for a client that does not read; with more it is dropped. Default 1 MiB. */
  readonly maxBufferedBytes?: number
  /** Messages, pings and pongs that a client may send between two pings; with more it is dropped. Default 100. */
  readonly maxInboundMessages?: number
}

/** What a feed does with a connection. Those of a feed that expects no messages leave `message` out. */
export interface ConnectionHandler {
  /** A message of the client; undefined where it was not text. */
  readonly message?: (text: string | undefined) => void
  readonly closed?: () => void
}

/**
 * The connections of one feed: counted, pinged, and dropped when they do not answer, talk too much or read too
 * slowly. Nothing waits for any of them.
 *
 *     open ──too slow──► dropped (1013)     open ──no pong──► ended
 *       └──talks too much──► dropped (1008)   └──leaves──► gone
 */
export class FeedClients {
  readonly #connections = new Set<FeedConnection>()
  readonly #options: Required<FeedClientsOptions>
  readonly #slices = new TimeSlices()
  #pinging: NodeJS.Timeout | undefined
  #isPinging = false

  constructor(options: FeedClientsOptions) {
    this.#options = { pingMs: 15_000, maxBufferedBytes: 1024 * 1024, maxInboundMessages: 100, ...options }
  }

  get size(): number {
    return this.#connections.size
  }

  /** What may wait for one of them. */
  get maxBufferedBytes(): number {
    return this.#options.maxBufferedBytes
  }

  /** Pause between pings, ms. */
  get pingMs(): number {
    return this.#options.pingMs
  }

  /** Takes a connection over. */
  add(
    socket: WebSocket,
    request: IncomingMessage,
    handler: (connection: FeedConnection) => ConnectionHandler = () => ({}),
  ): FeedConnection {
    const connection = new FeedConnection(socket, request.socket)
    const { message, closed } = handler(connection)
    this.#connections.add(connection)
    this.#clientsChanged()
    socket.on('ping', () => this.#mayGoOn(connection))
    socket.on('pong', () => {
      connection.isAlive = true
      this.#mayGoOn(connection)
    })
    socket.on('message', (data, isBinary) => {
      if (this.#mayGoOn(connection)) message?.(isBinary ? undefined : textOf(data))
    })
    socket.on('error', (error) => {
      this.#options.log.debug({ err: error, feed: this.#options.name }, 'a feed client failed')
    })
    socket.once('close', () => {
      this.#connections.delete(connection)
      this.#clientsChanged()
      closed?.()
    })
    this.#pinging ??= setInterval(() => void this.#ping(), this.#options.pingMs)
    return connection
  }

  /** Sends one frame to all clients, in turns; resolves when all have it. */
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

  /** Counts messages that were written. */
  sent(messages: number): void {
    this.#options.metrics.feedMessages.inc({ feed: this.#options.name }, messages)
  }

  /** Drops a client that reads too slowly. */
  dropSlow(connection: FeedConnection, reason: string): void {
    if (!connection.isOpen) return
    this.#options.metrics.feedDropped.inc()
    this.#drop(connection, 1013, reason)
  }

  /**
   * Counts what a client said, and drops one that says too much, or wants answers and does not read them. False where
   * it is to be heard no more.
   */
  #mayGoOn(connection: FeedConnection): boolean {
    if (!connection.isOpen) return false
    connection.inbound++
    if (connection.inbound > this.#options.maxInboundMessages) {
      this.#options.metrics.feedNoisy.inc()
      this.#drop(
        connection,
        1008,
        `too many messages: at most ${this.#options.maxInboundMessages} in ${this.#options.pingMs / 1000} s`,
      )
    } else if (connection.waitingBytes > this.#options.maxBufferedBytes)
      this.dropSlow(connection, 'too slow: read the answers')
    return connection.isOpen
  }

  #drop(connection: FeedConnection, code: number, reason: string): void {
    const { log, name } = this.#options
    log.debug({ feed: name, code, reason, buffered: connection.waitingBytes }, 'a feed client was dropped')
    connection.drop(code, reason)
  }

  async #ping(): Promise<void> {
    // Who is asked twice at a time would be dropped for not having answered the first.
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

function textOf(data: RawData): string {
  return Array.isArray(data) ? Buffer.concat(data).toString() : Buffer.from(data as Buffer).toString()
}

/** How long a client that is dropped has to read why, in milliseconds. */
const dropGraceMs = 1000

/**
 * A client's connection. Frames are written as they are, past the library's sender, which would make them anew for
 * each client: it holds nothing back as long as nothing is compressed, so that frames of both come whole and in
 * order.
 */
export class FeedConnection {
  /** Answered since the last ping. */
  isAlive = true
  /** Messages that it sent since the last ping. */
  inbound = 0
  readonly #socket: WebSocket
  readonly #stream: Socket

  constructor(socket: WebSocket, stream: Socket) {
    this.#socket = socket
    this.#stream = stream
  }

  get isOpen(): boolean {
    return this.#socket.readyState === this.#socket.OPEN
  }

  /** Bytes that the system has not taken yet. */
  get waitingBytes(): number {
    return this.#stream.writableLength
  }

  /** @param frame one frame or several */
  write(frame: Buffer): void {
    if (this.isOpen) this.#stream.write(frame)
  }

  writeText(text: string): void {
    this.write(textFrame(text))
  }

  /** Resolves when the client has taken what was written, or is gone. */
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
   * Closes with a code and why; the reason waits behind what the client has not read, and whoever does not read it
   * either is not waited for.
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

/** A ping without content, RFC 6455 §5.5.2. */
export const pingFrame = Buffer.from([0x89, 0])

/**
 * A whole text message as one frame of a server, which is not masked (RFC 6455 §5.2), so that the same bytes go to all.
 * @param text in UTF-8
 */
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
