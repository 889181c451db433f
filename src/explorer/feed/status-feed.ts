import type { IncomingMessage } from 'node:http'
import type { WebSocket } from 'ws'
import { asError } from '../../platform/errors.ts'
import type { Logger } from '../../platform/log.ts'
import { LogThrottle } from '../../platform/log-throttle.ts'
import type { FeedClients } from './feed-clients.ts'
import type { FeedConnection } from './feed-connection.ts'
import { textFrame } from './frames.ts'

export interface StatusFeedOptions {
  readonly clients: FeedClients
  /** The object that is sent. */
  readonly status: () => Promise<unknown>
  readonly log: Logger
  /** Default 3,000 ms. */
  readonly intervalMs?: number
}

/**
 * Sends the indexing status to each client when it comes and then every 3 seconds. It is read once for all clients, and
 * not at all while there is none.
 *
 *     idle ──first client──► ticking ──last client left──► idle
 */
export class StatusFeed {
  readonly #options: StatusFeedOptions
  readonly #intervalMs: number
  readonly #failures = new LogThrottle()
  #ticking: NodeJS.Timeout | undefined
  #isTelling = false
  #reading: Promise<Buffer | undefined> | undefined
  /** The frame that was sent last, while it is not older than one interval. */
  #latest: Buffer | undefined

  constructor(options: StatusFeedOptions) {
    this.#options = options
    this.#intervalMs = options.intervalMs ?? 3000
  }

  add(socket: WebSocket, request: IncomingMessage): void {
    const { clients } = this.#options
    const connection = clients.add(socket, request)
    this.#ticking ??= setInterval(() => void this.#tick(), this.#intervalMs)
    void this.#greet(connection)
  }

  stop(): void {
    clearInterval(this.#ticking)
    this.#ticking = undefined
    this.#latest = undefined
  }

  async #greet(connection: FeedConnection): Promise<void> {
    const status = this.#latest ?? (await this.#read())
    if (status === undefined) return
    connection.write(status)
    this.#options.clients.sent(1)
  }

  async #tick(): Promise<void> {
    const { clients } = this.#options
    if (clients.size === 0) return this.stop()
    // A reading that takes longer than the interval is sent once.
    if (this.#isTelling) return
    this.#isTelling = true
    const status = await this.#read()
    if (status !== undefined) await clients.send(status)
    this.#isTelling = false
  }

  /** Those who ask at the same time share one reading. */
  #read(): Promise<Buffer | undefined> {
    this.#reading ??= this.#readNow().finally(() => {
      this.#reading = undefined
    })
    return this.#reading
  }

  async #readNow(): Promise<Buffer | undefined> {
    try {
      this.#latest = textFrame(JSON.stringify(await this.#options.status()))
    } catch (error) {
      this.#failures.log(
        this.#options.log,
        'warn',
        { err: asError(error) },
        'The status could not be read for its feed',
      )
      this.#latest = undefined
    }
    return this.#latest
  }
}
