import type pg from 'pg'
import { RetryableError } from '../platform/errors.ts'
import { contains } from '../platform/ranges.ts'
import type { HeightSet } from '../platform/ranges.ts'
import type { Logger } from '../platform/log.ts'
import type { LogThrottle } from '../platform/log-throttle.ts'
import type { Metrics } from '../platform/metrics.ts'
import type { ChainSource } from '../access/chain-source.ts'
import type { FetchedBlock } from '../access/messages.ts'
import { BelowRootError } from '../access/chain-source.ts'
import { appendBlock } from './append-block.ts'
import { rowsRefused } from './errors.ts'
import type { Batch } from './batch.ts'
import { BatchWriter } from './batch-writer.ts'
import type { CommittedBatch } from './batch-writer.ts'
import { ingesterNames } from './checkpoints.ts'
import type { IngesterName } from './checkpoints.ts'
import type { FailingHeights, LostHeight } from './failing-heights.ts'
import { FetchWindow } from './fetch-window.ts'
import type { HeadTracker } from './head-tracker.ts'
import type { Progress } from './progress.ts'
import type { ScriptCache, ShapeCache } from './caches.ts'
import { recordLostHeight } from './failing-heights.ts'
import type { SyncSegment } from './sync-segment.ts'

/** Larger commits gain nothing (docs/decisions.md). */
const maxBatchBlocks = 100
const batchBytes = 16 * 1024 * 1024
const windowBytes = 96 * 1024 * 1024
const maxWaitMs = 250

export interface SegmentSettings {
  readonly name: IngesterName
  readonly pool: pg.Pool
  readonly source: ChainSource
  readonly log: Logger
  readonly metrics: Metrics
  readonly progress: Progress
  readonly failing: FailingHeights
  /** Only for the forward ingester. */
  readonly heads?: HeadTracker
  readonly fixedWidth: number | undefined
  readonly fixedBatch: number | undefined
  readonly initialWidth: number
  readonly maxPauseMs?: number | undefined
  /** Called with committed blocks and the generation of the checkpoint. */
  readonly onStored?: ((blocks: readonly FetchedBlock[], generation: number) => void) | undefined
  /**
   * Awaited before each batch, so that consumers of `onStored` keep up.
   * @throws the signal's reason
   */
  readonly awaitCapacity?: (signal: AbortSignal) => Promise<void>
}

export interface SegmentContext {
  /** Shutdown, or the lock is lost. */
  readonly signal: AbortSignal
  /** Once it aborts, nothing may be committed. */
  readonly lockLost: AbortSignal
  readonly scripts: ScriptCache
  readonly shapes: ShapeCache
  readonly failures: LogThrottle
  /** Stored one by one, since a batch with them was refused. */
  readonly suspects: HeightSet
  readonly onCommitted: () => void
}

/**
 * Fetches ahead, checks each block against its neighbours, and stores batches. After an error or
 * the signal, fetched blocks that fit are still stored.
 */
export class SegmentSync {
  readonly #settings: SegmentSettings
  readonly #segment: SyncSegment
  readonly #context: SegmentContext
  readonly #writer: BatchWriter
  readonly #window: FetchWindow
  readonly #batchLimit: number
  #batch: Batch
  #batchSince = 0
  #hasCapacity = false
  #previous: FetchedBlock | undefined
  /** The latest block, until the one below confirms it (`SyncSegment.confirm`). */
  #held: FetchedBlock | undefined

