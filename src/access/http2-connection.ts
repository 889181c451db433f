import { connect as connectHttp2, constants } from 'node:http2'
import type { ClientHttp2Session, ClientHttp2Stream, OutgoingHttpHeaders } from 'node:http2'
import { connect as connectTcp, isIP } from 'node:net'
import type { Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { authorityOf } from './parse-endpoint.ts'
import type { Endpoint } from './parse-endpoint.ts'

export interface Http2ConnectionOptions {
  /** Certificates to trust in place of the system's, PEM; for grpcs:// only. */
  readonly ca?: string | Buffer
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
const streamWindow = 8 * 1024 * 1024
const connectionWindow = 64 * 1024 * 1024

/** What a connection tells the calls that it carries. */
export interface ConnectionCall {
  /** The connection is ready: `request` may be called, and `ended` must be when there is nothing more to come. */
  start(): void
  /** The connection was lost before it was ready. */
  lost(): void
}

/**
 * How often a node is asked for a sign of life without having sent anything of its own in between. Servers built on
 * grpc-go take a fourth time for abuse and end the connection.
 */
const mostPings = 3

/**
 * One HTTP/2 connection and its keepalive.
 *
 *     connecting ──► open ──goodbye, calls used up, or only pongs──► draining ──last call ends──► closed
 *          └──────────┴───────────fault, or no sign of life──────────────────────────────────────────┘
 *
 * New calls are taken while `usable`; a connection never reopens. It is open when the server's settings have come:
 * a call sent earlier could break the server's limit of concurrent streams, and would be refused.
 */
export class Http2Connection {
  /** Why the connection ended, where it did so with a fault. */
  failure: Error | undefined
  readonly #session: ClientHttp2Session
  readonly #pingTimeoutMs: number
  readonly #watch: NodeJS.Timeout
  readonly #connectTimer: NodeJS.Timeout
  #pingTimer: NodeJS.Timeout | undefined
  readonly #waiting: ConnectionCall[] = []
  #ready = false
  #callsLeft: number
  #inFlight = 0
  #quietLooks = 0
  #pings = 0

  constructor(endpoint: Endpoint, options: Http2ConnectionOptions = {}) {
    const connectTimeoutMs = options.connectTimeoutMs ?? 10_000
    this.#pingTimeoutMs = options.pingTimeoutMs ?? 8_000
    this.#callsLeft = options.maxCalls ?? 2 ** 29
    this.#session = connectHttp2(`${endpoint.tls ? 'https' : 'http'}://${authorityOf(endpoint)}`, {
      createConnection: () => openSocket(endpoint, options.ca),
      settings: { enablePush: false, initialWindowSize: streamWindow, maxHeaderListSize: 1024 * 1024 },
    })
    this.#session.once('connect', () => this.#session.setLocalWindowSize(connectionWindow))
    this.#session.once('remoteSettings', () => this.#open())
    this.#session.on('error', (error: Error) => {
      this.failure ??= error
    })
    this.#session.once('close', () => this.#closed())
    this.#connectTimer = setTimeout(
      () => this.#destroy(new Error(`no connection within ${connectTimeoutMs} ms`)),
      connectTimeoutMs,
    )
    this.#watch = setInterval(() => this.#look(), (options.quietMs ?? 10_000) / 2).unref()
  }

  get usable(): boolean {
    return !this.#session.closed && !this.#session.destroyed && this.#callsLeft > 0
  }

  /** True once the connection is gone, with or without a fault. */
  get lost(): boolean {
    return this.#session.destroyed
  }

  /** Takes a call; only while `usable`. It is started at once where the connection is open. */
  add(call: ConnectionCall): void {
    this.#callsLeft--
    if (this.#inFlight++ === 0) this.#quietLooks = 0
    if (this.#ready) call.start()
    else this.#waiting.push(call)
  }

  /** Opens the stream of a call that was started. */
  request(headers: OutgoingHttpHeaders): ClientHttp2Stream {
    return this.#session.request(headers)
  }

  /** A call that was started needs the connection no more. */
  ended(): void {
    this.#inFlight--
    if (this.#inFlight === 0 && this.#callsLeft <= 0) this.#session.close()
  }

  /** The node sent something of its own. */
  heard(): void {
    this.#quietLooks = 0
    this.#pings = 0
  }

  /**
   * Asks for a sign of life at once: a call got no answer, and it may be the connection's fault. A draining connection
   * cannot be asked; its calls have their deadlines. Nor can one that has been asked enough, which takes no new calls.
   */
  doubt(): void {
    if (!this.#ready || this.#session.closed || this.#pingTimer !== undefined) return
    if (this.#pings === mostPings) {
      this.#callsLeft = 0
      return
    }
    this.#pings++
    this.#pingTimer = setTimeout(
      () => this.#destroy(new Error(`no sign of life within ${this.#pingTimeoutMs} ms`)),
      this.#pingTimeoutMs,
    ).unref()
    this.#session.ping((error) => {
      clearTimeout(this.#pingTimer)
      this.#pingTimer = undefined
      if (error === null) this.#quietLooks = 0
    })
  }

  /** Takes no new calls, lets those in flight end for up to `graceMs` milliseconds, and closes. */
  close(graceMs: number): Promise<void> {
    if (this.#session.destroyed) return Promise.resolve()
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#destroy(new Error('closed')), graceMs)
      this.#session.once('close', () => {
        clearTimeout(timer)
        resolve()
      })
      if (this.#ready) this.#session.close()
      else this.#destroy(new Error('closed'))
    })
  }

  #open(): void {
    clearTimeout(this.#connectTimer)
    if (this.#session.closed) return
    this.#ready = true
    for (const call of this.#waiting.splice(0)) call.start()
  }

  #look(): void {
    if (this.#inFlight === 0) return
    this.#quietLooks++
    if (this.#quietLooks >= 2) this.doubt()
  }

  #destroy(error: Error): void {
    this.failure ??= error
    this.#session.destroy(error, constants.NGHTTP2_CANCEL)
  }

  #closed(): void {
    clearInterval(this.#watch)
    clearTimeout(this.#connectTimer)
    clearTimeout(this.#pingTimer)
    for (const call of this.#waiting.splice(0)) call.lost()
  }
}

function openSocket(endpoint: Endpoint, ca: string | Buffer | undefined): Socket {
  const { host, port } = endpoint
  const socket = endpoint.tls
    ? connectTls({
        host,
        port,
        ALPNProtocols: ['h2'],
        ...(isIP(host) === 0 ? { servername: host } : {}),
        ...(ca === undefined ? {} : { ca }),
      })
    : connectTcp({ host, port })
  socket.setNoDelay(true)
  socket.setKeepAlive(true, 15_000)
  return socket
}
