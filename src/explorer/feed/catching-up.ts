import { asError } from '../../platform/errors.ts'
import type { Logger } from '../../platform/log.ts'
import { LogThrottle } from '../../platform/log-throttle.ts'
import { backoffMs, pause } from '../../platform/retry.ts'
import { TimeSlices } from './time-slices.ts'
import { indexedSelections, matchOne } from './filter-index.ts'
import type { IndexedSelection } from './filter-index.ts'
import type { LiveClient } from './subscriptions.ts'
import { forkOf, messageFrame } from './feed-block.ts'
import { blocksPerRead } from './recent-blocks.ts'
import type { BlockRun } from './recent-blocks.ts'
import type { ReplayBudget } from './replay-budget.ts'
import type { ToldBlock } from './feed-block.ts'

/** What those that catch up need to know of the feed. */
export interface Timeline {
  /** One above the highest height that was told; undefined while nothing is stored. */
  readonly end: number | undefined
  /**
   * Some stored blocks from a height on, `end` not among them; undefined where they may be gone, or what was told
   * before them.
   */
  read(from: number, end: number): Promise<BlockRun | undefined>
  /** Whether blocks from a height on cost no read of the database of their own. */
  isAtHand(height: number): boolean
  /**
   * The first height from `from` on, below `to`, that may have something for a selection; heights before it are
   * stored and have nothing.
   */
  nextFor(selections: readonly IndexedSelection[], from: number, to: number): Promise<number>
  /** One above the highest stored height, which is the end or above. */
  head(): Promise<number | undefined>
  /** The lowest height that was replaced together with a block that is gone; undefined where that is not known. */
  forkPoint(height: number, fork: string): number | undefined
}

export interface CatchingUpOptions {
  readonly timeline: Timeline
  readonly log: Logger
  readonly signal: AbortSignal
  /** Heights below the end that are told again. */
  readonly maxReplay: number
  readonly budget: ReplayBudget
  /** Blocks that a reorganization replaces at most. */
  readonly maxReorgDepth: number
  /** Bytes that may wait for a client before it is given more. */
  readonly maxBufferedBytes: () => number
  /** How long the giving may keep the process from other things at a time, in milliseconds. */
  readonly turnMs: number | undefined
  /** The client has all that was told: it may follow from now on. */
  readonly onDone: (client: LiveClient) => void
  /** The client is too far behind. */
  readonly onLost: (client: LiveClient, next: number) => void
  /** Counts messages. */
  readonly onSent: (messages: number) => void
  /** Told when one begins or ends to catch up. */
  readonly onCount: (clients: number) => void
}

/**
 * Clients that have not been told everything that was told: each is given blocks as fast as it takes them, and then
 * follows, without a gap and without a block twice. What it is given comes from blocks that are kept for all, so that
 * one that is slow, or comes back, costs the others nothing; a crowd that comes back is given its blocks in turns.
 */
export class CatchingUp {
  readonly #options: CatchingUpOptions
  readonly #clients = new Set<LiveClient>()
  readonly #failures = new LogThrottle()
  readonly #slices: TimeSlices
  /** Those that wait for the feed to go on, by what ends the waiting. */
  readonly #parked = new Map<LiveClient, () => void>()

  constructor(options: CatchingUpOptions) {
    this.#options = options
    this.#slices = new TimeSlices(options.turnMs)
    options.signal.addEventListener('abort', () => this.wakeAll(), { once: true })
  }

  /** Leads a client, whose place is set, to the end of what was told. */
  add(client: LiveClient): void {
    if (this.#clients.has(client)) return this.wake(client)
    this.#clients.add(client)
    this.#options.onCount(this.#clients.size)
    void this.#lead(client)
  }

  /** More was told, or taken back: those that wait for it look again. */
  wakeAll(): void {
    for (const client of this.#parked.keys()) this.wake(client)
  }

  /** A client that waits for the feed looks again at its place, which may be gone. */
  wake(client: LiveClient): void {
    this.#parked.get(client)?.()
    this.#parked.delete(client)
  }

  /** Heights from `from` up were taken back: tells those that have got that far. */
  rollback(from: number): void {
    for (const client of this.#clients) {
      const { place } = client
      if (place === undefined) continue
      if (place.height > from || (place.height === from && place.had !== undefined)) this.#takeBack(client, from)
      // What is being read for it may be of a block that is gone.
      else client.place = { ...place }
    }
  }

  async #lead(client: LiveClient): Promise<void> {
    const { signal, log } = this.#options
    for (let failures = 0; this.#isHere(client) && !signal.aborted;) {
      try {
        await client.connection.drained()
        await this.#slices.take()
        await this.#step(client)
        failures = 0
      } catch (error) {
        const details = { err: asError(error), place: client.place }
        this.#failures.log(log, 'warn', details, 'Blocks could not be read for a client that catches up: trying again')
        failures++
        await pause(backoffMs(failures, 100, 5000), signal).catch(() => undefined)
      }
    }
    // At once with the last look at its place: whoever is added later is led anew.
    this.#clients.delete(client)
    this.#options.onCount(this.#clients.size)
  }

  #isHere(client: LiveClient): boolean {
    return client.place !== undefined && client.connection.isOpen
  }

