import type { IncomingMessage } from 'node:http'
import type { DatabasePool } from 'slonik'
import type { WebSocket } from 'ws'
import type { Logger } from '../../platform/log.ts'
import type { Metrics } from '../../platform/metrics.ts'
import { Audience } from './audience.ts'
import { BlockFeed } from './block-feed.ts'
import type { FeedListener, FeedReader } from './block-feed.ts'
import { CatchingUp } from './catch-up.ts'
import type { FeedClients } from './feed-clients.ts'
import { parseClientMessage } from './client-message.ts'
import { OwnRows } from './own-rows.ts'
import { answer, LiveClient, refuse, Subscriptions } from './subscriptions.ts'
import type { Mark, BlockMessages } from './feed-block.ts'
import { ReplayBudget } from './replay-budget.ts'
import { messageFrame } from './feed-block.ts'

/** Send buffers of all subscribers, shared equally. */
const maxSubscribersBytes = 256 * 1024 * 1024

export interface LiveLimits {
  /** Heights below the head. Default 10,000. */
  readonly maxReplay?: number
  /** Default 1,000. */
  readonly maxReorgDepth?: number
  /** Total of all clients. Default 500,000. */
  readonly maxWords?: number
  /** Send buffer beyond which a subscriber has to catch up. Default 128 KiB. */
  readonly maxSubscriberBytes?: number
  /** Default 2,000: wait for the notification of an already visible reorg. */
  readonly rollbackWaitMs?: number
  /** Default 32 MiB. */
  readonly maxRecentBytes?: number
  /** Default 256 KiB. */
  readonly maxBytesAtOnce?: number
  /** Default 5. */
  readonly sliceMs?: number
  /** Milliseconds. */
  readonly clock?: () => number
}

export interface LiveAudienceOptions {
  readonly clients: FeedClients
  readonly metrics: Metrics
  readonly reader: FeedReader
  readonly log: Logger
  readonly signal: AbortSignal
  readonly limits?: LiveLimits
  /** Default: without own tables. */
  readonly database?: DatabasePool | undefined
}

export class LiveAudience implements FeedListener {
  readonly feed: BlockFeed
  readonly ownRows: OwnRows | undefined
  readonly #clients: FeedClients
  readonly #metrics: Metrics
  readonly #audience: Audience
  readonly #catchingUp: CatchingUp
  readonly #subscriptions: Subscriptions
  #lastPosition: number | undefined
  #positionTimer: NodeJS.Timeout | undefined

