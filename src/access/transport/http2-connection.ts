import { connect as connectHttp2, constants } from 'node:http2'
import type { ClientHttp2Session, ClientHttp2Stream, Settings } from 'node:http2'
import { connect as connectTcp, isIP } from 'node:net'
import type { Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type { Proxy } from '../../platform/outbound/config-proxy.ts'
import { authorityOf } from './endpoint.ts'
import type { Endpoint } from './endpoint.ts'
import { ProxyTunnel } from './proxy-tunnel.ts'

export interface Http2ConnectionOptions {
  /** PEM, instead of the system's certificates; for grpcs:// only. */
  readonly ca?: string | Buffer
  readonly proxy?: Proxy | undefined
  readonly connectTimeoutMs?: number
  /**
   * Time without data while calls wait, until a ping is sent. Servers close connections that ping
   * more often than every 10 s.
   */
  readonly quietMs?: number
  readonly pingTimeoutMs?: number
  /** A new connection then replaces this one: stream numbers end at 2^30 calls. */
  readonly maxCalls?: number
}

export interface StreamCall {
  /** Alternating names and values. */
  readonly head: readonly string[]
  start(stream: ClientHttp2Stream): void
  /** The connection closed before a stream was opened. */
  lost(): void
}

/** Flow-control window per response and per connection. */
const streamWindow = 16 * 1024 * 1024
const connectionWindow = 64 * 1024 * 1024
const maxHeaderListSize = 1024 * 1024
const tcpKeepaliveMs = 15_000
/** Servers built on grpc-go close the connection at the fourth ping without data. */
const maxPings = 3

/**
 * One HTTP/2 connection with keepalive.
 *
 * States: connecting → open → draining (after GOAWAY, `maxCalls`, or pongs without data) → closed
 * after the last call; closed at once by an error or an unanswered ping.
 *
 * Accepts calls while `usable` and never reopens. Calls wait for the server's SETTINGS and stream
 * limit.
 */
export class Http2Connection {
  failure: Error | undefined
  readonly #session: ClientHttp2Session
  readonly #pingTimeoutMs: number
  readonly #watch: NodeJS.Timeout
  readonly #connectTimer: NodeJS.Timeout
  #pingTimer: NodeJS.Timeout | undefined
  readonly #waiting = new Set<StreamCall>()
  #streams = 0
  #maxStreams = 0
  #callsLeft: number
  #isOpen = false
  #quietChecks = 0
  #pings = 0

  constructor(endpoint: Endpoint, options: Http2ConnectionOptions = {}) {
    const { connectTimeoutMs = 10_000, quietMs = 10_000, pingTimeoutMs = 8_000, maxCalls = 2 ** 29 } = options
    this.#pingTimeoutMs = pingTimeoutMs
    this.#callsLeft = maxCalls
    const session = connectHttp2(`${endpoint.tls ? 'https' : 'http'}://${authorityOf(endpoint)}`, {
      createConnection: () => openSocket(endpoint, options),
      settings: { enablePush: false, initialWindowSize: streamWindow, maxHeaderListSize },
    })
    this.#session = session
    session.once('connect', () => {
      if (!session.destroyed) session.setLocalWindowSize(connectionWindow)
    })
    session.on('remoteSettings', ({ maxConcurrentStreams }: Settings) => {
      clearTimeout(this.#connectTimer)
      this.#isOpen = true
      this.#maxStreams = maxConcurrentStreams ?? Number.POSITIVE_INFINITY
      this.#openStreams()
    })
    session.once('goaway', () => this.#loseWaiting())
    session.on('error', (error: Error) => {
      this.failure ??= error
    })
    session.once('close', () => this.#closed())
    this.#connectTimer = setTimeout(
      () => this.#destroy(new Error(`connection not established within ${connectTimeoutMs} ms`)),
      connectTimeoutMs,
    )
    this.#watch = setInterval(() => this.#check(), quietMs / 2).unref()
  }

  get usable(): boolean {
    return !this.#session.closed && !this.#session.destroyed && this.#callsLeft > 0
  }

  get lost(): boolean {
    return this.#session.destroyed
  }

  get #isBusy(): boolean {
    return this.#streams > 0 || this.#waiting.size > 0
  }

  /** Requires `usable`. */
  add(call: StreamCall): void {
    this.#callsLeft--
    if (!this.#isBusy) this.#quietChecks = 0
    this.#waiting.add(call)
    this.#openStreams()
  }

  drop(call: StreamCall): void {
    this.#waiting.delete(call)
    this.#closeIfUsedUp()
  }

  received(): void {
    this.#quietChecks = 0
    this.#pings = 0
  }

  /**
   * Pings the node because a call received no data. Draining connections are not pinged, since
   * their calls have deadlines.
   */
  probe(): void {
    if (!this.#isOpen || this.#session.closed || this.#pingTimer !== undefined) return
    if (this.#pings === maxPings) {
      this.#callsLeft = 0
      return
    }
    this.#pings++
    this.#pingTimer = setTimeout(
      () => this.#destroy(new Error(`no response to a ping within ${this.#pingTimeoutMs} ms`)),
      this.#pingTimeoutMs,
    ).unref()
    this.#session.ping((error) => {
      clearTimeout(this.#pingTimer)
      this.#pingTimer = undefined
      if (error === null) this.#quietChecks = 0
    })
  }

  /** Lets running calls finish for up to `graceMs`. */
  close(graceMs: number): Promise<void> {
    if (this.#session.destroyed) return Promise.resolve()
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#destroy(new Error('closed')), graceMs)
      this.#session.once('close', () => {
        clearTimeout(timer)
        resolve()
      })
      this.#callsLeft = 0
      if (this.#isOpen) this.#closeIfUsedUp()
      else this.#destroy(new Error('closed'))
    })
  }

  #openStreams(): void {
    if (!this.#isOpen || this.#session.closed || this.#session.destroyed) return
    for (const call of this.#waiting) {
      if (this.#streams >= this.#maxStreams) return
      this.#waiting.delete(call)
      const stream = this.#session.request(call.head)
      this.#streams++
      stream.once('close', this.#streamClosed)
      call.start(stream)
    }
  }

  readonly #streamClosed = (): void => {
    this.#streams--
    this.#openStreams()
    this.#closeIfUsedUp()
  }

  #closeIfUsedUp(): void {
    if (this.#callsLeft <= 0 && !this.#isBusy && !this.#session.closed) this.#session.close()
  }

  #check(): void {
    if (!this.#isBusy) return
    this.#quietChecks++
    if (this.#quietChecks >= 2) this.probe()
  }

  #destroy(error: Error): void {
    this.failure ??= error
    this.#session.destroy(error, constants.NGHTTP2_CANCEL)
  }

  #closed(): void {
    clearInterval(this.#watch)
    clearTimeout(this.#connectTimer)
    clearTimeout(this.#pingTimer)
    this.#loseWaiting()
  }

  #loseWaiting(): void {
    const calls = [...this.#waiting]
    this.#waiting.clear()
    for (const call of calls) call.lost()
  }
}

function openSocket(endpoint: Endpoint, { ca, proxy }: Http2ConnectionOptions): Socket | ProxyTunnel {
  const { host, port, tls } = endpoint
  const tunnel = proxy === undefined ? undefined : new ProxyTunnel(proxy, endpoint)
  const transport = tunnel ?? connectTcp({ host, port })
  transport.setNoDelay(true)
  transport.setKeepAlive(true, tcpKeepaliveMs)
  if (!tls) return transport
  const socket = connectTls({
    host,
    socket: transport,
    ALPNProtocols: ['h2'],
    ...(isIP(host) === 0 ? { servername: host } : {}),
    ...(ca === undefined ? {} : { ca }),
  })
  socket.once('secureConnect', () => {
    if (socket.alpnProtocol === 'h2') return
    // Deferred: node:http2 takes the socket in the same event and aborts the process if it is
    // destroyed.
    process.nextTick(() => socket.destroy(new Error('the server does not speak HTTP/2 over TLS')))
  })
  return socket
}
