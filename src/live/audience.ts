import type { FeedFilter } from './feed-filter.ts'
import { FilterIndex } from './filter-index.ts'
import type { LiveClient } from './live-client.ts'
import { messageFrame } from './told-block.ts'
import type { FeedForm, ToldBlock } from './told-block.ts'
import { Turns } from './turns.ts'

/** Clients that ask for the same in the same form, and so get the same bytes. */
interface Group {
  readonly key: string
  readonly form: FeedForm
  readonly filters: readonly FeedFilter[]
  readonly members: Set<LiveClient>
}

/** What the clients of a group are told next. */
interface Delivery {
  /** One or several frames; they are made for the first client that gets them. */
  readonly frames: () => Buffer
  readonly messages: number
}

export interface AudienceOptions {
  /** Told of a client for which too much waits, after it was given all messages below `next`. */
  readonly onSlow: (client: LiveClient, next: number) => void
  /** Bytes that may wait for one client. */
  readonly maxBufferedBytes: (client: LiveClient) => number
  /** How long telling may keep the process from other things at a time, in milliseconds. */
  readonly turnMs: number | undefined
  /** Counts messages. */
  readonly onSent: (messages: number) => void
}

/**
 * The clients that follow the feed. What they are told is found, and made into bytes, once for all that ask for the same. With many
 * clients it is told in turns, between which the process does other things:
 *
 * - A client that was there when the telling began is told, each thing once and in its order, also where it says something or changes
 *   what it asks for before it is its turn: then it is told first (`tellNow`).
 * - One that joins meanwhile is not: it has, by catching up, or does not ask for, what was told before it came.
 */
export class Audience {
  readonly #options: AudienceOptions
  readonly #groups = new Map<string, Group>()
  readonly #index = new FilterIndex<Group>()
  readonly #groupOf = new Map<LiveClient, Group>()
  readonly #turns: Turns
  /** Those who wait for their turn to be told. */
  readonly #waiting = new Map<LiveClient, Delivery>()
  /** All messages below this height were told when nobody waits any more. */
  #next = 0
  /** Messages that were written and not counted yet: counting each by itself would take longer than finding whom it goes to. */
  #sent = 0

  constructor(options: AudienceOptions) {
    this.#options = options
    this.#turns = new Turns(options.turnMs)
  }

  /** Begins to tell a client what its filters want. */
  join(client: LiveClient): void {
    const { form, filters } = client
    this.leave(client)
    if (filters.length === 0) return
    const key = `${form} ${filters.map((filter) => filter.key).toSorted().join(' ')}`
    let group = this.#groups.get(key)
    if (group === undefined) {
      group = { key, form, filters, members: new Set() }
      this.#groups.set(key, group)
      this.#index.add(group)
    }
    group.members.add(client)
    this.#groupOf.set(client, group)
  }

  leave(client: LiveClient): void {
    const group = this.#groupOf.get(client)
    if (group === undefined) return
    this.#waiting.delete(client)
    this.#groupOf.delete(client)
    group.members.delete(client)
    if (group.members.size > 0) return
    this.#groups.delete(group.key)
    this.#index.remove(group)
  }

  /** Those that can catch up. */
  subscribers(): LiveClient[] {
    return [...this.#groupOf.keys()].filter((client) => client.isSubscriber)
  }

  /** Tells of blocks, ascending, at least one; resolves when all are told. */
  async tell(blocks: readonly ToldBlock[]): Promise<void> {
    const parts = new Map<Group, { readonly block: ToldBlock; readonly numbers: readonly number[] }[]>()
    for (const block of blocks) {
      for (const [group, numbers] of this.#index.match(block)) {
        const own = parts.get(group)
        if (own === undefined) parts.set(group, [{ block, numbers }])
        else own.push({ block, numbers })
      }
    }
    for (const [{ form, members }, own] of parts) {
      const messages = own.reduce((sum, { numbers }) => sum + numbers.length, 0)
      this.#await(members, messages, () => joined(own.map(({ block, numbers }) => block.frames(form, numbers))))
    }
    await this.#deliver((blocks.at(-1)?.height ?? 0) + 1)
  }

  /** Tells that heights from `from` up were taken back; resolves when all are told. */
  async tellRollback(from: number): Promise<void> {
    const frames = framesByForm('rollback', { from_height: from }, String(from))
    for (const { form, members } of this.#index.ofRollbacks) this.#await(members, 1, () => frames[form])
    await this.#deliver(from)
  }

  /** Tells subscribers how far the feed has come, those that no message has reached for long among them. */
  async tellPosition(next: number, mark: string): Promise<void> {
    const frames = framesByForm('position', { next_height: next }, mark)
    for (const { form, members } of this.#groups.values()) if (form !== 'plain') this.#await(members, 0, () => frames[form])
    await this.#deliver(next)
  }

  /** Tells a client that waits for its turn. */
  tellNow(client: LiveClient): void {
    const delivery = this.#waiting.get(client)
    if (delivery === undefined) return
    this.#waiting.delete(client)
    client.connection.write(delivery.frames())
    this.#sent += delivery.messages
    if (client.connection.waitingBytes > this.#options.maxBufferedBytes(client)) this.#options.onSlow(client, this.#next)
  }

  #await(members: ReadonlySet<LiveClient>, messages: number, make: () => Buffer): void {
    let made: Buffer | undefined
    const delivery = { messages, frames: () => (made ??= make()) }
    for (const client of members) this.#waiting.set(client, delivery)
  }

  async #deliver(next: number): Promise<void> {
    this.#next = next
    for (const client of this.#waiting.keys()) {
      if (!this.#turns.tryTake()) await this.#turns.take()
      this.tellNow(client)
    }
    this.#options.onSent(this.#sent)
    this.#sent = 0
  }
}

function joined(frames: readonly Buffer[]): Buffer {
  const [first] = frames
  return frames.length === 1 && first !== undefined ? first : Buffer.concat(frames)
}

function framesByForm(type: string, payload: unknown, seq: string): Record<FeedForm, Buffer> {
  return {
    plain: messageFrame('plain', type, payload, seq),
    marked: messageFrame('marked', type, payload, seq),
    batch: messageFrame('batch', type, payload, seq),
  }
}