  constructor({ clients, metrics, reader, log, signal, limits = {}, database }: LiveAudienceOptions) {
    const {
      maxReplay = 10_000,
      maxReorgDepth = 1000,
      maxWords = 500_000,
      maxSubscriberBytes = 128 * 1024,
      maxRecentBytes,
      maxBytesAtOnce,
      rollbackWaitMs,
      sliceMs,
      clock,
    } = limits
    // Other clients share the same bytes; the buffers of subscribers may all differ.
    const subscriberBytes = (): number =>
      Math.min(maxSubscriberBytes, clients.maxBufferedBytes, maxSubscribersBytes / clients.size)
    const budget = new ReplayBudget(maxReplay, clock)
    this.#clients = clients
    this.#metrics = metrics
    this.feed = new BlockFeed({
      listener: this,
      reader,
      log,
      signal,
      maxReorgDepth,
      onWaiting: (blocks) => metrics.feedWaitingBlocks.set(blocks),
      ...(rollbackWaitMs === undefined ? {} : { rollbackWaitMs }),
      ...(maxRecentBytes === undefined ? {} : { maxRecentBytes }),
    })
    this.#audience = new Audience({
      sliceMs,
      maxBytesAtOnce,
      maxBufferedBytes: (client) => (client.isSubscriber ? subscriberBytes() : clients.maxBufferedBytes),
      onSlow: (client, next) => {
        if (!client.isSubscriber) return this.#drop(client, next)
        metrics.feedFallenBehind.inc()
        this.#resumeFrom(client, { height: next, had: undefined })
      },
      onSent: (messages) => clients.sent(messages),
    })
    this.#catchingUp = new CatchingUp({
      timeline: this.feed,
      log,
      signal,
      maxReplay,
      budget,
      maxReorgDepth,
      maxBufferedBytes: subscriberBytes,
      sliceMs,
      onDone: (client) => this.#follow(client),
      onTooFarBehind: (client, next) => this.#drop(client, next),
      onSent: (messages) => clients.sent(messages),
      onCount: (count) => metrics.feedCatchingUp.set(count),
    })
    this.ownRows =
      database === undefined
        ? undefined
        : new OwnRows({
            database,
            log,
            signal,
            budget,
            maxReplay,
            maxReorgDepth,
            maxBufferedBytes: subscriberBytes,
            onTooFarBehind: (client, next) => this.#drop(client, next),
            onSent: (messages) => clients.sent(messages),
          })
    this.#subscriptions = new Subscriptions({
      end: () => this.feed.end,
      isInMemory: (height) => this.feed.isInMemory(height),
      budget,
      maxReplay,
      maxReorgDepth,
      maxWords,
      onChange: (client, place) => this.#changed(client, place),
    })
  }

  get isEmpty(): boolean {
    return this.#clients.size === 0
  }

  async start(): Promise<void> {
    this.#positionTimer = setInterval(() => this.#publishPosition(), this.#clients.pingMs)
    await this.feed.start()
  }

  stop(): void {
    clearInterval(this.#positionTimer)
  }

  add(socket: WebSocket, request: IncomingMessage): void {
    this.#clients.add(socket, request, (connection) => {
      const client = new LiveClient(connection, connection.network)
      this.#audience.join(client)
      this.feed.arrive()
      return {
        message: (text) => {
          // Pending messages follow the previous filters.
          this.#audience.flush(client)
          this.#accept(client, text)
        },
        closed: () => {
          client.place = undefined
          this.#audience.leave(client)
          this.#catchingUp.wake(client)
          this.#subscriptions.remove(client)
          this.ownRows?.remove(client)
        },
      }
    })
  }

  #accept(client: LiveClient, text: string | undefined): void {
    const message = parseClientMessage(text)
    if ('code' in message) return refuse(client, message)
    const { ownRows } = this
    if (message.type === 'subscribe_table') {
      // It stops receiving everything.
      if (!client.isSubscriber) client.form = 'marked'
      this.#audience.join(client)
      if (ownRows !== undefined) void ownRows.subscribe(client, message)
      return
    }
    if (message.type === 'unsubscribe' && ownRows?.unsubscribe(client, message.id) === true) {
      return answer(client, 'unsubscribed', { id: message.id })
    }
    this.#subscriptions.accept(client, message)
  }

  async blocks(blocks: readonly BlockMessages[]): Promise<void> {
    const startedAt = performance.now()
    await this.#audience.publish(blocks)
    this.#metrics.feedSendSeconds.observe((performance.now() - startedAt) / 1000)
  }

  async rollback(from: number): Promise<void> {
    // Both at once: a client that finishes catching up in between still gets the rollback.
    this.#catchingUp.rollback(from)
    await this.#audience.publishRollback(from)
  }

  moved(): void {
    this.#catchingUp.wakeAll()
  }

  /** Other clients are not aware of gaps and want the newest blocks. */
  skipped(published: number): void {
    for (const client of this.#audience.subscribers()) this.#resumeFrom(client, { height: published, had: undefined })
  }

  #changed(client: LiveClient, place: Mark | undefined): void {
    if (place !== undefined) this.#resumeFrom(client, place)
    else if (client.place === undefined) this.#audience.join(client)
  }

  #resumeFrom(client: LiveClient, place: Mark): void {
    this.#audience.leave(client)
    client.place = place
    this.#catchingUp.add(client)
  }

  #follow(client: LiveClient): void {
    this.#audience.join(client)
    const { end, endMark } = this.feed
    if (end !== undefined && endMark !== undefined) {
      client.connection.write(messageFrame(client.form, 'position', { next_height: end }, endMark))
    }
  }

  #drop(client: LiveClient, next: number): void {
    client.place = undefined
    this.#audience.leave(client)
    this.#clients.dropSlow(client.connection, `too slow: subscribe with "from": ${next} to resume`)
  }

  #publishPosition(): void {
    this.ownRows?.publishPositions()
    const { end, endMark, isPublishing } = this.feed
    // During a publication, some clients lack blocks below the end or have removed ones.
    if (isPublishing || end === undefined || endMark === undefined || end === this.#lastPosition) return
    this.#lastPosition = end
    void this.#audience.publishPosition(end, endMark)
  }
}
