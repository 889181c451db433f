import { hostname } from 'node:os'
import { DatabaseError } from 'pg'
import { asError, FatalError, RetryableError } from '../platform/errors.ts'
import { backoffMs, pause } from '../platform/retry.ts'
import type { HeightSet } from '../platform/ranges.ts'
import { LogThrottle } from '../platform/log-throttle.ts'
import { acquireLock } from '../platform/db/advisory-lock.ts'
import { asDatabaseError } from '../platform/db/errors.ts'
import { clearKnownPartitions } from '../platform/db/partitions.ts'
import { BadBlockError, ForkError, RowsExistError } from './errors.ts'
import { ScriptCache, ShapeCache } from './caches.ts'
import { recordLostHeight } from './failing-heights.ts'
import type { SyncSegment } from './sync-segment.ts'
import { SegmentSync } from './segment-sync.ts'
import type { SegmentSettings } from './segment-sync.ts'

/**
 * The server completes the commit of a killed ingester within moments; rows still there after this
 * have another cause.
 */
const maxRowsExistAttempts = 8

export interface IngesterOptions extends SegmentSettings {
  readonly databaseUrl: string
  readonly signal: AbortSignal
}

/**
 * Every segment is planned from the coverage in PostgreSQL.
 *
 * States: waiting for the lock → planning → working → (error: back-off) → planning → … → done |
 * stopped
 */
export abstract class Ingester<Options extends IngesterOptions> {
  protected readonly options: Options
  readonly #failures = new LogThrottle()
  #suspects: HeightSet = []

  constructor(options: Options) {
    this.options = options
  }

  protected abstract plan(signal: AbortSignal): Promise<SyncSegment | undefined>
  /** @returns the bad block without a fork */
  protected abstract handleFork(fork: ForkError, signal: AbortSignal): Promise<BadBlockError | undefined>

  /** @throws FatalError such as BelowRootError; RetryableError `disk-full` */
  async run(): Promise<void> {
    const { name, log, signal, databaseUrl } = this.options
    for (let attempt = 1; !signal.aborted; attempt++) {
      try {
        const lock = await acquireLock(databaseUrl, `ingest:${name}`, {
          signal,
          applicationName: lockHolderName(),
          heartbeatMs: 5000,
          answerTimeoutMs: 8000,
          onWaiting: (holder) => log.info({ holder }, 'This ingester runs in another process: waiting for it to end'),
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
        if (error instanceof RowsExistError && attempt >= maxRowsExistAttempts) throw uncoveredRows(error)
        const pauseMs = backoffMs(attempt, 100, this.options.maxPauseMs ?? 10_000)
        this.#failures.log(
          log,
          'warn',
          { err: error, attempt, pauseMs },
          'Ingestion interrupted: resuming from stored blocks',
        )
        await pause(pauseMs, signal).catch((reason: unknown) => log.debug({ reason }, 'Stopped while waiting'))
      }
    }
  }

  /** @returns true when the work is complete */
  async #work(lockLost: AbortSignal, onProgress: () => void): Promise<boolean> {
    const signal = AbortSignal.any([this.options.signal, lockLost])
    // After an interruption the database may be a restored backup.
    clearKnownPartitions(this.options.pool)
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
      const segment = await this.plan(signal)
      if (segment === undefined) return true
      try {
        await new SegmentSync(this.options, segment, { ...context, suspects: this.#suspects }).run()
      } catch (thrown) {
        const error = thrown instanceof ForkError ? await this.handleFork(thrown, signal) : asError(thrown)
        if (error instanceof BadBlockError) await this.#leaveOut(error, segment.generation, signal)
        else if (error !== undefined) throw error
        onProgress()
      }
    }
  }

  /** Determines the bad block and skips it once its time is up. @throws the error until then */
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
      throw new RetryableError('checkpoint-moved', `${name}: height ${from} was changed concurrently`)
    }
  }
}

/** Shown to waiting processes. PostgreSQL's limit is 63 characters. */
function lockHolderName(): string {
  return `flowfarm ingest, process ${process.pid} on ${hostname()}`.slice(0, 63)
}

function diskFull(error: RetryableError): RetryableError {
  return new RetryableError(
    'disk-full',
    `The disk of the database is full (${error.message}). Free some space and restart; ingestion resumes ` +
      'from the last commit.',
    { cause: error, details: error.details },
  )
}

function uncoveredRows(error: RowsExistError): FatalError {
  return new FatalError(
    'rows-uncovered',
    `The database has ${error.message}, but app.indexing_checkpoints does not cover them: another program has ` +
      'changed its tables. Delete those rows, or restore a backup.',
    { cause: error, details: error.details },
  )
}
