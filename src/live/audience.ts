import type { FeedFilter } from './feed-filter.ts'
import { FilterIndex } from './filter-index.ts'
import type { LiveClient } from './live-client.ts'
import { messageFrame } from './told-block.ts'
import type { FeedForm, ToldBlock } from './told-block.ts'

/** Clients that ask for the same in the same form, and so get the same bytes. */
interface Group {
  readonly key: string
  readonly form: FeedForm
  readonly filters: readonly FeedFilter[]
  readonly members: Set<LiveClient>
}

export interface AudienceOptions {
  /** Told of a client for which too much waits, after it was given all messages below `next`. */
  readonly onSlow: (client: LiveClient, next: number) => void
  /** Bytes that may wait for one client. */
  readonly maxBufferedBytes: (client: LiveClient) => number
}

/** The clients that follow the feed. What they are told is found, and made into bytes, once for all that ask for the same. */
export class Audience {
  readonly #options: AudienceOptions
  readonly #groups = new Map<string, Group>()
  readonly #index = new FilterIndex<Group>()
  readonly #groupOf = new Map<LiveClient, Group>()

  constructor(options: AudienceOptions) {
    this.#options = options
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

  /** Tells of a block. Gives the number of messages that were sent. */
  tell(block: ToldBlock): number {
    const prepared = new Map<string, Buffer>()
    let sent = 0
    for (const [{ form, members }, numbers] of this.#index.match(block)) {
      const key = `${form} ${numbers.length === block.length ? 'all' : numbers.join()}`
      let frames = prepared.get(key)
      if (frames === undefined) prepared.set(key, (frames = block.frames(form, numbers)))
      sent += numbers.length * members.size
      this.#write(members, frames, block.height + 1)
    }
    return sent
  }

  /** Tells that heights from `from` up were taken back. */
  tellRollback(from: number): number {
    const frames = framesByForm('rollback', { from_height: from }, String(from))
    let sent = 0
    for (const { form, members } of this.#index.ofRollbacks) {
      sent += members.size
      this.#write(members, frames[form], from)
    }
    return sent
  }

  /** Tells subscribers how far the feed has come, those that no message has reached for long among them. */
  tellPosition(next: number, mark: string): void {
    const frames = framesByForm('position', { next_height: next }, mark)
    for (const { form, members } of this.#groups.values()) if (form !== 'plain') this.#write(members, frames[form], next)
  }

  #write(members: ReadonlySet<LiveClient>, frames: Buffer, next: number): void {
    for (const client of members) {
      client.connection.write(frames)
      if (client.connection.waitingBytes > this.#options.maxBufferedBytes(client)) this.#options.onSlow(client, next)
    }
  }
}

function framesByForm(type: string, payload: unknown, seq: string): Record<FeedForm, Buffer> {
  return {
    plain: messageFrame('plain', type, payload, seq),
    marked: messageFrame('marked', type, payload, seq),
    batch: messageFrame('batch', type, payload, seq),
  }
}
