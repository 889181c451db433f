import type { SubscriptionId } from './client-message.ts'
import type { FeedConnection } from './feed-connection.ts'
import { everything } from './feed-filter.ts'
import type { FeedFilter } from './feed-filter.ts'
import type { Mark } from './mark.ts'
import type { FeedForm } from './told-block.ts'

const all: readonly FeedFilter[] = [everything]

/**
 * A client of the block feed.
 *
 *     following ──subscribes with a place, or reads too slowly──► catching up ──has all that was told──► following
 *
 * One that never subscribed gets everything and cannot catch up: it does not know of it.
 */
export class LiveClient {
  readonly connection: FeedConnection
  readonly subscriptions = new Map<SubscriptionId, FeedFilter>()
  form: FeedForm = 'plain'
  /** Where it goes on while it catches up; undefined while it follows. */
  place: Mark | undefined

  constructor(connection: FeedConnection) {
    this.connection = connection
  }

  /** Whether it ever subscribed. */
  get isSubscriber(): boolean {
    return this.form !== 'plain'
  }

  get filters(): readonly FeedFilter[] {
    return this.isSubscriber ? [...this.subscriptions.values()] : all
  }
}
