import { maxAddresses } from './client-message.ts'
import type { ClientMessage, ClientMessageError, SubscriptionId } from './client-message.ts'
import { sizeOf, everything } from './filter-index.ts'
import type { Mark, FeedForm } from './feed-block.ts'
import type { ReplayBudget } from './replay-budget.ts'
import { messageText } from './feed-block.ts'
import type { FeedConnection } from './feed-clients.ts'
import type { FeedFilter } from './filter-index.ts'

export interface SubscriptionsOptions {
  readonly end: () => number | undefined
  readonly isInMemory: (height: number) => boolean
  readonly budget: ReplayBudget
  /** Heights below the end. */
  readonly maxReplay: number
  /** A client may be ahead of the end by this depth. */
  readonly maxReorgDepth: number
  /** Total of all clients. */
  readonly maxWords: number
  /** With a place, the client resumes from there. */
  readonly onChange: (client: LiveClient, place: Mark | undefined) => void
}

/** Own tables have their own subscriptions. */
type BlockMessage = Exclude<ClientMessage, { readonly type: 'subscribe_table' }>

/** Per connection. */
export const maxSubscriptions = 16

export class Subscriptions {
  readonly #options: SubscriptionsOptions
  readonly #words = new Map<LiveClient, number>()
  #allWords = 0

  constructor(options: SubscriptionsOptions) {
    this.#options = options
  }

  accept(client: LiveClient, message: BlockMessage): void {
    const mistake = this.#obey(client, message)
    if (mistake !== undefined) refuse(client, mistake)
  }

  remove(client: LiveClient): void {
    this.#allWords -= this.#words.get(client) ?? 0
    this.#words.delete(client)
  }

  #obey(client: LiveClient, message: BlockMessage): ClientMessageError | undefined {
    const { type, id } = message
    if (type === 'ping') {
      answer(client, 'pong', id === undefined ? {} : { id })
      return undefined
    }
    if (type === 'subscribe') return this.#subscribe(client, message)
    if (!client.subscriptions.delete(id)) {
      return {
        code: 'unknown_subscription',
        field: 'id',
        message: 'this connection has no such subscription',
        id,
      }
    }
    this.#count(client)
    answer(client, 'unsubscribed', { id })
    this.#options.onChange(client, undefined)
    return undefined
  }

  #subscribe(client: LiveClient, message: ClientMessage & { type: 'subscribe' }): ClientMessageError | undefined {
    const { id, filter, place, isBatch } = message
    const mistake =
      this.#checkSize(client, message) ?? this.#checkPlace(client, message) ?? this.#checkBudget(client, message)
    if (mistake !== undefined) return { ...mistake, id }
    client.subscriptions.set(id, filter)
    client.form = (isBatch ?? client.form === 'batch') ? 'batch' : 'marked'
    this.#count(client)
    const next = place?.height ?? client.place?.height ?? this.#options.end()
    answer(client, 'subscribed', { id, next_height: next ?? null, batch: client.form === 'batch' })
    this.#options.onChange(client, place)
    return undefined
  }

  #checkSize(
    client: LiveClient,
    { id, filter }: ClientMessage & { type: 'subscribe' },
  ): ClientMessageError | undefined {
    const replaced = client.subscriptions.get(id)
    if (replaced === undefined && client.subscriptions.size >= maxSubscriptions) {
      const message = `limit of ${maxSubscriptions} subscriptions per connection: combine filters or unsubscribe`
      return { code: 'too_many_subscriptions', field: 'id', message }
    }
    const more = sizeOf(filter) - (replaced === undefined ? 0 : sizeOf(replaced))
    if ((this.#words.get(client) ?? 0) + more > maxAddresses) {
      const message = `limit of ${maxAddresses} filter words per connection reached: use fewer or another connection`
      return { code: 'too_many_words', field: 'filter', message }
    }
    if (more > 0 && this.#allWords + more > this.#options.maxWords) {
      return {
        code: 'too_many_words',
        field: 'filter',
        message: 'filter limit of the server reached: use fewer words or retry later',
      }
    }
    return undefined
  }

  #checkPlace(
    client: LiveClient,
    { id, place }: ClientMessage & { type: 'subscribe' },
  ): ClientMessageError | undefined {
    if (place === undefined) return undefined
    const field = place.had === undefined ? 'from' : 'after'
    if ([...client.subscriptions.keys()].some((own) => own !== id)) {
      const message =
        'all subscriptions of a connection resume from the same place: omit it here or use another connection'
      return { code: 'already_following', field, message }
    }
    const { maxReplay, maxReorgDepth } = this.#options
    const end = this.#options.end()
    if (end === undefined) return undefined
    const lowest = Math.max(0, end - maxReplay)
    if (place.height < lowest) {
      return {
        code: 'too_old',
        field,
        message: `the feed starts at height ${lowest}: read older blocks from /flow/block, then subscribe from there`,
      }
    }
    if (place.height > end + maxReorgDepth) {
      return {
        code: 'too_new',
        field,
        message: `the next height is ${end}: subscribe from there or omit ${field}`,
      }
    }
    return undefined
  }

  /** An index may shorten the replay, but that is not known yet. */
  #checkBudget(client: LiveClient, { place }: ClientMessage & { type: 'subscribe' }): ClientMessageError | undefined {
    const { end, isInMemory, budget } = this.#options
    const blocks = place === undefined ? 0 : (end() ?? 0) - place.height
    if (place === undefined || blocks <= 0 || isInMemory(place.height)) return undefined
    const retryAfter = budget.waitOf(client, blocks)
    if (retryAfter === 0) return undefined
    const field = place.had === undefined ? 'from' : 'after'
    const message =
      `the replay budget does not allow ${blocks} blocks now: retry in ${retryAfter} s, use a higher height, or omit ` +
      `${field} and read the blocks from /flow/block`
    return { code: 'replay_limit', field, message, retryAfter }
  }

  #count(client: LiveClient): void {
    const words = [...client.subscriptions.values()].reduce((sum, filter) => sum + sizeOf(filter), 0)
    this.#allWords += words - (this.#words.get(client) ?? 0)
    this.#words.set(client, words)
  }
}

export function refuse(client: LiveClient, { id, code, field, message, retryAfter }: ClientMessageError): void {
  const wait = retryAfter === undefined ? {} : { retry_after: retryAfter }
  answer(client, 'error', { ...(id === undefined ? {} : { id }), code, field: field ?? null, message, ...wait })
}

export function answer(client: LiveClient, type: string, payload: unknown): void {
  client.connection.writeText(messageText(type, payload))
}

const all: readonly FeedFilter[] = [everything]

let lastId = 0

/**
 * following ──subscribes with a place, or reads too slowly──► catching up ──caught up──► following
 *
 * A client that never subscribed gets everything and cannot catch up.
 */
export class LiveClient {
  readonly id = ++lastId
  readonly connection: FeedConnection
  /** IPv4 address or IPv6 /64. */
  readonly network: string
  readonly subscriptions = new Map<SubscriptionId, FeedFilter>()
  form: FeedForm = 'plain'
  /** Undefined while following. */
  place: Mark | undefined

  constructor(connection: FeedConnection, network: string) {
    this.connection = connection
    this.network = network
  }

  get isSubscriber(): boolean {
    return this.form !== 'plain'
  }

  get filters(): readonly FeedFilter[] {
    return this.isSubscriber ? [...this.subscriptions.values()] : all
  }
}
