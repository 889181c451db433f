import type { Proxy } from '../../platform/outbound/config-proxy.ts'
import type { Endpoint } from '../parse-endpoint.ts'
import { ClientStream } from './client-stream.ts'
import type { StreamCall } from './client-stream.ts'
import { FrameReader } from './frame-reader.ts'
import { FrameWriter } from './frame-writer.ts'
import type { HeaderField } from './header-field.ts'
import { valueOf } from './header-field.ts'
import { HpackDecoder } from './hpack-decoder.ts'
import { Http2Error } from './http2-error.ts'
import { Keepalive } from './keepalive.ts'
import { openSocket } from './open-socket.ts'
import { PeerSettings } from './peer-settings.ts'
import { defaultMaxFrameSize, defaultWindow, errorCode, max31Bits, setting } from './protocol.ts'
import { ServerFrames } from './server-frames.ts'
import type { ServerEvents } from './server-frames.ts'

export interface Http2ConnectionOptions {
  /** Certificates to trust in place of the system's, PEM; for grpcs:// only. */
  readonly ca?: string | Buffer
  /** Through which the node is connected; undefined: directly. */
  readonly proxy?: Proxy | undefined
  /** Milliseconds until a connection that is not established is given up. Default 10,000. */
  readonly connectTimeoutMs?: number
  /**
   * Milliseconds without any sign of life, while calls wait, after which the node is asked for one. Half of it is
   * how often that is looked at. Default 10,000. Shorter pauses make servers close the connection for abuse.
   */
  readonly quietMs?: number
  /** Milliseconds that the node has for a sign of life when asked. Default 8,000. */
  readonly pingTimeoutMs?: number
  /** Calls after which a new connection takes over; stream numbers end at 2^30 calls. Default 2^29. */
  readonly maxCalls?: number
}

/** Bytes that may be under way for one answer, and for all answers of the connection. */
const streamWindow = 16 * 1024 * 1024
const connectionWindow = 64 * 1024 * 1024

const headerTableSize = 4_096
const maxHeaderListSize = 1024 * 1024

/** Bytes that a server may leave unread, of answers to what it asks, before it is taken for hostile. */
const mostUnread = 1024 * 1024

const pingText = Buffer.from('flowfarm')

/**
 * One HTTP/2 connection to a server, for requests that are sent at once and answers that are read as they come.
 *
 *     connecting ──► open ──goodbye, calls used up, or only pongs──► draining ──last call ends──► closed
 *          └──────────┴───────────fault, or no sign of life──────────────────────────────────────────┘
 *
 * New calls are taken while `usable`; a connection never reopens. It is open when the server's settings have come:
 * a call sent earlier could break the server's limit of concurrent streams, and would be refused. Calls beyond that
 * limit wait.
 */
export class Http2Connection implements ServerEvents {
  /** Why the connection ended, where it did so with a fault. */
  failure: Error | undefined
  readonly #socket: ReturnType<typeof openSocket>
  readonly #reader: FrameReader
  readonly #writer: FrameWriter
  readonly #keepalive: Keepalive
  readonly #connectTimer: NodeJS.Timeout
  readonly #peer = new PeerSettings()
  /** Calls without a stream, in order. */
  readonly #waiting = new Set<StreamCall>()
  readonly #streams = new Map<number, ClientStream>()
  /** Streams whose body waits for room at the server. */
  readonly #unsent = new Set<ClientStream>()
  readonly #onClosed: (() => void)[] = []
  #callsLeft: number
  #nextStream = 1
  #isOpen = false
  /** Takes no more calls. */
  #isDraining = false
  #isLost = false
  /** The stream that the DATA frame at hand belongs to; undefined where nobody wants it any more. */
  #current: ClientStream | undefined
  #sendWindow = defaultWindow
  #received = 0

