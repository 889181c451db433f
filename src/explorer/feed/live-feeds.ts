import type { IncomingMessage } from 'node:http'
import type { DatabasePool } from 'slonik'
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
  readonly url: string
  readonly reader: FeedReader
  readonly onReplicaCaughtUp?: OnReplicaCaughtUp
  readonly status: () => Promise<unknown>
  readonly metrics: Metrics
  readonly log: Logger
  /** Default 3,000. */
  readonly statusIntervalMs?: number
  readonly limits?: Pick<FeedClientsOptions, 'pingMs' | 'maxBufferedBytes' | 'maxInboundMessages' | 'inboundBytes'>
  /** Default: remote address of the socket. */
  readonly networkOf?: (request: IncomingMessage) => string
  readonly liveLimits?: LiveLimits
  /** For own tables. */
  readonly database?: DatabasePool
}

export interface LiveFeeds {
  readonly feeds: Readonly<Record<'/ws' | '/ws/status', (socket: WebSocket, request: IncomingMessage) => void>>
  start(): Promise<void>
  stop(): Promise<void>
}

/** Name and committed heights, end exclusive. */
const announcement = /^main_ingester:(\d+):(\d+)$/

/** Sent within the transaction, so they arrive after its commit. */
const channels = { blocks: 'flowfarm_blocks', rollback: 'flowfarm_rollback', ownRows: 'own_rows' }

export function createLiveFeeds(options: LiveFeedsOptions): LiveFeeds {
  const { url, reader, status, metrics, log, onReplicaCaughtUp = noReplica } = options
  const limits = { ...options.limits, ...(options.networkOf === undefined ? {} : { networkOf: options.networkOf }) }
  const stopping = new AbortController()
  const failures = new LogThrottle()
  const live = new LiveAudience({
    clients: new FeedClients({ name: 'live', metrics, log, ...limits }),
    metrics,
    reader,
    log,
    signal: stopping.signal,
    database: options.database,
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

  function onNotification(channel: string, payload: string): void {
    if (channel === channels.ownRows) return live.ownRows?.wake()
    if (channel === channels.rollback) {
      live.ownRows?.wake()
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
        (channel, payload) => onReplicaCaughtUp(() => onNotification(channel, payload)),
        {
          signal: stopping.signal,
          applicationName: 'flowfarm live feeds',
          onReconnect: () =>
            onReplicaCaughtUp(() => {
              live.ownRows?.wake()
              blockFeed.catchUp().catch((error: unknown) => {
                failures.log(log, 'warn', { err: asError(error) }, 'Could not read missed blocks for the live feed')
              })
            }),
          onError: (err) =>
            failures.log(log, 'warn', { err }, 'The live feed lost its database connection. Reconnecting.'),
        },
      )
      await live.start()
    },
    stop: async () => {
      stopping.abort()
      statusFeed.stop()
      live.stop()
      await blockFeed.idle()
      await live.ownRows?.idle()
      await listener?.ended
    },
  }
}

export interface StatusFeedOptions {
  readonly clients: FeedClients
  readonly status: () => Promise<unknown>
  readonly log: Logger
  /** Default 3,000. */
  readonly intervalMs?: number
}

/** Read once for all clients, and only while there are clients. */
export class StatusFeed {
  readonly #options: StatusFeedOptions
  readonly #intervalMs: number
  readonly #failures = new LogThrottle()
  #ticking: NodeJS.Timeout | undefined
  #isPublishing = false
  #reading: Promise<Buffer | undefined> | undefined
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
    if (this.#isPublishing) return
    this.#isPublishing = true
    const status = await this.#read()
    if (status !== undefined) await clients.send(status)
    this.#isPublishing = false
  }

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
        'Could not read the status for the status feed',
      )
      this.#latest = undefined
    }
    return this.#latest
  }
}
