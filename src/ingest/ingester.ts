import type pg from 'pg'
import { asError, FatalError } from '../base/errors.ts'
import type { Logger } from '../base/log.ts'
import type { Metrics } from '../base/metrics.ts'
import { backoffMs, pause } from '../base/retry.ts'
import type { ChainSource } from '../access/chain-source.ts'
import type { FetchedBlock } from '../access/messages.ts'
import { acquireLock } from '../db/advisory-lock.ts'
import { appendBlock } from './append-block.ts'
import type { Batch } from './batch.ts'
import { BatchWriter } from './batch-writer.ts'
import type { CommittedBatch } from './batch-writer.ts'
import type { IngesterName } from './checkpoints.ts'
import { FetchWindow } from './fetch-window.ts'
import { ForkError } from './fork-error.ts'
import type { Progress } from './progress.ts'

/** More blocks in a commit gain nothing (facts of the benchmark: docs/decisions.md). */
const largestBatch = 100
/** A commit is sent at this size whatever the number of blocks. */
const batchBytes = 16 * 1024 * 1024
/** Blocks that wait or are expected, in bytes, before fetching pauses. */
const windowBytes = 96 * 1024 * 1024
/** How long a commit may wait to become larger while blocks keep coming. */
const longestWaitMs = 250

export interface IngesterOptions {
  readonly name: IngesterName
  /** The database's address, for the connection that holds the lock. */
  readonly databaseUrl: string
  readonly pool: pg.Pool
  readonly source: ChainSource
  readonly log: Logger
  readonly metrics: Metrics
  readonly progress: Progress
  readonly signal: AbortSignal
  /** Set by the operator: kept as it is. */
  readonly fixedWidth: number | undefined
  readonly fixedBatch: number | undefined
  /** Where the window begins when it adapts. */
  readonly initialWidth: number
  /** Given blocks when they are committed, with the generation of the checkpoint, which goes up with every rollback. */
  readonly onStored?: ((blocks: readonly FetchedBlock[], generation: number) => void) | undefined
}

/** One stretch of work: which heights, in which order, and what must hold between neighbours. */
export interface Stretch {
  readonly generation: number
  /** The next height to fetch; undefined when there is none now. */
  readonly nextHeight: () => number | undefined
  /** Blocks that could be fetched right now, besides those under way: decides how large commits should be. */
  readonly waiting: () => number
  /** Calls `wake` when `nextHeight` may have more; returns how to stop that. */
  readonly onMore: (wake: () => void) => () => void
  /** True when everything was handed out and nothing will come. */
  readonly isOver: () => boolean
  /** Checks that a block fits to its stored neighbour. @throws ForkError or RetryableError */
  readonly check: (block: FetchedBlock, previous: FetchedBlock | undefined) => Promise<void>
  /** Checked while there is nothing to do, and now and then: that the chain is still the stored one. */
  readonly inspect?: () => Promise<void>
}

/**
 * What both ingesters share: one stretch after the other from what PostgreSQL says is stored, so that whatever went
 * wrong, the next stretch begins from the truth.
 *
 *     waiting for the lock → planning → working → (an error: back-off) → planning → … → done | stopped
 */
export abstract class Ingester {
  protected readonly options: IngesterOptions
  readonly #knownScripts = new Set<string>()

  constructor(options: IngesterOptions) {
    this.options = options
  }

  /** Plans the next stretch; undefined when the work is done for good. */
  protected abstract plan(signal: AbortSignal): Promise<Stretch | undefined>
  /** Brings the stored chain in line with the node's after a fork. */
  protected abstract handleFork(fork: ForkError, signal: AbortSignal): Promise<void>
  protected onCommitted(_batch: CommittedBatch): void {}

  /** Works until it is done or the signal comes. @throws FatalError, of which BelowRootError is one */
  async run(): Promise<void> {
    const { name, log, signal, databaseUrl } = this.options
    for (let attempt = 1; !signal.aborted; attempt++) {
      try {
        const lock = await acquireLock(databaseUrl, `ingest:${name}`, {
          signal, onWaiting: (holder) => log.info({ holder }, 'another process has this ingester, waiting for it to end'),
        })
        try {
          const isDone = await this.#work(AbortSignal.any([signal, lock.lost]), () => (attempt = 1))
          if (isDone) return
        } finally {
          await lock.release()
        }
      } catch (error) {
        if (signal.aborted) return
        if (error instanceof FatalError) throw error
        const pauseMs = backoffMs(attempt, 100, 10_000)
        log.warn({ err: asError(error), attempt, pauseMs }, 'ingestion was interrupted, going on from what is stored')
        await pause(pauseMs, signal).catch((reason: unknown) => log.debug({ reason }, 'stopped while waiting'))
      }
    }
  }

