import type { FeedBlock } from './reader.ts'
import { asError } from '../../platform/errors.ts'
import type { Logger } from '../../platform/log.ts'
import { LogThrottle } from '../../platform/log-throttle.ts'
import { backoffMs, pause } from '../../platform/retry.ts'
import type { IndexedSelection } from './filter-index.ts'
import { FeedQueue } from './feed-queue.ts'
import type { FeedStep } from './feed-queue.ts'
import { KnownForks, RecentBlocks, RememberedBlocks } from './recent-blocks.ts'
import type { BlockRun } from './recent-blocks.ts'
import { toldBlocks } from './feed-block.ts'
import type { ToldBlock } from './feed-block.ts'

/** How the feed reads what it tells. */
export interface FeedReader {
  /** The stored blocks of a range of heights, `to` not among them, the lowest first. */
  read(from: number, to: number): Promise<readonly FeedBlock[]>
  /** Their ids by height. */
  ids(from: number, to: number): Promise<ReadonlyMap<number, string>>
  /** One above the highest height that the forward ingester has stored; undefined while it has stored nothing. */
  head(): Promise<number | undefined>
  /**
   * The first height from `from` on, below `to`, whose block may have something for one of the selections, as far as
   * an index knows: heights before it are stored and have nothing. `from` where no index knows. Default: there is no
   * index.
   */
  nextFor?(selections: readonly IndexedSelection[], from: number, to: number): Promise<number>
}

/** Whoever listens to the feed. What it is told next waits until it has told it on. */
export interface FeedListener {
  /** Whether nobody is there. */
  readonly isEmpty: boolean
  /** Heights from `told` up to `next` were left out, since too many came at once. */
  skipped(told: number, next: number): void
  /** Some blocks, ascending, at least one. */
  blocks(blocks: readonly ToldBlock[]): Promise<void>
  rollback(from: number): Promise<void>
  /** The end of what was told has moved. */
  moved(): void
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
  /** Blocks that a reorganization replaces at most. Default 1,000. */
  readonly maxReorgDepth?: number
  /** Told how many blocks were announced and not told yet. */
  readonly onWaiting: (blocks: number) => void
  /** How long the announcement of a rollback that was seen already is waited for. Default 2,000 ms. */
  readonly patienceMs?: number
}

/** Blocks that are read together. */
const blocksAtOnce = 20

/** Text of blocks that are told together. One block alone may have more. */
const bytesAtOnce = 4 * 1024 * 1024

/**
 * Tells of blocks that the forward ingester has committed: `new_block`, then `new_transaction` for each of its
 * transactions. After a rollback `rollback` with the lowest height that was taken back, and then the blocks that took
 * their place. A client that knows the first two types only may ignore it: blocks then come with heights it has seen.
 *
 *     idle ──announcement──► telling ──queue empty──► idle
 *                              │ ▲
 *     read what does not follow│ │rollback is heard, or what was told compared with what is stored
 *                              ▼ │
 *                           expecting a rollback
 *
 * Blocks are read from the database once for all clients, and not at all while there is no client. The database may
 * be ahead of its announcements: a block that took the place of another can be read before the rollback of that one
 * is heard.
 */
export class BlockFeed {
  readonly #failures = new LogThrottle()
  readonly #options: BlockFeedOptions
  readonly #queue: FeedQueue
  readonly #recent: RecentBlocks
  readonly #remembered: RememberedBlocks
  readonly #forks = new KnownForks()
  #telling: Promise<void> | undefined
  #expecting: Promise<void> | undefined
  #end: number | undefined
  /** Ends with the next rollback. */
  #untilRollback = new AbortController()
  /** The generation of which it is known that what is stored does not follow, without a rollback. */
  #believed: number | undefined
  /** The lowest height that was taken back so far. */
  #lowestRollback = Number.POSITIVE_INFINITY
  /** Whether blocks went by of which nothing is remembered. */
  #hasPassedOver = false

  constructor(options: BlockFeedOptions) {
    this.#options = options
    this.#queue = new FeedQueue(options.maxBacklog ?? 100)
    this.#recent = new RecentBlocks(options.reader, options.maxRecentBytes ?? 32 * 1024 * 1024)
    this.#remembered = new RememberedBlocks(this.#maxReorgDepth)
  }