  async #step(client: LiveClient): Promise<void> {
    const { timeline, maxReplay, onDone, onLost } = this.#options
    const { place } = client
    if (place === undefined) return
    const { end } = timeline
    if (end === undefined) return this.#park(client)
    const { height, had } = place
    if (height === end && had === undefined) {
      client.place = undefined
      onDone(client)
      return
    }
    if (height >= end) return this.#waitFor(client, end)
    if (height < end - maxReplay) return onLost(client, height)
    if (!timeline.isAtHand(height)) {
      if (!(await this.#afford(client))) return
      if (await this.#passOver(client, end)) return
    }
    const run = await timeline.read(height, end)
    // The client may have moved meanwhile, and a rollback may have been heard, which is told before what is new.
    if (run !== undefined && client.place === place && (timeline.end ?? 0) >= end) this.#give(client, run)
  }

  /** Spends one read of the client's budgets, or waits until it may be affordable. @returns whether it was spent */
  async #afford(client: LiveClient): Promise<boolean> {
    const seconds = this.#options.budget.spend(client, blocksPerRead)
    if (seconds === 0) return true
    const timer = setTimeout(() => this.wake(client), seconds * 1000)
    await this.#park(client)
    clearTimeout(timer)
    return false
  }

  /** Moves a client past stored blocks that have nothing for it, as far as an index knows. @returns whether it moved */
  async #passOver(client: LiveClient, end: number): Promise<boolean> {
    const { timeline } = this.#options
    const { place } = client
    const selections = indexedSelections(client.filters)
    if (place === undefined || place.had !== undefined || selections === undefined) return false
    const next = await timeline.nextFor(selections, place.height, end)
    if (client.place !== place || (timeline.end ?? 0) < end) return true
    if (next <= place.height) return false
    client.place = { height: next, had: undefined }
    return true
  }

  /**
   * The client has more than was told here: another process told it, or it was taken back while the client was away.
   */
  async #waitFor(client: LiveClient, end: number): Promise<void> {
    const { timeline } = this.#options
    const { place } = client
    const head = Math.max(end, (await timeline.head()) ?? 0)
    if (place === undefined || client.place !== place) return
    const needed = place.had === undefined ? place.height : place.height + 1
    if (needed <= head) return timeline.end === end ? this.#park(client) : undefined
    this.#takeBack(client, this.#forkPoint(needed - 1, place.had?.fork, head))
  }

  /** Resolves when the client is woken. */
  async #park(client: LiveClient): Promise<void> {
    if (this.#options.signal.aborted) return
    await new Promise<void>((resolve) => {
      this.#parked.set(client, resolve)
    })
  }

  /** Gives a client the blocks of a run that begins at its place. */
  #give(client: LiveClient, { blocks, to }: BlockRun): void {
    const { place } = client
    if (place === undefined) return
    const [first] = blocks
    const { had } = place
    if (had !== undefined && (first?.height !== place.height || forkOf(first.id) !== had.fork)) {
      return this.#takeBack(client, this.#forkPoint(place.height, had.fork, place.height))
    }
    let next = place.height
    for (const block of blocks) {
      if (client.connection.waitingBytes > this.#options.maxBufferedBytes()) break
      if (block.height > next) this.#skip(client, next, block.height)
      this.#giveBlock(client, block, block.height === place.height ? (had?.number ?? -1) : -1)
      next = block.height + 1
      client.place = { height: next, had: undefined }
    }
    if (next === (blocks.at(-1)?.height ?? place.height - 1) + 1 && next < to) {
      this.#skip(client, next, to)
      client.place = { height: to, had: undefined }
    }
  }

  #giveBlock(client: LiveClient, block: ToldBlock, lastHad: number): void {
    const numbers = matchOne(client, block).filter((number) => number > lastHad)
    if (numbers.length === 0) return
    client.connection.write(block.frames(client.form, numbers))
    this.#options.onSent(numbers.length)
  }

  /** Heights that are not stored. */
  #skip(client: LiveClient, from: number, to: number): void {
    client.connection.write(messageFrame(client.form, 'gap', { from_height: from, to_height: to - 1 }, String(to)))
  }

  #takeBack(client: LiveClient, from: number): void {
    client.place = { height: from, had: undefined }
    if (!client.filters.some(({ types }) => types.has('rollback'))) return
    client.connection.write(messageFrame(client.form, 'rollback', { from_height: from }, String(from)))
  }

  /**
   * Where the chain left the block that a client has: too low rather than too high, so that nothing that is gone stays.
   * @param fork undefined where the client did not say which block it has
   */
  #forkPoint(height: number, fork: string | undefined, head: number): number {
    const { timeline, maxReorgDepth } = this.#options
    return (
      (fork === undefined ? undefined : timeline.forkPoint(height, fork)) ??
      Math.max(0, Math.min(head, height - maxReorgDepth + 1))
    )
  }
}
