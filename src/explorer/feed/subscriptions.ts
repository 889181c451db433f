import { maxAddresses, parseClientMessage } from './client-message.ts'
import type { ClientMessage, ClientMistake, SubscriptionId } from './client-message.ts'
import { sizeOf, everything } from './filter-index.ts'
import type { Mark, FeedForm } from './feed-block.ts'
import type { ReplayBudget } from './replay-budget.ts'
import { messageText } from './feed-block.ts'
import type { FeedConnection } from './feed-clients.ts'
import type { FeedFilter } from './filter-index.ts'

export interface SubscriptionsOptions {
  /** One above the highest height that was told. */
  readonly end: () => number | undefined
  /** Whether blocks from a height on cost no read of the database. */
  readonly isAtHand: (height: number) => boolean
  readonly budget: ReplayBudget
  /** Heights below the end that are told again. */
  readonly maxReplay: number
  /** Blocks that a reorganization replaces at most: as far above the end a client may be. */
  readonly maxReorgDepth: number
  /** Words in the filters of all clients together. */
  readonly maxWords: number
  /** What a client asks for has changed; with a place, it wants to go on from there. */
  readonly onChange: (client: LiveClient, place: Mark | undefined) => void
}

/** Most subscriptions of one connection. */
const maxSubscriptions = 16

/** Obeys and answers what clients ask for, within bounds for each and for all. */
export class Subscriptions {
  readonly #options: SubscriptionsOptions
  readonly #words = new Map<LiveClient, number>()
  #allWords = 0

  constructor(options: SubscriptionsOptions) {
    this.#options = options
  }

  /** @param text undefined where it was not text */
  accept(client: LiveClient, text: string | undefined): void {
    const message = parseClientMessage(text)
    if ('code' in message) return refuse(client, message)
    const mistake = this.#obey(client, message)
    if (mistake !== undefined) refuse(client, mistake)
  }

  /** The client is gone. */
  forget(client: LiveClient): void {
    this.#allWords -= this.#words.get(client) ?? 0
    this.#words.delete(client)
  }

  #obey(client: LiveClient, message: ClientMessage): ClientMistake | undefined {
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
        message: 'there is no such subscription on this connection',
        id,
      }
    }
    this.#count(client)
    answer(client, 'unsubscribed', { id })
    this.#options.onChange(client, undefined)
    return undefined
  }

  #subscribe(client: LiveClient, message: ClientMessage & { type: 'subscribe' }): ClientMistake | undefined {
    const { id, filter, place, isBatch } = message
    const mistake =
      this.#tooMuch(client, message) ?? this.#misplaced(client, message) ?? this.#overBudget(client, message)
    if (mistake !== undefined) return { ...mistake, id }
    client.subscriptions.set(id, filter)
    client.form = (isBatch ?? client.form === 'batch') ? 'batch' : 'marked'
    this.#count(client)
    const next = place?.height ?? client.place?.height ?? this.#options.end()
    answer(client, 'subscribed', { id, next_height: next ?? null, batch: client.form === 'batch' })
    this.#options.onChange(client, place)
    return undefined
  }

  #tooMuch(client: LiveClient, { id, filter }: ClientMessage & { type: 'subscribe' }): ClientMistake | undefined {
    const replaced = client.subscriptions.get(id)
    if (replaced === undefined && client.subscriptions.size >= maxSubscriptions) {
      const message = `a connection has at most ${maxSubscriptions} subscriptions: put more into one filter, or unsubscribe one`
      return { code: 'too_many_subscriptions', field: 'id', message }
    }
    const more = sizeOf(filter) - (replaced === undefined ? 0 : sizeOf(replaced))
    if ((this.#words.get(client) ?? 0) + more > maxAddresses) {
      const message = `the filters of a connection have at most ${maxAddresses} words together: ask for less, or open another connection`
      return { code: 'too_many_words', field: 'filter', message }
    }
    if (more > 0 && this.#allWords + more > this.#options.maxWords) {
      return {
        code: 'too_many_words',
        field: 'filter',
        message: 'this server holds as many filters as it can: ask for less, or try again later',
      }
    }
    return undefined
  }

  #misplaced(client: LiveClient, { id, place }: ClientMessage & { type: 'subscribe' }): ClientMistake | undefined {
    if (place === undefined) return undefined
    const field = place.had === undefined ? 'from' : 'after'
    if ([...client.subscriptions.keys()].some((own) => own !== id)) {
      const message =
        'all subscriptions of a connection go on from the same place: subscribe this one without, or on a ' +
        'connection of its own'
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
        message: `the feed goes back to height ${lowest}: read what is below by /flow/block, and subscribe from there`,
      }
    }
    if (place.height > end + maxReorgDepth) {
      return {
        code: 'too_new',
        field,
        message: `the next height is ${end}: subscribe from there, or leave ${field} out`,
      }
    }
    return undefined
  }

  /** Whether an index will shorten the replay is not known yet: it must be affordable without. */
  #overBudget(client: LiveClient, { place }: ClientMessage & { type: 'subscribe' }): ClientMistake | undefined {
    const { end, isAtHand, budget } = this.#options
    const blocks = place === undefined ? 0 : (end() ?? 0) - place.height
    if (place === undefined || blocks <= 0 || isAtHand(place.height)) return undefined
    const retryAfter = budget.waitOf(client, blocks)
    if (retryAfter === 0) return undefined
    const field = place.had === undefined ? 'from' : 'after'
    const message =
      `the replay budget of this client does not allow ${blocks} blocks now: subscribe again in ${retryAfter} s, ` +
      `from a higher height, or without ${field} and read the blocks by /flow/block`
    return { code: 'replay_limit', field, message, retryAfter }
  }

  #count(client: LiveClient): void {
    const words = [...client.subscriptions.values()].reduce((sum, filter) => sum + sizeOf(filter), 0)
    this.#allWords += words - (this.#words.get(client) ?? 0)
    this.#words.set(client, words)
  }
}

function refuse(client: LiveClient, { id, code, field, message, retryAfter }: ClientMistake): void {
  const wait = retryAfter === undefined ? {} : { retry_after: retryAfter }
  answer(client, 'error', { ...(id === undefined ? {} : { id }), code, field: field ?? null, message, ...wait })
}

/** Answers are one message a frame, whatever the form. */
function answer(client: LiveClient, type: string, payload: unknown): void {
  client.connection.writeText(messageText(type, payload))
}

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