  /** @returns true when done for good */
  async #work(signal: AbortSignal, onProgress: () => void): Promise<boolean> {
    for (;;) {
      signal.throwIfAborted()
      const stretch = await this.plan(signal)
      if (stretch === undefined) return true
      try {
        await this.#runStretch(stretch, signal, onProgress)
        if (stretch.isOver()) continue
      } catch (error) {
        if (!(error instanceof ForkError)) throw error
        await this.handleFork(error, signal)
        onProgress()
      }
    }
  }

  async #runStretch(stretch: Stretch, signal: AbortSignal, onProgress: () => void): Promise<void> {
    const { name, source, pool, log, metrics, progress, fixedWidth, fixedBatch, initialWidth, onStored } = this.options
    const stop = new AbortController()
    const writer = new BatchWriter({
      pool, name, generation: stretch.generation,
      onCommitted: (batch) => {
        onProgress()
        metrics.blocksStored.inc({ ingester: name }, batch.blockCount)
        metrics.transactionsStored.inc({ ingester: name }, batch.txCount)
        metrics.eventsStored.inc({ ingester: name }, batch.eventCount)
        metrics.commitSeconds.observe({ ingester: name }, batch.seconds)
        metrics.batchBlocks.observe({ ingester: name }, batch.blockCount)
        for (const code of batch.undecodedCodes) metrics.indexingErrors.inc({ worker: name, code })
        progress.committed(name, batch)
        onStored?.(batch.fetched, stretch.generation)
        this.onCommitted(batch)
      },
    }, this.#knownScripts)
    const window = new FetchWindow({
      source, nextHeight: stretch.nextHeight, width: fixedWidth ?? initialWidth, isFixed: fixedWidth !== undefined,
      maxBytes: windowBytes, signal: AbortSignal.any([signal, stop.signal]),
      onRetry: (height, error, pauseMs) => log.warn({ height, err: error, pauseMs }, 'a block could not be fetched, trying again'),
    })
    const stopListening = stretch.onMore(() => window.fill())
    let batch = writer.takeBatch()
    let previous: FetchedBlock | undefined
    let batchSince = 0
    /** False while a block is being added: half a block must never be sent. */
    let isWhole = true
    const flush = async (): Promise<void> => {
      if (batch.isEmpty) return
      await writer.store(batch)
      batch = writer.takeBatch()
    }
    const limit = fixedBatch ?? largestBatch
    try {
      for (;;) {
        signal.throwIfAborted()
        if (!window.isNextReady) {
          metrics.bytesInFlight.set({ ingester: name }, window.bytes)
          metrics.window.set({ ingester: name }, window.width)
          if (!batch.isEmpty && (stretch.waiting() < limit || performance.now() - batchSince > longestWaitMs)) await flush()
          if (batch.isEmpty && stretch.isOver()) break
          if (!(await window.waitReady(longestWaitMs))) {
            if (batch.isEmpty) await stretch.inspect?.()
            if (batch.isEmpty) await writer.drain()
            continue
          }
        }
        const block = window.take()
        await stretch.check(block, previous)
        if (!batch.isEmpty && !isNeighbour(batch, block.block.height)) await flush()
        if (batch.isEmpty) batchSince = performance.now()
        isWhole = false
        appendBlock(batch, block)
        if (onStored !== undefined) batch.fetched.push(block)
        isWhole = true
        previous = block
        if (batch.blockCount >= limit || batch.byteLength >= batchBytes) await flush()
      }
      await flush()
      await writer.drain()
    } catch (error) {
      // What was fetched and fits is stored all the same: it is in order, and its commit is fenced like any other.
      window.close()
      if (isWhole) await flush()
      await writer.drain()
      throw error
    } finally {
      stopListening()
      window.close()
      stop.abort(new Error('the stretch is over'))
    }
  }
}

function isNeighbour(batch: Batch, height: number): boolean {
  return height === batch.highest + 1 || height === batch.lowest - 1
}
