import { TimeSlices } from './time-slices.ts'
import type { FeedFilter } from './filter-index.ts'
import { FilterIndex } from './filter-index.ts'
import type { LiveClient } from './subscriptions.ts'
import { messageFrame } from './feed-block.ts'
import type { FeedForm, BlockMessages } from './feed-block.ts'

interface Group {
  readonly key: string
  readonly form: FeedForm
  readonly filters: readonly FeedFilter[]
  readonly members: Set<LiveClient>
  parts: Part[]
}

interface Delivery {
  /** Encoded when the first client needs them. */
  readonly frames: () => Buffer
  readonly messages: number
  /** Next height of a client after this delivery. */
  readonly next: number
}

interface Waiting {
  readonly deliveries: readonly Delivery[]
  had: number
}

interface Part {
  readonly block: BlockMessages
  readonly numbers: readonly number[]
}

export interface AudienceOptions {
  /** `next`: next height of the client. */
  readonly onSlow: (client: LiveClient, next: number) => void
  readonly maxBufferedBytes: (client: LiveClient) => number
  /** Per write; a block is never split. Default: a quarter of 1 MiB. */
  readonly maxBytesAtOnce?: number | undefined
  readonly sliceMs: number | undefined
  readonly onSent: (messages: number) => void
}

/**
 * Clients that follow the head. Matching and encoding happen once per group, and each client gets
 * the messages of several blocks in one write. Large audiences are served in time slices:
 *
 * - A client present at the start of a publication receives every message once and in order. If it
 * changes its filters before its slice, it is served first (`flush`).
 * - A client that joins during a publication does not receive it: it caught up before, or did not
 * subscribe.
 */
export class Audience {
  readonly #options: AudienceOptions
  readonly #groups = new Map<string, Group>()
  readonly #index = new FilterIndex<Group>()
  readonly #groupOf = new Map<LiveClient, Group>()
  readonly #slices: TimeSlices
  readonly #maxBytesAtOnce: number
  readonly #waiting = new Map<LiveClient, Waiting>()
  /** Counting each message would cost more than matching. */
  #sent = 0

  constructor(options: AudienceOptions) {
    this.#options = options
    this.#maxBytesAtOnce = options.maxBytesAtOnce ?? 256 * 1024
    this.#slices = new TimeSlices(options.sliceMs)
  }

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

  subscribers(): LiveClient[] {
    return [...this.#groupOf.keys()].filter((client) => client.isSubscriber)
  }

  /** @param blocks ascending, not empty */
  async publish(blocks: readonly BlockMessages[]): Promise<void> {
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
      const writes = splitIntoWrites(group.parts, this.#maxBytesAtOnce)
      group.parts = []
      this.#await(
        group.members,
        writes.map((write, i) => deliveryOf(form, write, writes[i + 1]?.[0]?.block.height ?? end)),
      )
    }
    await this.#deliver()
  }

  /** @param from lowest removed height */
  async publishRollback(from: number): Promise<void> {
    const frames = framesByForm('rollback', { from_height: from }, String(from))
    for (const { form, members } of this.#index.ofRollbacks)
      this.#await(members, [{ frames: () => frames[form], messages: 1, next: from }])
    await this.#deliver()
  }

  /** Lets quiet subscriptions resume. */
  async publishPosition(next: number, mark: string): Promise<void> {
    const frames = framesByForm('position', { next_height: next }, mark)
    for (const { form, members } of this.#groups.values())
      if (form !== 'plain') this.#await(members, [{ frames: () => frames[form], messages: 0, next }])
    await this.#deliver()
  }

  flush(client: LiveClient): void {
    while (this.#waiting.has(client)) this.#sendNext(client)
  }

  #await(members: ReadonlySet<LiveClient>, deliveries: readonly Delivery[]): void {
    for (const client of members) this.#waiting.set(client, { deliveries, had: 0 })
  }

  async #deliver(): Promise<void> {
    while (this.#waiting.size > 0) {
      for (const client of this.#waiting.keys()) {
        if (!this.#slices.tryTake()) await this.#slices.take()
        this.#sendNext(client)
      }
    }
    this.#options.onSent(this.#sent)
    this.#sent = 0
  }

  #sendNext(client: LiveClient): void {
    const waiting = this.#waiting.get(client)
    const delivery = waiting?.deliveries[waiting.had]
    if (waiting === undefined || delivery === undefined) return
    waiting.had++
    if (waiting.had === waiting.deliveries.length) this.#waiting.delete(client)
    client.connection.write(delivery.frames())
    this.#sent += delivery.messages
    // A slow client has no pending deliveries anymore.
    if (client.connection.waitingBytes > this.#options.maxBufferedBytes(client))
      this.#options.onSlow(client, delivery.next)
  }
}

function splitIntoWrites(parts: readonly Part[], maxBytes: number): readonly (readonly Part[])[] {
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
