import type { IncomingMessage } from 'node:http'
import type { WebSocket } from 'ws'
import type { Logger } from '../base/log.ts'
import { Audience } from './audience.ts'
import { BlockFeed } from './block-feed.ts'
import type { FeedListener, FeedReader } from './block-feed.ts'
import { CatchingUp } from './catching-up.ts'
import type { FeedClients } from './feed-clients.ts'
import { LiveClient } from './live-client.ts'
import type { Mark } from './mark.ts'
import { Subscriptions } from './subscriptions.ts'
import { messageFrame } from './told-block.ts'
import type { ToldBlock } from './told-block.ts'

export interface LiveLimits {
  /** Blocks below the head that are told again to who resumes. Default 10,000. */
  readonly maxReplay?: number
  /** Blocks that a reorganization replaces at most. Default 1,000. */
  readonly maxReorgDepth?: number
  /** Words in the filters of all clients together. Default 500,000. */
  readonly maxWords?: number
  /** Bytes that may wait for a subscriber before it has to catch up. Default 128 KiB. */
  readonly maxSubscriberBytes?: number
}

export interface LiveAudienceOptions {
  readonly clients: FeedClients
  readonly reader: FeedReader
  readonly log: Logger
  readonly signal: AbortSignal
  readonly limits?: LiveLimits
}

/** The clients of `/ws` and the feed that they listen to. */
export class LiveAudience implements FeedListener {
  readonly feed: BlockFeed
  readonly #clients: FeedClients
  readonly #audience: Audience
  readonly #catchingUp: CatchingUp
  readonly #subscriptions: Subscriptions
  #positionTold: number | undefined
  #tellingPosition: NodeJS.Timeout | undefined

  constructor({ clients, reader, log, signal, limits = {} }: LiveAudienceOptions) {
    const { maxReplay = 10_000, maxReorgDepth = 1000, maxWords = 500_000, maxSubscriberBytes = 128 * 1024 } = limits
    const subscriberBytes = Math.min(maxSubscriberBytes, clients.maxBufferedBytes)
    this.#clients = clients
    this.feed = new BlockFeed({ listener: this, reader, log, signal })
    this.#audience = new Audience({
      maxBufferedBytes: (client) => (client.isSubscriber ? subscriberBytes : clients.maxBufferedBytes),
      onSlow: (client, next) => (client.isSubscriber ? this.#fallBehind(client, next) : this.#drop(client, next)),
    })
    this.#catchingUp = new CatchingUp({
      timeline: this.feed, log, signal, maxReplay, maxReorgDepth, maxBufferedBytes: subscriberBytes,
      onDone: (client) => this.#follow(client),
      onLost: (client, next) => this.#drop(client, next),
      onSent: (messages) => clients.sent(messages),
    })
    this.#subscriptions = new Subscriptions({
      end: () => this.feed.end, maxReplay, maxReorgDepth, maxWords,
      onChange: (client, place) => this.#changed(client, place),
    })
  }

  get isEmpty(): boolean {
    return this.#clients.size === 0
  }

  async start(): Promise<void> {
    this.#tellingPosition = setInterval(() => this.#tellPosition(), this.#clients.pingMs)
    await this.feed.start()
  }

  stop(): void {
    clearInterval(this.#tellingPosition)
  }

  /** Takes a connection over. */
  add(socket: WebSocket, request: IncomingMessage): void {
    this.#clients.add(socket, request, (connection) => {
      const client = new LiveClient(connection)
      this.#audience.join(client)
      return {
        message: (text) => this.#subscriptions.accept(client, text),
        closed: () => {
          client.place = undefined
          this.#audience.leave(client)
          this.#subscriptions.forget(client)
        },
      }
    })
  }

  block(block: ToldBlock): void {
    this.#clients.sent(this.#audience.tell(block))
  }

  rollback(from: number): void {
    this.#clients.sent(this.#audience.tellRollback(from))
    this.#catchingUp.rollback(from)
  }

  /** Subscribers get what was left out; those who never subscribed know of no gap, and want the newest. */
  skipped(told: number): void {
    for (const client of this.#audience.subscribers()) this.#fallBehind(client, told)
  }

  #changed(client: LiveClient, place: Mark | undefined): void {
    if (place !== undefined) this.#goOnFrom(client, place)
    else if (client.place === undefined) this.#audience.join(client)
  }

  #fallBehind(client: LiveClient, next: number): void {
    this.#goOnFrom(client, { height: next, had: undefined })
  }

  #goOnFrom(client: LiveClient, place: Mark): void {
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
    this.#clients.dropSlow(client.connection, `too slow: subscribe with "from": ${next} to go on`)
  }

  #tellPosition(): void {
    const { end, endMark } = this.feed
    if (end === undefined || endMark === undefined || end === this.#positionTold) return
    this.#positionTold = end
    this.#audience.tellPosition(end, endMark)
  }
}
