import type { SubscriptionId } from './client-message.ts'
import type { FeedConnection } from './feed-connection.ts'
import { everything } from './feed-filter.ts'
import type { FeedFilter } from './feed-filter.ts'
import type { Mark } from './mark.ts'
import type { FeedForm } from './told-block.ts'

const all: readonly FeedFilter[] = [everything]

let lastId = 0

/**
 * A client of the block feed.
 *
 *     following ──subscribes with a place, or reads too slowly──► catching up ──has all that was told──► following
 *
 * One that never subscribed gets everything and cannot catch up: it does not know of it.
 */
export class LiveClient {
  /** Unique in the process. */
  readonly id = ++lastId
  readonly connection: FeedConnection
  /** The client's IPv4 address or IPv6 /64. */
  readonly network: string
  readonly subscriptions = new Map<SubscriptionId, FeedFilter>()
  form: FeedForm = 'plain'
  /** Where it goes on while it catches up; undefined while it follows. */
  place: Mark | undefined

  constructor(connection: FeedConnection, network: string) {
    this.connection = connection
    this.network = network
  }

  /** Whether it ever subscribed. */
  get isSubscriber(): boolean {
    return this.form !== 'plain'
  }

  get filters(): readonly FeedFilter[] {
    return this.isSubscriber ? [...this.subscriptions.values()] : all
  }
}
