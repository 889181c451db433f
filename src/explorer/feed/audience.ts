import { TimeSlices } from './time-slices.ts'
import type { FeedFilter } from './filter-index.ts'
import { FilterIndex } from './filter-index.ts'
import type { LiveClient } from './subscriptions.ts'
import { messageFrame } from './feed-block.ts'
import type { FeedForm, ToldBlock } from './feed-block.ts'

/** Clients that ask for the same in the same form, and so get the same bytes. */
interface Group {
  readonly key: string
  readonly form: FeedForm
  readonly filters: readonly FeedFilter[]
  readonly members: Set<LiveClient>
  /** What blocks that are about to be told have for it. */
  parts: Part[]
}

/** What the clients of a group are told in one write. */
interface Delivery {
  /** One or several frames; they are made for the first client that gets them. */
  readonly frames: () => Buffer
  readonly messages: number
  /** After it a client has been told all messages below this height. */
  readonly next: number
}

/** What a client waits for. */
interface Waiting {
  readonly deliveries: readonly Delivery[]
  /** How many of them it has had. */
  had: number
}

/** Messages of a block, by their numbers. */
interface Part {
  readonly block: ToldBlock
  readonly numbers: readonly number[]
}

export interface AudienceOptions {
  /** Told of a client for which too much waits, after it was given all messages below `next`. */
  readonly onSlow: (client: LiveClient, next: number) => void
  /** Bytes that may wait for one client. */
  readonly maxBufferedBytes: (client: LiveClient) => number
  /**
   * What one client is told in one write, in bytes; what one block has for it is not cut. Default: a quarter of 1
   * MiB.
   */
  readonly maxBytesAtOnce?: number | undefined
  /** How long telling may keep the process from other things at a time, in milliseconds. */
  readonly turnMs: number | undefined
  /** Counts messages. */
  readonly onSent: (messages: number) => void
}

/**
 * The clients that follow the feed. What they are told is found, and made into bytes, once for all that ask for the
 * same. A write is what costs, whatever is in it, so that each gets what several blocks have for it together. With
 * many clients it is told in turns, between which the process does other things:
 *
 * - A client that was there when the telling began is told, each thing once and in its order, also where it says
 *   something or changes what it asks for before it is its turn: then it is told first (`tellNow`).
 * - One that joins meanwhile is not: it has, by catching up, or does not ask for, what was told before it came.
 */
export class Audience {
  readonly #options: AudienceOptions
  readonly #groups = new Map<string, Group>()
  readonly #index = new FilterIndex<Group>()
  readonly #groupOf = new Map<LiveClient, Group>()
  readonly #slices: TimeSlices
  readonly #maxBytesAtOnce: number
  /** Those who wait for their turn to be told. */
  readonly #waiting = new Map<LiveClient, Waiting>()
  /**
   * Messages that were written and not counted yet: counting each by itself would take longer than finding whom it
   * goes to.
   */
  #sent = 0

  constructor(options: AudienceOptions) {
    this.#options = options
    this.#maxBytesAtOnce = options.maxBytesAtOnce ?? 256 * 1024
    this.#slices = new TimeSlices(options.turnMs)
  }

  /** Begins to tell a client what its filters want. */
  join(client: LiveClient): void {
    const { form, filters } = client
    this.leave(client)
    if (filters.length === 0) return
    const key = `${form} ${filters
      .map((filter) => filter.key)
      .toSorted()
      .join(' ')}`
    let group = this.#groups.get(key)
    if (group === undefined) {
      group = { key, form, filters, members: new Set(), parts: [] }
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
    const groups: Group[] = []
    for (const block of blocks) {
      for (const [group, numbers] of this.#index.match(block)) {
        if (group.parts.length === 0) groups.push(group)
        group.parts.push({ block, numbers })
      }
    }
    const end = (blocks.at(-1)?.height ?? 0) + 1
    for (const group of groups) {
      const { form } = group
      const writes = inWrites(group.parts, this.#maxBytesAtOnce)
      group.parts = []
      this.#await(
        group.members,
        writes.map((write, i) => deliveryOf(form, write, writes[i + 1]?.[0]?.block.height ?? end)),
      )
    }
    await this.#deliver()
  }

  /** Tells that heights from `from` up were taken back; resolves when all are told. */
  async tellRollback(from: number): Promise<void> {
    const frames = framesByForm('rollback', { from_height: from }, String(from))
    for (const { form, members } of this.#index.ofRollbacks)
      this.#await(members, [{ frames: () => frames[form], messages: 1, next: from }])
    await this.#deliver()
  }

  /** Tells subscribers how far the feed has come, those that no message has reached for long among them. */
  async tellPosition(next: number, mark: string): Promise<void> {
    const frames = framesByForm('position', { next_height: next }, mark)
    for (const { form, members } of this.#groups.values())
      if (form !== 'plain') this.#await(members, [{ frames: () => frames[form], messages: 0, next }])
    await this.#deliver()
  }

  /** Tells a client all that it waits for. */
  tellNow(client: LiveClient): void {
    while (this.#waiting.has(client)) this.#tellNext(client)
  }

  #await(members: ReadonlySet<LiveClient>, deliveries: readonly Delivery[]): void {
    for (const client of members) this.#waiting.set(client, { deliveries, had: 0 })
  }

  /** Writes to each in turn, until all have had everything. */
  async #deliver(): Promise<void> {
    while (this.#waiting.size > 0) {
      for (const client of this.#waiting.keys()) {
        if (!this.#slices.tryTake()) await this.#slices.take()
        this.#tellNext(client)
      }
    }
    this.#options.onSent(this.#sent)
    this.#sent = 0
  }

  #tellNext(client: LiveClient): void {
    const waiting = this.#waiting.get(client)
    const delivery = waiting?.deliveries[waiting.had]
    if (waiting === undefined || delivery === undefined) return
    waiting.had++
    if (waiting.had === waiting.deliveries.length) this.#waiting.delete(client)
    client.connection.write(delivery.frames())
    this.#sent += delivery.messages
    // One that is slow leaves, and waits for nothing here any more.
    if (client.connection.waitingBytes > this.#options.maxBufferedBytes(client))
      this.#options.onSlow(client, delivery.next)
  }
}

/** Cuts what blocks have for a client into writes. */
function inWrites(parts: readonly Part[], maxBytes: number): readonly (readonly Part[])[] {
  const writes: Part[][] = []
  let bytes = Number.POSITIVE_INFINITY
  for (const part of parts) {
    const more = part.block.textBytesOf(part.numbers)
    bytes += more
    if (bytes > maxBytes) {
      writes.push([])
      bytes = more
    }
    writes.at(-1)?.push(part)
  }
  return writes
}

function deliveryOf(form: FeedForm, parts: readonly Part[], next: number): Delivery {
  let made: Buffer | undefined
  return {
    next,
    messages: parts.reduce((sum, { numbers }) => sum + numbers.length, 0),
    frames: () => (made ??= joined(parts.map(({ block, numbers }) => block.frames(form, numbers)))),
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