  constructor(endpoint: Endpoint, options: Http2ConnectionOptions = {}) {
    const connectTimeoutMs = options.connectTimeoutMs ?? 10_000
    this.#callsLeft = options.maxCalls ?? 2 ** 29
    const hpack = new HpackDecoder({ tableSize: headerTableSize, listSize: maxHeaderListSize })
    this.#reader = new FrameReader(new ServerFrames(this, hpack))
    this.#socket = openSocket(endpoint, {
      ca: options.ca,
      proxy: options.proxy,
      onConnect: () => this.#greet(),
      onRead: (bytes, length) => this.#read(bytes, length),
    })
    this.#writer = new FrameWriter(this.#socket)
    this.#socket.on('error', (error: Error) => {
      this.failure ??= error
    })
    this.#socket.once('end', () => this.#lose())
    this.#socket.once('close', () => this.#lose())
    const keepaliveOptions = { quietMs: options.quietMs ?? 10_000, pingTimeoutMs: options.pingTimeoutMs ?? 8_000 }
    this.#keepalive = new Keepalive(this, keepaliveOptions)
    this.#connectTimer = setTimeout(
      () => this.destroy(new Error(`no connection within ${connectTimeoutMs} ms`)),
      connectTimeoutMs,
    )
  }

  get usable(): boolean {
    return !this.#isDraining && !this.#isLost && this.#callsLeft > 0
  }

  /** True once the connection is gone, with or without a fault. */
  get lost(): boolean {
    return this.#isLost
  }

  get isBusy(): boolean {
    return this.#streams.size > 0 || this.#waiting.size > 0
  }

  /** A draining connection is not asked for signs of life; its calls have their deadlines. */
  get isPingable(): boolean {
    return this.#isOpen && !this.#isDraining && !this.#isLost
  }

  /** Takes a call; only while `usable`. Its stream is opened at once where there is room. */
  add(call: StreamCall): void {
    this.#callsLeft--
    if (!this.isBusy) this.#keepalive.begin()
    this.#waiting.add(call)
    this.#openStreams()
  }

  /** Nobody wants the answer any more. */
  drop(call: StreamCall, stream: ClientStream | undefined): void {
    if (stream === undefined) this.#waiting.delete(call)
    else if (this.#streams.get(stream.id) === stream) {
      this.#writer.resetStream(stream.id, errorCode.cancel)
      this.#forget(stream)
    }
    this.#leave()
  }

  /** The node sent something of its own. */
  heard(): void {
    this.#keepalive.heard()
  }

  /** Asks for a sign of life: a call got no answer at all. */
  doubt(): void {
    this.#keepalive.doubt()
  }

  retire(): void {
    this.#callsLeft = 0
  }

  /** Takes no new calls, lets those in flight end for up to `graceMs` milliseconds, and closes. */
  close(graceMs: number): Promise<void> {
    if (this.#isLost) return Promise.resolve()
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.destroy(new Error('closed')), graceMs)
      this.#onClosed.push(() => {
        clearTimeout(timer)
        resolve()
      })
      this.#isDraining = true
      if (this.#isOpen) this.#leave()
      else this.destroy(new Error('closed'))
    })
  }

  /** Ends the connection at once; everything under way is lost. */
  destroy(error: Error): void {
    if (this.#isLost) return
    this.failure ??= error
    this.#close(error instanceof Http2Error ? error.http2Code : errorCode.cancel)
  }

  settings(settings: readonly (readonly [id: number, value: number])[]): void {
    const before = this.#peer.initialWindowSize
    this.#peer.apply(settings)
    this.#writer.acknowledgeSettings()
    const wider = this.#peer.initialWindowSize - before
    // A list of them, because those that end here make room for new ones.
    const streams = wider === 0 ? [] : [...this.#streams.values()]
    for (const stream of streams) this.#widen(stream, wider)
    if (!this.#isOpen) {
      clearTimeout(this.#connectTimer)
      this.#isOpen = true
    }
    this.#openStreams()
  }

  headers(id: number, fields: readonly HeaderField[] | undefined, endsStream: boolean): void {
    const stream = this.#streamOf(id)
    if (stream === undefined) return
    // Not ENHANCE_YOUR_CALM, which would tell the call that it was the node that asked for less.
    if (fields === undefined) return this.#break(stream, errorCode.internalError)
    if (stream.isAnswered) {
      if (endsStream) this.#end(stream, fields)
      else this.#break(stream, errorCode.protocolError)
      return
    }
    const status = valueOf(fields, ':status')
    if (status === undefined) return this.#break(stream, errorCode.protocolError)
    // What has a status below 200 goes before the answer.
    if (status.startsWith('1') && !endsStream) return
    stream.isAnswered = true
    // Over before the call learns of it, which has nothing to break off then.
    if (endsStream) this.#finish(stream)
    stream.call.headers(fields)
    if (endsStream) this.#tellEnd(stream, undefined)
  }

  dataBegins(id: number, length: number): void {
    this.#received += length
    if (this.#received > connectionWindow / 2) {
      this.#writer.windowUpdate(0, this.#received)
      this.#received = 0
    }
    const stream = this.#streamOf(id)
    this.#current = stream
    if (stream === undefined) return
    if (!stream.isAnswered) return this.#break(stream, errorCode.protocolError)
    stream.received += length
    if (stream.received > streamWindow / 2) {
      this.#writer.windowUpdate(id, stream.received)
      stream.received = 0
    }
  }

  data(bytes: Buffer, from: number, to: number): void {
    this.#current?.call.data(bytes, from, to)
  }

  dataEnds(endsStream: boolean): void {
    if (this.#current !== undefined && endsStream) this.#end(this.#current, undefined)
  }

  reset(id: number, code: number): void {
    const stream = this.#streamOf(id)
    if (stream === undefined) return
    this.#forget(stream)
    stream.call.reset(code)
    this.#leave()
  }

  sendPing(): void {
    this.#writer.ping(pingText, false)
  }

  ping(opaque: Buffer, isAnswer: boolean): void {
    if (!isAnswer) this.#writer.ping(opaque, true)
    else if (opaque.equals(pingText)) this.#keepalive.ponged()
  }

  goaway(lastStream: number, code: number, reason: string): void {
    const words = reason === '' ? '' : `: ${reason}`
    if (code !== errorCode.noError) {
      return this.destroy(new Error(`the node ended the connection with HTTP/2 error ${code}${words}`))
    }
    if (!this.#isDraining) this.#writer.goaway(errorCode.noError)
    this.#isDraining = true
    const left = [...this.#streams.values()].filter((stream) => stream.id > lastStream)
    for (const stream of left) this.#forget(stream)
    const calls = [...this.#waiting, ...left.map((stream) => stream.call)]
    this.#waiting.clear()
    for (const call of calls) call.lost()
    this.#leave()
  }

  windowUpdate(id: number, increment: number): void {
    const stream = id === 0 ? undefined : this.#streamOf(id)
    if (id !== 0 && stream === undefined) return
    if (stream !== undefined) {
      if (increment === 0) this.#break(stream, errorCode.protocolError)
      else this.#widen(stream, increment)
      return
    }
    if (increment === 0) throw new Http2Error(errorCode.protocolError, 'a window that is widened by nothing')
    this.#sendWindow += increment
    if (this.#sendWindow > max31Bits) throw new Http2Error(errorCode.flowControlError, 'a window wider than any')
    for (const waiting of this.#unsent) this.#send(waiting)
  }

  #greet(): void {
    this.#writer.greet([
      [setting.enablePush, 0],
      [setting.initialWindowSize, streamWindow],
      [setting.maxHeaderListSize, maxHeaderListSize],
    ])
    this.#writer.windowUpdate(0, connectionWindow - defaultWindow)
    this.#writer.flush()
  }

  #read(bytes: Buffer, length: number): void {
    try {
      this.#reader.read(bytes, length)
    } catch (error) {
      if (!(error instanceof Http2Error)) throw error
      this.destroy(error)
    }
    if (this.#socket.writableLength > mostUnread) {
      this.destroy(new Http2Error(errorCode.enhanceYourCalm, 'the node asks for more answers than it reads'))
    }
  }

  #openStreams(): void {
    if (!this.#isOpen || this.#isLost) return
    for (const call of this.#waiting) {
      if (this.#streams.size >= this.#peer.maxConcurrentStreams) return
      this.#waiting.delete(call)
      const stream = new ClientStream(this.#nextStream, call, this.#peer.initialWindowSize)
      this.#nextStream += 2
      this.#streams.set(stream.id, stream)
      call.opened(stream)
      this.#writer.headers(stream.id, call.head)
      this.#send(stream)
    }
  }

  /** Sends of a body what the windows allow; the rest waits for them to widen. */
  #send(stream: ClientStream): void {
    const { body } = stream.call
    while (!stream.isSent) {
      const room = Math.min(this.#sendWindow, stream.sendWindow, defaultMaxFrameSize)
      if (room <= 0) {
        this.#unsent.add(stream)
        return
      }
      const to = Math.min(body.length, stream.sent + room)
      this.#writer.data(stream.id, body, stream.sent, to, to === body.length)
      this.#sendWindow -= to - stream.sent
      stream.sendWindow -= to - stream.sent
      stream.sent = to
    }
    this.#unsent.delete(stream)
  }

  #widen(stream: ClientStream, increment: number): void {
    stream.sendWindow += increment
    if (stream.sendWindow > max31Bits) this.#break(stream, errorCode.flowControlError)
    else this.#send(stream)
  }

  /** The stream of that number; undefined where it is over, or was given up. */
  #streamOf(id: number): ClientStream | undefined {
    const stream = this.#streams.get(id)
    if (stream === undefined && (id >= this.#nextStream || id % 2 === 0)) {
      throw new Http2Error(errorCode.protocolError, `a frame on stream ${id}, which was never opened`)
    }
    return stream
  }

  #end(stream: ClientStream, trailers: readonly HeaderField[] | undefined): void {
    this.#finish(stream)
    this.#tellEnd(stream, trailers)
  }

  /** The answer is complete. Where the server did not wait for the whole request, the rest of it is taken back. */
  #finish(stream: ClientStream): void {
    if (!stream.isSent) this.#writer.resetStream(stream.id, errorCode.cancel)
    this.#forget(stream)
  }

  #tellEnd(stream: ClientStream, trailers: readonly HeaderField[] | undefined): void {
    stream.call.ended(trailers)
    this.#leave()
  }

  /** The server broke a rule that concerns one stream only. */
  #break(stream: ClientStream, code: number): void {
    this.#writer.resetStream(stream.id, code)
    this.#forget(stream)
    stream.call.reset(code)
    this.#leave()
  }

  #forget(stream: ClientStream): void {
    this.#streams.delete(stream.id)
    this.#unsent.delete(stream)
    if (this.#current === stream) this.#current = undefined
  }

  /** A call is over: another may begin, or the connection ends where it was the last. */
  #leave(): void {
    this.#openStreams()
    if (this.isBusy || !this.#isOpen || (!this.#isDraining && this.#callsLeft > 0)) return
    this.#close(errorCode.noError)
  }

  /** Says goodbye, as far as it is still heard, and closes. */
  #close(code: number): void {
    if (this.#isLost) return
    if (!this.#socket.connecting && this.#socket.writable) {
      this.#writer.goaway(code)
      this.#writer.flush()
    }
    this.#isDraining = true
    this.#reader.stop()
    this.#socket.destroy()
    this.#lose()
  }

  #lose(): void {
    if (this.#isLost) return
    this.#isLost = true
    this.#reader.stop()
    this.#keepalive.stop()
    clearTimeout(this.#connectTimer)
    this.#socket.destroy()
    const calls = [...this.#waiting, ...[...this.#streams.values()].map((stream) => stream.call)]
    this.#waiting.clear()
    this.#streams.clear()
    this.#unsent.clear()
    for (const call of calls) call.lost()
    for (const done of this.#onClosed) done()
  }
}
