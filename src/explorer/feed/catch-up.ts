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
import type { BlockMessages } from './feed-block.ts'

export interface Timeline {
  readonly end: number | undefined
  /** `end` is exclusive; undefined if the blocks, or blocks before them, may have been removed. */
  read(from: number, end: number): Promise<BlockRun | undefined>
  isInMemory(height: number): boolean
  /** The first height that may match; lower ones are stored and do not. */
  nextFor(selections: readonly IndexedSelection[], from: number, to: number): Promise<number>
  /** Never below the end. */
  head(): Promise<number | undefined>
  /** The lowest height replaced together with a removed block. */
  forkPoint(height: number, fork: string): number | undefined
}

export interface CatchingUpOptions {
  readonly timeline: Timeline
  readonly log: Logger
  readonly signal: AbortSignal
  /** Heights below the end. */
  readonly maxReplay: number
  readonly budget: ReplayBudget
  readonly maxReorgDepth: number
  readonly maxBufferedBytes: () => number
  readonly sliceMs: number | undefined
  readonly onDone: (client: LiveClient) => void
  readonly onTooFarBehind: (client: LiveClient, next: number) => void
  readonly onSent: (messages: number) => void
  readonly onCount: (clients: number) => void
}

/**
 * Replays blocks at the pace of each client, then hands it over to the head without gaps or
 * duplicates. A shared cache keeps slow and resuming clients from affecting others.
 */
export class CatchingUp {
  readonly #options: CatchingUpOptions
  readonly #clients = new Set<LiveClient>()
  readonly #failures = new LogThrottle()
  readonly #slices: TimeSlices
  /** The functions end the wait for the feed. */
  readonly #parked = new Map<LiveClient, () => void>()

  constructor(options: CatchingUpOptions) {
    this.#options = options
    this.#slices = new TimeSlices(options.sliceMs)
    options.signal.addEventListener('abort', () => this.wakeAll(), { once: true })
  }

  /** The place of the client must be set. */
  add(client: LiveClient): void {
    if (this.#clients.has(client)) return this.wake(client)
    this.#clients.add(client)
    this.#options.onCount(this.#clients.size)
    void this.#lead(client)
  }

  wakeAll(): void {
    for (const client of this.#parked.keys()) this.wake(client)
  }

  wake(client: LiveClient): void {
    this.#parked.get(client)?.()
    this.#parked.delete(client)
  }

  rollback(from: number): void {
    for (const client of this.#clients) {
      const { place } = client
      if (place === undefined) continue
      if (place.height > from || (place.height === from && place.had !== undefined)) this.#rollBack(client, from)
      // A running read may contain removed blocks.
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
        this.#failures.log(log, 'warn', details, 'Could not read blocks for a client that catches up. Retrying.')
        failures++
        await pause(backoffMs(failures, 100, 5000), signal).catch(() => undefined)
      }
    }
    // In the tick of the last check of its place: later calls of `add` start a new run.
    this.#clients.delete(client)
    this.#options.onCount(this.#clients.size)
  }

  #isHere(client: LiveClient): boolean {
    return client.place !== undefined && client.connection.isOpen
  }

  async #step(client: LiveClient): Promise<void> {
    const { timeline, maxReplay, onDone, onTooFarBehind } = this.#options
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
    if (height >= end) return this.#waitUntil(client, end)
    if (height < end - maxReplay) return onTooFarBehind(client, height)
    if (!timeline.isInMemory(height)) {
      if (!(await this.#afford(client))) return
      if (await this.#skipUnmatched(client, end)) return
    }
    const run = await timeline.read(height, end)
    // The client may have moved, and a rollback must be sent before new blocks.
    if (run !== undefined && client.place === place && (timeline.end ?? 0) >= end) this.#give(client, run)
  }

  /** @returns false after waiting until a read may be affordable */
  async #afford(client: LiveClient): Promise<boolean> {
    const seconds = this.#options.budget.spend(client, blocksPerRead)
    if (seconds === 0) return true
    const timer = setTimeout(() => this.wake(client), seconds * 1000)
    await this.#park(client)
    clearTimeout(timer)
    return false
  }

  /** @returns whether the client moved */
  async #skipUnmatched(client: LiveClient, end: number): Promise<boolean> {
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

  /** Another process served the client, or blocks were removed while it was away. */
  async #waitUntil(client: LiveClient, end: number): Promise<void> {
    const { timeline } = this.#options
    const { place } = client
    const head = Math.max(end, (await timeline.head()) ?? 0)
    if (place === undefined || client.place !== place) return
    const needed = place.had === undefined ? place.height : place.height + 1
    if (needed <= head) return timeline.end === end ? this.#park(client) : undefined
    this.#rollBack(client, this.#forkPoint(needed - 1, place.had?.fork, head))
  }

  async #park(client: LiveClient): Promise<void> {
    if (this.#options.signal.aborted) return
    await new Promise<void>((resolve) => {
      this.#parked.set(client, resolve)
    })
  }

  #give(client: LiveClient, { blocks, to }: BlockRun): void {
    const { place } = client
    if (place === undefined) return
    const [first] = blocks
    const { had } = place
    if (had !== undefined && (first?.height !== place.height || forkOf(first.id) !== had.fork)) {
      return this.#rollBack(client, this.#forkPoint(place.height, had.fork, place.height))
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

  #giveBlock(client: LiveClient, block: BlockMessages, lastHad: number): void {
    const numbers = matchOne(client, block).filter((number) => number > lastHad)
    if (numbers.length === 0) return
    client.connection.write(block.frames(client.form, numbers))
    this.#options.onSent(numbers.length)
  }

  #skip(client: LiveClient, from: number, to: number): void {
    client.connection.write(messageFrame(client.form, 'gap', { from_height: from, to_height: to - 1 }, String(to)))
  }

  #rollBack(client: LiveClient, from: number): void {
    client.place = { height: from, had: undefined }
    if (!client.filters.some(({ types }) => types.has('rollback'))) return
    client.connection.write(messageFrame(client.form, 'rollback', { from_height: from }, String(from)))
  }

  /** Errs on the low side, so that the client keeps no removed block. */
  #forkPoint(height: number, fork: string | undefined, head: number): number {
    const { timeline, maxReorgDepth } = this.#options
    return (
      (fork === undefined ? undefined : timeline.forkPoint(height, fork)) ??
      Math.max(0, Math.min(head, height - maxReorgDepth + 1))
    )
  }
}
