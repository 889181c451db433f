export interface KeepaliveOptions {
  /** Milliseconds without any sign of life, while calls wait, after which the node is asked for one. */
  readonly quietMs: number
  /** Milliseconds that the node has for a sign of life when asked. */
  readonly pingTimeoutMs: number
}

/** What a keepalive watches, and acts on. */
export interface KeptConnection {
  /** Whether anybody waits for something from the node. */
  readonly isBusy: boolean
  /** Whether the node can be asked for a sign of life. */
  readonly isPingable: boolean
  sendPing(): void
  /** The node was asked often enough: no new calls. */
  retire(): void
  /** There was no sign of life. */
  destroy(error: Error): void
}

/**
 * How often a node is asked for a sign of life without having sent anything of its own in between. Servers built on
 * grpc-go take a fourth time for abuse and end the connection.
 */
const mostPings = 3

/** Notices that a connection is half open, without pinging so much that a server takes it for abuse. */
export class Keepalive {
  readonly #connection: KeptConnection
  readonly #pingTimeoutMs: number
  readonly #watch: NodeJS.Timeout
  #pingTimer: NodeJS.Timeout | undefined
  #quietLooks = 0
  #pings = 0

  constructor(connection: KeptConnection, options: KeepaliveOptions) {
    this.#connection = connection
    this.#pingTimeoutMs = options.pingTimeoutMs
    this.#watch = setInterval(() => this.#look(), options.quietMs / 2).unref()
  }

  /** Somebody began to wait where nobody did before. */
  begin(): void {
    this.#quietLooks = 0
  }

  /** The node sent something of its own. */
  heard(): void {
    this.#quietLooks = 0
    this.#pings = 0
  }

  /** The node answered a ping. */
  ponged(): void {
    if (this.#pingTimer === undefined) return
    clearTimeout(this.#pingTimer)
    this.#pingTimer = undefined
    this.#quietLooks = 0
  }

  /** Asks for a sign of life at once: a call got no answer, and it may be the connection's fault. */
  doubt(): void {
    if (!this.#connection.isPingable || this.#pingTimer !== undefined) return
    if (this.#pings === mostPings) return this.#connection.retire()
    this.#pings++
    this.#pingTimer = setTimeout(
      () => this.#connection.destroy(new Error(`no sign of life within ${this.#pingTimeoutMs} ms`)),
      this.#pingTimeoutMs,
    ).unref()
    this.#connection.sendPing()
  }

  stop(): void {
    clearInterval(this.#watch)
    clearTimeout(this.#pingTimer)
  }

  #look(): void {
    if (!this.#connection.isBusy) return
    this.#quietLooks++
    if (this.#quietLooks >= 2) this.doubt()
  }
}
