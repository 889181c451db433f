import type { IncomingMessage } from 'node:http'
import type { WebSocket } from 'ws'
import type { Logger } from '../../platform/log.ts'
import { LogThrottle } from '../../platform/log-throttle.ts'
import type { Metrics } from '../../platform/metrics.ts'
import { asError } from '../../platform/errors.ts'
import { listen } from '../../platform/db/listen.ts'
import type { Listener } from '../../platform/db/listen.ts'
import { noReplica } from '../../platform/db/replica-catch-up.ts'
import type { OnReplicaCaughtUp } from '../../platform/db/replica-catch-up.ts'
import type { FeedReader } from './block-feed.ts'
import { FeedClients, textFrame } from './feed-clients.ts'
import type { FeedClientsOptions, FeedConnection } from './feed-clients.ts'
import { LiveAudience } from './live-audience.ts'
import type { LiveLimits } from './live-audience.ts'

export interface LiveFeedsOptions {
  /** Database that the ingesters announce in. */
  readonly url: string
  readonly reader: FeedReader
  /** When the reader has what was announced just now. Default: at once. */
  readonly onReplicaCaughtUp?: OnReplicaCaughtUp
  /** What `/ws/status` sends. */
  readonly status: () => Promise<unknown>
  readonly metrics: Metrics
  readonly log: Logger
  /** Default 3,000 ms. */
  readonly statusIntervalMs?: number
  /** Limits of all clients. */
  readonly limits?: Pick<FeedClientsOptions, 'pingMs' | 'maxBufferedBytes' | 'maxInboundMessages'>
  /** The client network that a connection of `/ws` comes from. Default: that of the other end of the socket. */
  readonly networkOf?: (request: IncomingMessage) => string
  /** Limits of who subscribes and resumes. */
  readonly liveLimits?: LiveLimits
}

export interface LiveFeeds {
  /** What takes connections over, by path: for the API server. */
  readonly feeds: Readonly<Record<'/ws' | '/ws/status', (socket: WebSocket, request: IncomingMessage) => void>>
  /** Begins to follow the ingesters; resolves when their announcements are heard. */
  start(): Promise<void>
  stop(): Promise<void>
}

/** The forward ingester's announcement: its name and the heights that it has just committed, half open. */
const announcement = /^main_ingester:(\d+):(\d+)$/

/** Channels of NOTIFY; sent inside the transaction that they tell of, so they arrive after its commit. */
const channels = { blocks: 'flowfarm_blocks', rollback: 'flowfarm_rollback' }

/** The live feeds of one process: `/ws` and `/ws/status`. */
export function createLiveFeeds(options: LiveFeedsOptions): LiveFeeds {
  const { url, reader, status, metrics, log, limits, onReplicaCaughtUp = noReplica } = options
  const stopping = new AbortController()
  const failures = new LogThrottle()
  const live = new LiveAudience({
    clients: new FeedClients({ name: 'live', metrics, log, ...limits }),
    metrics,
    reader,
    log,
    signal: stopping.signal,
    ...(options.networkOf === undefined ? {} : { networkOf: options.networkOf }),
    ...(options.liveLimits === undefined ? {} : { limits: options.liveLimits }),
  })
  const blockFeed = live.feed
  const statusFeed = new StatusFeed({
    clients: new FeedClients({ name: 'status', metrics, log, ...limits }),
    status,
    log,
    ...(options.statusIntervalMs === undefined ? {} : { intervalMs: options.statusIntervalMs }),
  })
  let listener: Listener | undefined

  function hear(channel: string, payload: string): void {
    if (channel === channels.rollback) {
      if (/^\d+$/.test(payload)) blockFeed.rollback(Number(payload))
      return
    }
    const heights = announcement.exec(payload)
    if (heights !== null) blockFeed.announce(Number(heights[1]), Number(heights[2]))
  }

  return {
    feeds: {
      '/ws': (socket, request) => live.add(socket, request),
      '/ws/status': (socket, request) => statusFeed.add(socket, request),
    },
    start: async () => {
      listener = await listen(
        url,
        Object.values(channels),
        (channel, payload) => onReplicaCaughtUp(() => hear(channel, payload)),
        {
          signal: stopping.signal,
          applicationName: 'flowfarm live feeds',
          onReconnect: () =>
            onReplicaCaughtUp(() => {
              blockFeed.catchUp().catch((error: unknown) => {
                failures.log(
                  log,
                  'warn',
                  { err: asError(error) },
                  'The live feed could not read the blocks that it missed',
                )
              })
            }),
          onError: (err) => failures.log(log, 'warn', { err }, 'The live feed lost the database: connecting again'),
        },
      )
      await live.start()
    },
    stop: async () => {
      stopping.abort()
      statusFeed.stop()
      live.stop()
      await blockFeed.idle()
      await listener?.ended
    },
  }
}

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
