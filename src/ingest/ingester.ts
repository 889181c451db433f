import { hostname } from 'node:os'
import { DatabaseError } from 'pg'
import { asError, FatalError, RetryableError } from '../platform/errors.ts'
import { backoffMs, pause } from '../platform/retry.ts'
import type { HeightSet } from '../platform/ranges.ts'
import { LogThrottle } from '../platform/log-throttle.ts'
import { acquireLock } from '../platform/db/advisory-lock.ts'
import { asDatabaseError } from '../platform/db/errors.ts'
import { forgetPartitions } from '../platform/db/partitions.ts'
import { BadBlockError, ForkError, RowsThereError } from './errors.ts'
import { ScriptCache, ShapeCache } from './caches.ts'
import { recordLostHeight } from './failing-heights.ts'
import type { Stretch } from './sync-segment.ts'
import { StretchRun } from './segment-sync.ts'
import type { StretchSettings } from './segment-sync.ts'

/**
 * What a killed ingester left to the server is committed within moments: rows that are there longer are no such
 * thing.
 */
const triesOnRowsThere = 8

export interface IngesterOptions extends StretchSettings {
  /** The database's address, for the connection that holds the lock. */
  readonly databaseUrl: string
  /** Ends the work. */
  readonly signal: AbortSignal
}

/**
 * What both ingesters share: one stretch after the other from what PostgreSQL says is stored, so that whatever went
 * wrong, the next stretch begins from the truth.
 *
 *     waiting for the lock → planning → working → (an error: back-off) → planning → … → done | stopped
 */
export abstract class Ingester<Options extends IngesterOptions> {
  protected readonly options: Options
  readonly #failures = new LogThrottle()
  #suspects: HeightSet = []

  constructor(options: Options) {
    this.options = options
  }

  /** Plans the next stretch; undefined when the work is done for good. */
  protected abstract plan(signal: AbortSignal): Promise<Stretch | undefined>
  /**
   * Brings the stored chain in line with the node's after a fork.
   * @returns the block that is bad where there is none
   */
  protected abstract handleFork(fork: ForkError, signal: AbortSignal): Promise<BadBlockError | undefined>

  /**
   * Works until it is done or the signal comes.
   * @throws FatalError, of which BelowRootError is one; RetryableError `disk-full`, which needs room first of all
   */
  async run(): Promise<void> {
    const { name, log, signal, databaseUrl } = this.options
    for (let attempt = 1; !signal.aborted; attempt++) {
      try {
        const lock = await acquireLock(databaseUrl, `ingest:${name}`, {
          signal,
          applicationName: lockHolderName(),
          heartbeatMs: 5000,
          answerTimeoutMs: 8000,
          onWaiting: (holder) => log.info({ holder }, 'another process has this ingester, waiting for it to end'),
        })
        try {
          const isDone = await this.#work(lock.lost, () => (attempt = 1))
          if (isDone) return
        } finally {
          await lock.release()
        }
      } catch (thrown) {
        if (signal.aborted) return
        const error = thrown instanceof DatabaseError ? asDatabaseError(thrown) : asError(thrown)
        if (error instanceof FatalError) throw error
        if (error instanceof RetryableError && error.code === 'disk-full') throw diskFull(error)
        if (error instanceof RowsThereError && attempt >= triesOnRowsThere) throw uncoveredRows(error)
        const pauseMs = backoffMs(attempt, 100, this.options.maxPauseMs ?? 10_000)
        this.#failures.log(
          log,
          'warn',
          { err: error, attempt, pauseMs },
          'ingestion was interrupted, going on from what is stored',
        )
        await pause(pauseMs, signal).catch((reason: unknown) => log.debug({ reason }, 'stopped while waiting'))
      }
    }
  }

  /** @returns true when done for good */
  async #work(lockLost: AbortSignal, onProgress: () => void): Promise<boolean> {
    const signal = AbortSignal.any([this.options.signal, lockLost])
    // What is known of the database holds for this session: after an interruption it may be a restored backup.
    forgetPartitions(this.options.pool)
    const context = {
      signal,
      lockLost,
      scripts: new ScriptCache(),
      shapes: new ShapeCache(),
      failures: this.#failures,
      onCommitted: onProgress,
    }
    for (;;) {
      signal.throwIfAborted()
      const stretch = await this.plan(signal)
      if (stretch === undefined) return true
      try {
        await new StretchRun(this.options, stretch, { ...context, suspects: this.#suspects }).run()
      } catch (thrown) {
        const error = thrown instanceof ForkError ? await this.handleFork(thrown, signal) : asError(thrown)
        if (error instanceof BadBlockError) await this.#leaveOut(error, stretch.generation, signal)
        else if (error !== undefined) throw error
        onProgress()
      }
    }
  }

  /** Finds out which block is bad, and gives it up when its time has come. @throws the error where that is not yet */
  async #leaveOut(error: BadBlockError, generation: number, signal: AbortSignal): Promise<void> {
    const { pool, name, failing } = this.options
    const { from, to } = error.range
    if (to - from > 1) {
      this.#suspects = [error.range]
      return
    }
    const lost = await failing.failed(from, error, signal)
    if (lost === undefined || !('lostHeight' in lost)) throw error
    if (!(await recordLostHeight(pool, { name, generation }, lost))) {
      throw new RetryableError('checkpoint-moved', `${name}: height ${from} was changed meanwhile`)
    }
  }
}

/** What another process is told of who has the ingester: where it runs. PostgreSQL keeps 63 characters. */
function lockHolderName(): string {
  return `flowfarm ingest, process ${process.pid} on ${hostname()}`.slice(0, 63)
}

function diskFull(error: RetryableError): RetryableError {
  return new RetryableError(
    'disk-full',
    `The disk of the database is full (${error.message}). Make room and start again: what is committed is kept, ` +
      'and ingestion goes on from there.',
    { cause: error, details: error.details },
  )
}

function uncoveredRows(error: RowsThereError): FatalError {
  return new FatalError(
    'rows-uncovered',
    `The database has ${error.message}, but app.indexing_checkpoints does not count them: something else has changed ` +
      'its tables. Delete those rows, or restore a backup.',
    { cause: error, details: error.details },
  )
}
