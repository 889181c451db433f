import type { FeedBlock } from './reader.ts'
import { asError } from '../../platform/errors.ts'
import type { Logger } from '../../platform/log.ts'
import { LogThrottle } from '../../platform/log-throttle.ts'
import { backoffMs, pause } from '../../platform/retry.ts'
import type { IndexedSelection } from './filter-index.ts'
import { FeedQueue } from './feed-queue.ts'
import type { FeedStep } from './feed-queue.ts'
import { KnownForks, RecentBlocks, BlockHistory } from './recent-blocks.ts'
import type { BlockRun } from './recent-blocks.ts'
import { encodeBlocks } from './feed-block.ts'
import type { BlockMessages } from './feed-block.ts'

export interface FeedReader {
  /** Lowest first; `to` is exclusive. */
  read(from: number, to: number): Promise<readonly FeedBlock[]>
  ids(from: number, to: number): Promise<ReadonlyMap<number, string>>
  /** Height after the highest block of the forward ingester. */
  head(): Promise<number | undefined>
  /**
   * The first height that may match a selection by index; lower ones are stored and do not match.
   * `from` if unknown.
   */
  nextFor?(selections: readonly IndexedSelection[], from: number, to: number): Promise<number>
}

/** The next event waits for the returned promise. */
export interface FeedListener {
  readonly isEmpty: boolean
  skipped(published: number, next: number): void
  /** Ascending, not empty. */
  blocks(blocks: readonly BlockMessages[]): Promise<void>
  rollback(from: number): Promise<void>
  moved(): void
}

export interface BlockFeedOptions {
  readonly listener: FeedListener
  readonly reader: FeedReader
  readonly log: Logger
  readonly signal: AbortSignal
  /** Default 100 blocks; the oldest are dropped. */
  readonly maxBacklog?: number
  /** Default 32 MiB. */
  readonly maxRecentBytes?: number
  /** Default 1,000. */
  readonly maxReorgDepth?: number
  readonly onWaiting: (blocks: number) => void
  /** Default 2,000: wait for the notification of an already visible reorg. */
  readonly rollbackWaitMs?: number
}

const blocksAtOnce = 20

/** A single block may exceed it. */
const bytesAtOnce = 4 * 1024 * 1024

/**
 * Publishes blocks committed by the forward ingester: `new_block`, then `new_transaction` for each
 * transaction. After a reorg, `rollback` with the lowest removed height, then the replacement
 * blocks.
 *
 *   idle ──notification──► publishing ──queue empty──► idle
 *                  │ ▲
 *   block does not follow │ │ rollback received, or published blocks compared with stored ones
 *                  ▼ │
 *               expecting a rollback
 *
 * The database may be ahead of its notifications: a replacement block can be visible before its
 * rollback is announced.
 */
export class BlockFeed {
  readonly #failures = new LogThrottle()
  readonly #options: BlockFeedOptions
  readonly #queue: FeedQueue
  readonly #recent: RecentBlocks
  readonly #remembered: BlockHistory
  readonly #forks = new KnownForks()
  #publishing: Promise<void> | undefined
  #expecting: Promise<void> | undefined
  #end: number | undefined
  #untilRollback = new AbortController()
  #comparedGeneration: number | undefined
  #lowestRollback = Number.POSITIVE_INFINITY
  #hasUnrememberedBlocks = false

  constructor(options: BlockFeedOptions) {
    this.#options = options
    this.#queue = new FeedQueue(options.maxBacklog ?? 100)
    this.#recent = new RecentBlocks(options.reader, options.maxRecentBytes ?? 32 * 1024 * 1024)
    this.#remembered = new BlockHistory(this.#maxReorgDepth)
  }