  constructor(settings: SegmentSettings, segment: SyncSegment, context: SegmentContext) {
    this.#settings = settings
    this.#segment = segment
    this.#context = context
    const { name, pool, source, log, heads, fixedWidth, fixedBatch, initialWidth } = settings
    this.#batchLimit = fixedBatch ?? maxBatchBlocks
    this.#writer = new BatchWriter({
      pool,
      name,
      generation: segment.generation,
      heads,
      lockLost: context.lockLost,
      scripts: context.scripts,
      shapes: context.shapes,
      onCommitted: (batch) => this.#count(batch),
    })
    this.#batch = this.#writer.takeBatch()
    this.#window = new FetchWindow({
      source,
      nextHeight: segment.nextHeight,
      width: fixedWidth ?? initialWidth,
      isFixed: fixedWidth !== undefined,
      maxBytes: windowBytes,
      maxPauseMs: settings.maxPauseMs,
      signal: context.signal,
      onRetry: (height, err, pauseMs) => {
        context.failures.log(log, 'warn', { height, err, pauseMs }, 'Could not fetch a block: retrying')
      },
      onFailed: (height, error, ending) => settings.failing.failed(height, error, ending),
      onEnded: (height) => settings.failing.ended(height),
    })
  }

  /**
   * @throws ForkError, FatalError, RetryableError, or the signal's reason, after all work has ended
   */
  async run(): Promise<void> {
    const stopListening = this.#segment.onMore(() => this.#window.fill())
    try {
      await this.#takeAll()
      await this.#addBatch(undefined)
      await this.#flush()
      await this.#writer.drain()
    } catch (error) {
      await this.#salvage(error)
      throw error
    } finally {
      stopListening()
      this.#window.close()
    }
  }

  async #takeAll(): Promise<void> {
    for (;;) {
      this.#context.signal.throwIfAborted()
      if (this.#window.isNextReady) {
        await this.#waitForCapacity()
        const taken = this.#window.take()
        await ('lostHeight' in taken ? this.#leaveOut(taken) : this.#take(taken))
        continue
      }
      this.#showWindow()
      if (this.#isBatchDue()) await this.#flush()
      if (this.#window.isEmpty && this.#segment.isOver()) return
      if (!(await this.#window.waitReady(maxWaitMs))) await this.#idle()
    }
  }

  async #waitForCapacity(): Promise<void> {
    if (this.#hasCapacity) return
    await this.#settings.awaitCapacity?.(this.#context.signal)
    this.#hasCapacity = true
  }

  async #take(block: FetchedBlock): Promise<void> {
    await this.#segment.check(block, this.#previous)
    this.#previous = block
    if (this.#segment.confirm === undefined) await this.#add(block)
    else {
      await this.#addBatch(block)
      this.#held = block
    }
  }

  async #leaveOut(lost: LostHeight): Promise<void> {
    await this.#addBatch(undefined)
    await this.#flush()
    await this.#writer.drain()
    const { pool, name } = this.#settings
    const isRecorded = await recordLostHeight(pool, { name, generation: this.#segment.generation }, lost)
    if (!isRecorded)
      throw new RetryableError('checkpoint-moved', `${name}: height ${lost.lostHeight} was changed concurrently`)
    this.#context.onCommitted()
  }

  async #addBatch(below: FetchedBlock | undefined): Promise<void> {
    const held = this.#held
    if (held === undefined) return
    await this.#segment.confirm?.(held, below)
    this.#held = undefined
    await this.#add(held)
  }

  async #add(block: FetchedBlock): Promise<void> {
    const { height } = block.block
    const isAlone = contains(this.#context.suspects, height)
    if (isAlone || !this.#batch.continuesWith(height)) await this.#flush()
    if (this.#batch.isEmpty) this.#batchSince = performance.now()
    const stored = this.#append(block)
    if (this.#settings.onStored !== undefined) this.#batch.fetched.push(stored)
    const bytes = Math.max(this.#batch.byteLength, this.#batch.rowBytes)
    if (isAlone || this.#batch.blockCount >= this.#batchLimit || bytes >= batchBytes) await this.#flush()
  }

  #append(block: FetchedBlock): FetchedBlock {
    try {
      return appendBlock(this.#batch, block)
    } catch (error) {
      const { height } = block.block
      throw rowsRefused({ from: height, to: height + 1 }, error)
    }
  }

  /** No more blocks are waiting, or the batch has waited long enough. */
  #isBatchDue(): boolean {
    return this.#segment.waiting() < this.#batchLimit || performance.now() - this.#batchSince > maxWaitMs
  }

  async #flush(): Promise<void> {
    if (this.#batch.isEmpty) return
    await this.#writer.store(this.#batch)
    this.#batch = this.#writer.takeBatch()
    this.#hasCapacity = false
  }

  async #idle(): Promise<void> {
    if (!this.#batch.isEmpty) return
    await this.#segment.inspect?.()
    await this.#writer.drain()
  }

  /** Fetched blocks that fit are in order, and the commit is fenced. */
  async #salvage(error: unknown): Promise<void> {
    this.#window.close()
    try {
      if (error instanceof BelowRootError) await this.#addBatch(undefined)
      await this.#flush()
    } finally {
      await this.#writer.drain()
    }
  }

  #showWindow(): void {
    const { name, metrics } = this.#settings
    metrics.bytesInFlight.set({ ingester: name }, this.#window.bytes)
    metrics.window.set({ ingester: name }, this.#window.width)
  }

  #count(batch: CommittedBatch): void {
    const { name, metrics, progress, onStored } = this.#settings
    this.#context.onCommitted()
    this.#settings.failing.stored(batch)
    metrics.blocksStored.inc({ ingester: name }, batch.blockCount)
    metrics.transactionsStored.inc({ ingester: name }, batch.txCount)
    metrics.eventsStored.inc({ ingester: name }, batch.eventCount)
    metrics.commitSeconds.observe({ ingester: name }, batch.seconds)
    metrics.batchBlocks.observe({ ingester: name }, batch.blockCount)
    metrics.indexedHeight.set({ ingester: name }, name === ingesterNames.forward ? batch.to - 1 : batch.from)
    for (const code of batch.undecodedCodes) metrics.indexingErrors.inc({ worker: name, code })
    progress.committed(name, batch)
    onStored?.(batch.fetched, this.#segment.generation)
  }
}
