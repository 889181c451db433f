import type { FeedBlock } from '../api/presenters/feed.ts'
import { asError } from '../base/errors.ts'
import type { Logger } from '../base/log.ts'
import { backoffMs, pause } from '../base/retry.ts'
import { FeedQueue } from './feed-queue.ts'
import type { FeedStep } from './feed-queue.ts'
import { KnownForks } from './known-forks.ts'
import { RecentBlocks } from './recent-blocks.ts'
import type { BlockRun } from './recent-blocks.ts'
import { ToldBlock } from './told-block.ts'

/** How the feed reads what it tells. */
export interface FeedReader {
  /** The stored blocks of a range of heights, `to` not among them, the lowest first. */
  read(from: number, to: number): Promise<readonly FeedBlock[]>
  /** One above the highest height that the forward ingester has stored; undefined while it has stored nothing. */
  head(): Promise<number | undefined>
}

/** Whoever listens to the feed. */
export interface FeedListener {
  /** Whether nobody is there. */
  readonly isEmpty: boolean
  /** Heights from `told` up to `next` were left out, since too many came at once. */
  skipped(told: number, next: number): void
  block(block: ToldBlock): void
  rollback(from: number): void
}

export interface BlockFeedOptions {
  readonly listener: FeedListener
  readonly reader: FeedReader
  readonly log: Logger
  /** Ends the feed. */
  readonly signal: AbortSignal
  /** Blocks that may wait to be told; when more do, the oldest are left out. Default 100. */
  readonly maxBacklog?: number
  /** What told blocks may take in memory, ready to be sent again. Default 32 MiB. */
  readonly maxRecentBytes?: number
}

/** Blocks that are read and sent together. */
const blocksAtOnce = 20

/** Told blocks whose ids are remembered, to notice a rollback that was announced while nobody heard it. */
const rememberedBlocks = 100

/**
 * Tells of blocks that the forward ingester has committed: `new_block`, then `new_transaction` for each of its transactions. After
 * a rollback `rollback` with the lowest height that was taken back, and then the blocks that took their place. A client that
 * knows the first two types only may ignore it: blocks then come with heights it has seen.
 *
 *     idle ──announcement──► telling ──queue empty──► idle
 *
 * Blocks are read from the database once for all clients, and not at all while there is no client.
 */
export class BlockFeed {
  readonly #options: BlockFeedOptions
  readonly #queue: FeedQueue
  readonly #recent: RecentBlocks
  readonly #forks = new KnownForks()
  /** Ids of the blocks told last, by height. */
  readonly #told = new Map<number, string>()
  #telling: Promise<void> | undefined
  #end: number | undefined
  #moved = Promise.withResolvers<void>()
  /** The lowest height that was taken back so far. */
  #lowestRollback = Number.POSITIVE_INFINITY

  constructor(options: BlockFeedOptions) {
    this.#options = options
    this.#queue = new FeedQueue(options.maxBacklog ?? 100)
    this.#recent = new RecentBlocks(options.reader, options.maxRecentBytes ?? 32 * 1024 * 1024)
  }

  /** One above the highest height that was told, or was there before anybody listened; undefined while nothing is stored. */
  get end(): number | undefined {
    return this.#end
  }

  /** The mark of what was told last. */
  get endMark(): string | undefined {
    return this.#end === undefined ? undefined : (this.#recent.get(this.#end - 1)?.endMark ?? String(this.#end))
  }

  /** Resolves when more was told, or taken back, or the feed ends. */
  moved(): Promise<void> {
    return this.#moved.promise
  }

  /** Some stored blocks from a height on, `end` not among them. */
  read(from: number, end: number): Promise<BlockRun> {
    return this.#recent.run(from, end)
  }

  /** One above the highest height that is stored. */
  head(): Promise<number | undefined> {
    return this.#options.reader.head()
  }

  /** The lowest height that was replaced together with a block that is gone; undefined where nobody saw that. */
  forkPoint(height: number, fork: string): number | undefined {
    return this.#forks.pointOf(height, fork)
  }