  get #maxReorgDepth(): number {
    return this.#options.maxReorgDepth ?? 1000
  }

  /** Height after the highest published block, or after the stored blocks at start. */
  get end(): number | undefined {
    return this.#end
  }

  get endMark(): string | undefined {
    return this.#end === undefined ? undefined : (this.#recent.get(this.#end - 1)?.endMark ?? String(this.#end))
  }

  get isPublishing(): boolean {
    return this.#publishing !== undefined
  }

  /** `end` is exclusive; undefined if the blocks, or blocks before them, may have been removed. */
  async read(from: number, end: number): Promise<BlockRun | undefined> {
    const { generation } = this.#recent
    const run = await this.#recent.run(from, end)
    if (!this.#isCurrent(run.blocks, generation)) {
      await this.#expectRollback(generation)
      return undefined
    }
    for (const block of run.blocks) this.#remembered.add(block)
    return run
  }

  isInMemory(height: number): boolean {
    return this.#recent.isInMemory(height)
  }

  /** `from` if the stored blocks may have changed meanwhile. */
  async nextFor(selections: readonly IndexedSelection[], from: number, to: number): Promise<number> {
    const { generation } = this.#recent
    const next = (await this.#options.reader.nextFor?.(selections, from, to)) ?? from
    return generation === this.#recent.generation ? next : from
  }

  head(): Promise<number | undefined> {
    return this.#options.reader.head()
  }

  /** The lowest height replaced together with a removed block. */
  forkPoint(height: number, fork: string): number | undefined {
    return this.#forks.pointOf(height, fork)
  }

  async start(): Promise<void> {
    const head = await this.#options.reader.head()
    if (head === undefined) return
    this.#queue.startAt(Math.min(head, this.#lowestRollback))
    this.#end ??= Math.min(head, this.#lowestRollback)
    await this.#rememberStored()
  }

  /** A client may have received blocks elsewhere while this process had none. */
  arrive(): void {
    if (!this.#hasUnrememberedBlocks) return
    this.#hasUnrememberedBlocks = false
    this.#rememberStored().catch((error: unknown) => {
      this.#hasUnrememberedBlocks = true
      this.#options.log.warn({ err: asError(error) }, 'Could not read recent block ids for the live feed')
    })
  }

  /** `to` is exclusive. */
  announce(from: number, to: number): void {
    this.#queue.announce(from, to)
    this.#wake()
  }

  rollback(from: number): void {
    this.#lowestRollback = Math.min(this.#lowestRollback, from)
    this.#forks.add(from, this.#remembered.all)
    this.#remembered.rollBack(from)
    this.#recent.rollBack(from)
    this.#queue.rollback(from)
    // Catching-up clients must not receive replacement blocks before the rollback.
    if (this.#end !== undefined) this.#end = Math.min(this.#end, from)
    this.#untilRollback.abort()
    this.#untilRollback = new AbortController()
    this.#wake()
  }

  /** Call after notifications may have been lost. */
  async catchUp(): Promise<void> {
    const head = await this.#options.reader.head()
    if (head === undefined) return
    await this.#compare()
    this.#recent.rollBack(0)
    this.announce(this.#queue.end ?? head, head)
  }

  async idle(): Promise<void> {
    while (this.#publishing !== undefined) await this.#publishing
  }

  #wake(): void {
    this.#options.onWaiting(this.#queue.waiting)
    this.#publishing ??= this.#publish().finally(() => {
      this.#publishing = undefined
    })
  }

  async #publish(): Promise<void> {
    const { listener, log, signal } = this.#options
    await Promise.resolve()
    for (let failures = 0; !signal.aborted;) {
      if (listener.isEmpty) return this.#discardBacklog()
      const step = this.#queue.peek(blocksAtOnce)
      if (step === undefined) return
      try {
        if (step.kind === 'blocks') await this.#publishBlocks(step)
        else await this.#publishRollback(step)
        this.#hasMoved()
        failures = 0
      } catch (error) {
        this.#failures.log(
          log,
          'warn',
          { err: asError(error), step },
          'Could not read new blocks for the live feed. Retrying.',
        )
        failures++
        await pause(backoffMs(failures, 100, 5000), signal).catch(() => undefined)
      }
    }
  }

  /** Needed to find the fork point of a missed reorg. */
  async #rememberStored(): Promise<void> {
    while (this.#end !== undefined) {
      const { generation } = this.#recent
      const ids = await this.#options.reader.ids(Math.max(0, this.#end - this.#maxReorgDepth), this.#end)
      if (generation !== this.#recent.generation) continue
      this.#remembered.fill(ids)
      return
    }
  }

  #discardBacklog(): void {
    this.#hasUnrememberedBlocks = true
    this.#queue.clear()
    this.#end = this.#queue.end
    this.#hasMoved()
  }

  async #publishRollback(step: FeedStep): Promise<void> {
    // A rollback during this publication is published after it.
    this.#queue.done(step)
    await this.#options.listener.rollback(step.from)
  }

  async #publishBlocks({ from, to }: FeedStep & { kind: 'blocks' }): Promise<void> {
    const { listener, reader } = this.#options
    const { generation } = this.#recent
    const blocks = await encodeBlocks(await reader.read(from, to))
    if (!this.#isCurrent(blocks, generation)) return this.#expectRollback(generation)
    if (this.#end !== undefined && from > this.#end) listener.skipped(this.#end, from)
    for (const together of portions(blocks)) {
      for (const block of together) {
        this.#recent.put(block)
        this.#remembered.add(block)
        this.#end = block.height + 1
      }
      this.#queue.done({ kind: 'blocks', from, to: this.#end ?? to })
      this.#hasMoved()
      await listener.blocks(together)
      if (generation !== this.#recent.generation) return
    }
    this.#queue.done({ kind: 'blocks', from, to })
    this.#end = to
  }

  #isCurrent(blocks: readonly BlockMessages[], generation: number): boolean {
    return (
      generation === this.#recent.generation &&
      (this.#comparedGeneration === generation || this.#remembered.isFollowedBy(blocks))
    )
  }

  /** Called when the notification of a rollback is pending or was lost. */
  async #expectRollback(generation: number): Promise<void> {
    if (generation !== this.#recent.generation) return
    await (this.#expecting ??= this.#waitOrCompare(generation).finally(() => {
      this.#expecting = undefined
    }))
  }

  async #waitOrCompare(generation: number): Promise<void> {
    const { signal, log, rollbackWaitMs = 2000 } = this.#options
    await pause(rollbackWaitMs, AbortSignal.any([signal, this.#untilRollback.signal])).catch(() => undefined)
    if (signal.aborted || generation !== this.#recent.generation) return
    log.warn('Stored blocks do not follow the published ones and no rollback was announced. Comparing them.')
    if (!(await this.#compare())) this.#comparedGeneration = this.#recent.generation
  }

  /** @returns whether blocks were removed */
  async #compare(): Promise<boolean> {
    const { reader, signal } = this.#options
    while (!signal.aborted) {
      const { generation } = this.#recent
      const published = this.#remembered.all
      const heights = published.map(([height]) => height)
      const head = (await reader.head()) ?? 0
      const stored =
        published.length === 0
          ? new Map<number, string>()
          : await reader.ids(Math.min(...heights), Math.max(...heights) + 1)
      if (generation !== this.#recent.generation) continue
      const removed = published.flatMap(([height, id]) => (stored.get(height) === id ? [] : [height]))
      const from = Math.min(
        this.#forkBelow(Math.min(...removed), published),
        this.#end !== undefined && head < this.#end ? head : Number.POSITIVE_INFINITY,
      )
      if (from === Number.POSITIVE_INFINITY) return false
      this.rollback(from)
      this.announce(from, head)
      return true
    }
    return false
  }

  /**
   * Above the highest block below `removed` that still exists. Errs on the low side, so that
   * clients keep no removed block.
   */
  #forkBelow(removed: number, published: readonly (readonly [height: number, id: string])[]): number {
    if (removed === Number.POSITIVE_INFINITY) return removed
    const remaining = Math.max(...published.flatMap(([height]) => (height < removed ? [height] : [])))
    return remaining === Number.NEGATIVE_INFINITY ? Math.max(0, removed - this.#maxReorgDepth + 1) : remaining + 1
  }

  #hasMoved(): void {
    this.#options.onWaiting(this.#queue.waiting)
    this.#options.listener.moved()
  }
}

function* portions(blocks: readonly BlockMessages[]): Generator<readonly BlockMessages[]> {
  let portion: BlockMessages[] = []
  let bytes = 0
  for (const block of blocks) {
    if (portion.length > 0 && bytes + block.textBytes > bytesAtOnce) {
      yield portion
      portion = []
      bytes = 0
    }
    portion.push(block)
    bytes += block.textBytes
  }
  if (portion.length > 0) yield portion
}