  get #maxReorgDepth(): number {
    return this.#options.maxReorgDepth ?? 1000
  }

  /**
   * One above the highest height that was told, or was there before anybody listened; undefined while nothing is
   * stored.
   */
  get end(): number | undefined {
    return this.#end
  }

  /** The mark of what was told last. */
  get endMark(): string | undefined {
    return this.#end === undefined ? undefined : (this.#recent.get(this.#end - 1)?.endMark ?? String(this.#end))
  }

  /** Whether something is being told, or waits to be. */
  get isTelling(): boolean {
    return this.#telling !== undefined
  }

  /**
   * Some stored blocks from a height on, `end` not among them; undefined where they may be gone, or what was told
   * before them.
   */
  async read(from: number, end: number): Promise<BlockRun | undefined> {
    const { generation } = this.#recent
    const run = await this.#recent.run(from, end)
    if (!this.#isSound(run.blocks, generation)) {
      await this.#expectRollback(generation)
      return undefined
    }
    for (const block of run.blocks) this.#remembered.add(block)
    return run
  }

  /** Whether blocks from a height on cost no read of the database of their own. */
  isAtHand(height: number): boolean {
    return this.#recent.isAtHand(height)
  }

  /** As of the reader; `from` where what is stored may have changed meanwhile. */
  async nextFor(selections: readonly IndexedSelection[], from: number, to: number): Promise<number> {
    const { generation } = this.#recent
    const next = (await this.#options.reader.nextFor?.(selections, from, to)) ?? from
    return generation === this.#recent.generation ? next : from
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
    const head = await this.#options.reader.head()
    if (head === undefined) return
    this.#queue.startAt(Math.min(head, this.#lowestRollback))
    this.#end ??= Math.min(head, this.#lowestRollback)
    await this.#rememberStored()
  }

  /** Somebody begins to listen, who may have been told elsewhere what went by here while nobody did. */
  arrive(): void {
    if (!this.#hasPassedOver) return
    this.#hasPassedOver = false
    this.#rememberStored().catch((error: unknown) => {
      this.#hasPassedOver = true
      this.#options.log.warn(
        { err: asError(error) },
        'the ids of blocks that went by could not be read for the live feed',
      )
    })
  }

  /** Heights were stored; `to` is not among them. */
  announce(from: number, to: number): void {
    this.#queue.announce(from, to)
    this.#wake()
  }

  /** Heights from `from` up were taken back. */
  rollback(from: number): void {
    this.#lowestRollback = Math.min(this.#lowestRollback, from)
    this.#forks.add(from, this.#remembered.all)
    this.#remembered.takeBack(from)
    this.#recent.forget(from)
    this.#queue.rollback(from)
    // Whoever catches up is given nothing of what is new before it is told what is gone.
    if (this.#end !== undefined) this.#end = Math.min(this.#end, from)
    this.#untilRollback.abort()
    this.#untilRollback = new AbortController()
    this.#wake()
  }

  /** Announcements may have been missed: compares what was told with what is stored now, and tells the difference. */
  async catchUp(): Promise<void> {
    const head = await this.#options.reader.head()
    if (head === undefined) return
    await this.#compare()
    this.#recent.forget(0)
    this.announce(this.#queue.end ?? head, head)
  }

  /** Resolves when nothing waits to be told. */
  async idle(): Promise<void> {
    while (this.#telling !== undefined) await this.#telling
  }

  #wake(): void {
    this.#options.onWaiting(this.#queue.waiting)
    this.#telling ??= this.#tell().finally(() => {
      this.#telling = undefined
    })
  }

  async #tell(): Promise<void> {
    const { listener, log, signal } = this.#options
    // What is announced in one go is told in one go.
    await Promise.resolve()
    for (let failures = 0; !signal.aborted;) {
      if (listener.isEmpty) return this.#passOver()
      const step = this.#queue.peek(blocksAtOnce)
      if (step === undefined) return
      try {
        if (step.kind === 'blocks') await this.#tellBlocks(step)
        else await this.#tellRollback(step)
        this.#hasMoved()
        failures = 0
      } catch (error) {
        this.#failures.log(
          log,
          'warn',
          { err: asError(error), step },
          'new blocks could not be read for the live feed; trying again',
        )
        failures++
        await pause(backoffMs(failures, 100, 5000), signal).catch(() => undefined)
      }
    }
  }

  /**
   * What clients may have of what is below the end, so that it is seen where a fork began whose announcement was
   * missed.
   */
  async #rememberStored(): Promise<void> {
    while (this.#end !== undefined) {
      const { generation } = this.#recent
      const ids = await this.#options.reader.ids(Math.max(0, this.#end - this.#maxReorgDepth), this.#end)
      if (generation !== this.#recent.generation) continue
      this.#remembered.fill(ids)
      return
    }
  }

  /** Nobody listens: what waits is not told. */
  #passOver(): void {
    this.#hasPassedOver = true
    this.#queue.clear()
    this.#end = this.#queue.end
    this.#hasMoved()
  }

  async #tellRollback(step: FeedStep): Promise<void> {
    // Done at once: what is taken back while this is told is told after it.
    this.#queue.done(step)
    await this.#options.listener.rollback(step.from)
  }

  /** Tells of what is stored of a step, as far as no rollback is heard meanwhile. */
  async #tellBlocks({ from, to }: FeedStep & { kind: 'blocks' }): Promise<void> {
    const { listener, reader } = this.#options
    const { generation } = this.#recent
    const blocks = await toldBlocks(await reader.read(from, to))
    if (!this.#isSound(blocks, generation)) return this.#expectRollback(generation)
    if (this.#end !== undefined && from > this.#end) listener.skipped(this.#end, from)
    for (const together of inPortions(blocks)) {
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

  /** Whether blocks that were read are still so, and follow those that were told before. */
  #isSound(blocks: readonly ToldBlock[], generation: number): boolean {
    return (
      generation === this.#recent.generation && (this.#believed === generation || this.#remembered.isFollowedBy(blocks))
    )
  }

  /** What is stored does not follow what was told. The rollback in between is announced in a moment, or was missed. */
  async #expectRollback(generation: number): Promise<void> {
    if (generation !== this.#recent.generation) return
    await (this.#expecting ??= this.#waitOrCompare(generation).finally(() => {
      this.#expecting = undefined
    }))
  }

  async #waitOrCompare(generation: number): Promise<void> {
    const { signal, log, patienceMs = 2000 } = this.#options
    await pause(patienceMs, AbortSignal.any([signal, this.#untilRollback.signal])).catch(() => undefined)
    if (signal.aborted || generation !== this.#recent.generation) return
    log.warn('stored blocks do not follow those before, and no rollback was announced; the live feed compares them')
    if (!(await this.#compare())) this.#believed = this.#recent.generation
  }

  /** Compares what was told with what is stored, and takes back what is gone. Gives whether anything is. */
  async #compare(): Promise<boolean> {
    const { reader, signal } = this.#options
    while (!signal.aborted) {
      const { generation } = this.#recent
      const told = this.#remembered.all
      const heights = told.map(([height]) => height)
      const head = (await reader.head()) ?? 0
      const stored =
        told.length === 0 ? new Map<number, string>() : await reader.ids(Math.min(...heights), Math.max(...heights) + 1)
      if (generation !== this.#recent.generation) continue
      const gone = told.flatMap(([height, id]) => (stored.get(height) === id ? [] : [height]))
      const from = Math.min(
        this.#forkBelow(Math.min(...gone), told),
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
   * Where a fork began of which `gone` is the lowest block that is known to be gone: above the highest below it that
   * is not. Without one too low rather than too high, so that nothing that is gone stays with a client.
   */
  #forkBelow(gone: number, told: readonly (readonly [height: number, id: string])[]): number {
    if (gone === Number.POSITIVE_INFINITY) return gone
    const kept = Math.max(...told.flatMap(([height]) => (height < gone ? [height] : [])))
    return kept === Number.NEGATIVE_INFINITY ? Math.max(0, gone - this.#maxReorgDepth + 1) : kept + 1
  }

  #hasMoved(): void {
    this.#options.onWaiting(this.#queue.waiting)
    this.#options.listener.moved()
  }
}

/** Blocks that are told together. */
function* inPortions(blocks: readonly ToldBlock[]): Generator<readonly ToldBlock[]> {
  let portion: ToldBlock[] = []
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