  /** Looks how far the chain is, after the announcements began to be heard. */
  async start(): Promise<void> {
    this.#options.signal.addEventListener('abort', () => this.#moved.resolve(), { once: true })
    const head = await this.#options.reader.head()
    if (head === undefined) return
    this.#queue.startAt(Math.min(head, this.#lowestRollback))
    this.#end ??= Math.min(head, this.#lowestRollback)
  }

  /** Heights were stored; `to` is not among them. */
  announce(from: number, to: number): void {
    this.#queue.announce(from, to)
    this.#wake()
  }

  /** Heights from `from` up were taken back. */
  rollback(from: number): void {
    this.#lowestRollback = Math.min(this.#lowestRollback, from)
    this.#recent.forget(from)
    this.#queue.rollback(from)
    // Whoever catches up is given nothing of what is new before it is told what is gone.
    if (this.#end !== undefined) this.#end = Math.min(this.#end, from)
    this.#wake()
  }

  /** Announcements may have been missed: compares what was told with what is stored now, and tells the difference. */
  async catchUp(): Promise<void> {
    const { reader } = this.#options
    await this.idle()
    const head = await reader.head()
    if (head === undefined) return
    const heights = [...this.#told.keys()]
    const lowest = Math.min(...heights)
    const stored = heights.length === 0 ? [] : await reader.read(lowest, Math.max(...heights) + 1)
    const storedIds = new Map(stored.map(({ block }) => [block.height, block.id]))
    const replaced = heights.filter((height) => storedIds.get(height) !== this.#told.get(height))
    if (replaced.length > 0) this.rollback(Math.min(...replaced))
    else if (this.#end !== undefined && head < this.#end) this.rollback(head)
    this.#recent.forget(0)
    this.announce(this.#queue.end ?? head, head)
  }

  /** Resolves when nothing waits to be told. */
  async idle(): Promise<void> {
    while (this.#telling !== undefined) await this.#telling
  }

  #wake(): void {
    this.#telling ??= this.#tell().finally(() => {
      this.#telling = undefined
    })
  }

  async #tell(): Promise<void> {
    const { listener, log, signal } = this.#options
    // What is announced in one go is told in one go.
    await Promise.resolve()
    for (let failures = 0; !signal.aborted; ) {
      if (listener.isEmpty) return this.#passOver()
      const step = this.#queue.peek(blocksAtOnce)
      if (step === undefined) return
      try {
        if (await this.#tellStep(step)) this.#queue.done(step)
        this.#hasMoved()
        failures = 0
      } catch (error) {
        log.warn({ err: asError(error), step }, 'new blocks could not be read for the live feed; trying again')
        failures++
        await pause(backoffMs(failures, 100, 5000), signal).catch(() => undefined)
      }
    }
  }

  /** Nobody listens: what waits is not told. */
  #passOver(): void {
    this.#queue.clear()
    this.#told.clear()
    this.#end = this.#queue.end
    this.#hasMoved()
  }

  /** False where a rollback was heard meanwhile: what was read may be gone, and is not told. */
  async #tellStep(step: FeedStep): Promise<boolean> {
    const { listener, reader } = this.#options
    if (step.kind === 'rollback') {
      const { from } = step
      this.#recent.forget(from)
      this.#forks.add(from, this.#told)
      for (const height of this.#told.keys()) if (height >= from) this.#told.delete(height)
      listener.rollback(from)
      return true
    }
    const { generation } = this.#recent
    const blocks = (await reader.read(step.from, step.to)).map((block) => new ToldBlock(block))
    if (generation !== this.#recent.generation) return false
    if (this.#end !== undefined && step.from > this.#end) listener.skipped(this.#end, step.from)
    for (const block of blocks) {
      this.#recent.put(block)
      this.#remember(block)
      this.#end = block.height + 1
      listener.block(block)
    }
    this.#end = step.to
    return true
  }

  #remember({ height, id }: ToldBlock): void {
    this.#told.delete(height)
    this.#told.set(height, id)
    for (const oldest of this.#told.keys()) {
      if (this.#told.size <= rememberedBlocks) break
      this.#told.delete(oldest)
    }
  }

  #hasMoved(): void {
    this.#moved.resolve()
    this.#moved = Promise.withResolvers()
  }
}
