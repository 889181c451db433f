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
import type { Progress } from './progress.ts'
import type { ScriptCache, ShapeCache } from './caches.ts'
import { recordLostHeight } from './failing-heights.ts'
import type { Stretch } from './sync-segment.ts'

/** More blocks in a commit gain nothing (facts of the benchmark: docs/decisions.md). */
const largestBatch = 100
/** A commit is sent at this size, received or written, whatever the number of blocks. */
const batchBytes = 16 * 1024 * 1024
/** Blocks that wait or are expected, in bytes, before fetching pauses. */
const windowBytes = 96 * 1024 * 1024
/** How long a commit may wait to become larger while blocks keep coming. */
const longestWaitMs = 250

/** What is the same for all stretches of an ingester. */
export interface StretchSettings {
  readonly name: IngesterName
  readonly pool: pg.Pool
  readonly source: ChainSource
  readonly log: Logger
  readonly metrics: Metrics
  readonly progress: Progress
  readonly failing: FailingHeights
  /** Blocks under way at once, set by the operator: kept as it is. */
  readonly fixedWidth: number | undefined
  /** Blocks in a commit, set by the operator. */
  readonly fixedBatch: number | undefined
  /** Where the window begins when it adapts. */
  readonly initialWidth: number
  /** Longest pause between two tries, in milliseconds; undefined: as long as nodes and databases need. */
  readonly maxPauseMs?: number | undefined
  /** Given blocks when they are committed, with the generation of the checkpoint, which goes up with every rollback. */
  readonly onStored?: ((blocks: readonly FetchedBlock[], generation: number) => void) | undefined
  /**
   * Asked before each batch, and waited for: there is room for what `onStored` gives. No transaction is open while
   * it waits, but for those of batches that are being stored. @throws the signal's reason
   */
  readonly room?: (signal: AbortSignal) => Promise<void>
}

export interface StretchContext {
  /** Ends the stretch: the process stops, or the lock is lost. */
  readonly signal: AbortSignal
  /** Aborted when the ingester's lock is lost: from then on nothing is committed any more. */
  readonly lockLost: AbortSignal
  readonly scripts: ScriptCache
  readonly shapes: ShapeCache
  readonly failures: LogThrottle
  /** Stored one by one, since a batch of them was refused. */
  readonly suspects: HeightSet
  readonly onCommitted: () => void
}

/**
 * Works through one stretch: fetches ahead, checks each block against its neighbours, gathers batches, has them stored.
 *
 *     running ──nothing left──► over
 *        └──an error, the signal──► ending (what fits is still stored) ──► failed
 */
export class StretchRun {
  readonly #settings: StretchSettings
  readonly #stretch: Stretch
  readonly #context: StretchContext
  readonly #writer: BatchWriter
  readonly #window: FetchWindow
  readonly #batchLimit: number
  #batch: Batch
  /** When the first block of the batch was added. */
  #batchSince = 0
  /** Whether `room` was asked for the batch. */
  #hasRoom = false
  #previous: FetchedBlock | undefined
  /** The newest block, until the one below has confirmed it (`Stretch.confirm`). */
  #held: FetchedBlock | undefined

  constructor(settings: StretchSettings, stretch: Stretch, context: StretchContext) {
    this.#settings = settings
    this.#stretch = stretch
    this.#context = context
    const { name, pool, source, log, fixedWidth, fixedBatch, initialWidth } = settings
    this.#batchLimit = fixedBatch ?? largestBatch
    this.#writer = new BatchWriter({
      pool,
      name,
      generation: stretch.generation,
      lockLost: context.lockLost,
      scripts: context.scripts,
      shapes: context.shapes,
      onCommitted: (batch) => this.#count(batch),
    })
    this.#batch = this.#writer.takeBatch()
    this.#window = new FetchWindow({
      source,
      nextHeight: stretch.nextHeight,
      width: fixedWidth ?? initialWidth,
      isFixed: fixedWidth !== undefined,
      maxBytes: windowBytes,
      maxPauseMs: settings.maxPauseMs,
      signal: context.signal,
      onRetry: (height, err, pauseMs) => {
        context.failures.log(log, 'warn', { height, err, pauseMs }, 'a block could not be fetched, trying again')
      },
      onFailed: (height, error, ending) => settings.failing.failed(height, error, ending),
      onEnded: (height) => settings.failing.ended(height),
    })
  }

  /**
   * Resolves when the stretch is over and stored.
   * @throws ForkError, FatalError, RetryableError, or the signal's reason; nothing is under way any more then
   */
  async run(): Promise<void> {
    const stopListening = this.#stretch.onMore(() => this.#window.fill())
    try {
      await this.#takeAll()
      await this.#addHeld(undefined)
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
        await this.#waitForRoom()
        const taken = this.#window.take()
        await ('lostHeight' in taken ? this.#leaveOut(taken) : this.#take(taken))
        continue
      }
      this.#showWindow()
      if (this.#isBatchDue()) await this.#flush()
      if (this.#window.isEmpty && this.#stretch.isOver()) return
      if (!(await this.#window.waitReady(longestWaitMs))) await this.#idle()
    }
  }

  async #waitForRoom(): Promise<void> {
    if (this.#hasRoom) return
    await this.#settings.room?.(this.#context.signal)
    this.#hasRoom = true
  }

  async #take(block: FetchedBlock): Promise<void> {
    await this.#stretch.check(block, this.#previous)
    this.#previous = block
    if (this.#stretch.confirm === undefined) await this.#add(block)
    else {
      await this.#addHeld(block)
      this.#held = block
    }
  }

  /** A height that no node serves: what came before it is stored, and the hole is recorded. */
  async #leaveOut(lost: LostHeight): Promise<void> {
    await this.#addHeld(undefined)
    await this.#flush()
    await this.#writer.drain()
    const { pool, name } = this.#settings
    const isRecorded = await recordLostHeight(pool, { name, generation: this.#stretch.generation }, lost)
    if (!isRecorded)
      throw new RetryableError('checkpoint-moved', `${name}: height ${lost.lostHeight} was changed meanwhile`)
    this.#context.onCommitted()
  }

  async #addHeld(below: FetchedBlock | undefined): Promise<void> {
    const held = this.#held
    if (held === undefined) return
    await this.#stretch.confirm?.(held, below)
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

  /** Whether the batch should go although it is not full: nothing more is waiting, or it has waited long enough. */
  #isBatchDue(): boolean {
    return this.#stretch.waiting() < this.#batchLimit || performance.now() - this.#batchSince > longestWaitMs
  }

  async #flush(): Promise<void> {
    if (this.#batch.isEmpty) return
    await this.#writer.store(this.#batch)
    this.#batch = this.#writer.takeBatch()
    this.#hasRoom = false
  }

  /** Nothing has come for a while: time to see whether the chain is still ours, and whether the commits succeed. */
  async #idle(): Promise<void> {
    if (!this.#batch.isEmpty) return
    await this.#stretch.inspect?.()
    await this.#writer.drain()
  }

  /** What was fetched and fits is stored all the same: it is in order, and its commit is fenced like any other. */
  async #salvage(error: unknown): Promise<void> {
    this.#window.close()
    try {
      if (error instanceof BelowRootError) await this.#addHeld(undefined)
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
    onStored?.(batch.fetched, this.#stretch.generation)
  }
}
