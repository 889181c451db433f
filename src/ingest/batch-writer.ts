import type pg from 'pg'
import { RetryableError } from '../base/errors.ts'
import type { HeightRange } from '../base/ranges.ts'
import type { FetchedBlock } from '../access/messages.ts'
import { copyInto } from '../db/copy/copy-into.ts'
import { asDatabaseError } from '../db/errors.ts'
import { rollBack, waitInTransaction } from '../db/pool.ts'
import { databaseErrorOf, isRefusal, rowsRefused, uniqueViolation } from './bad-block-error.ts'
import { Batch } from './batch.ts'
import type { IngesterName } from './checkpoints.ts'
import { rawColumns, rawTables } from './raw-columns.ts'
import { ensureRawPartitions } from './raw-partitions.ts'
import { RowsThereError } from './rows-there-error.ts'
import type { ScriptCache } from './script-cache.ts'
import type { ShapeCache } from './shape-cache.ts'
import { commitCheckpoint } from './sql/commit-checkpoint.ts'
import { insertScripts } from './sql/insert-scripts.ts'
import { insertUndecoded } from './sql/insert-undecoded.ts'
import { insertUnavailable } from './sql/insert-unavailable.ts'
import { numberShapes } from './sql/number-shapes.ts'

/**
 * How many batches are under way at once: while one commits, the rows of the next are sent. A third kept both cores
 * busy where two left gaps (7 % more blocks/s on 2 cores); a fourth gained nothing.
 */
const lanes = 3

/** Bytes of rows that are sent at once; a batch that is larger is sent alone. */
const maxBytesUnderWay = 64 * 1024 * 1024

/** A batch that has grown larger, for a rare giant of a block, is left to the garbage collector. Bytes. */
const reusedCapacity = 32 * 1024 * 1024

export interface CommittedBatch {
  readonly from: number
  /** Exclusive. */
  readonly to: number
  readonly blockCount: number
  readonly txCount: number
  readonly eventCount: number
  readonly undecodedCodes: readonly string[]
  /** The blocks, as far as they were kept. */
  readonly fetched: readonly FetchedBlock[]
  readonly seconds: number
}

export interface BatchWriterOptions {
  readonly pool: pg.Pool
  readonly name: IngesterName
  /** The generation of the ingester's checkpoint under which the batches were fetched. */
  readonly generation: number
  /** Aborted when the ingester's lock is lost: from then on nothing is committed any more. */
  readonly lockLost: AbortSignal
  readonly scripts: ScriptCache
  readonly shapes: ShapeCache
  readonly onCommitted: (batch: CommittedBatch) => void
  /** As that of `waitInTransaction`. */
  readonly signOfLifeMs?: number
}

/**
 * Stores batches, each in one transaction, in the order in which they were given.
 *
 *     writing ──a batch fails──► failed          (every later call rejects with the first error)
 *        └──────drain()─────────► idle
 *
 * A few connections take turns: the rows of a batch are sent while those before commit, and its own COMMIT waits for
 * theirs. So a batch is never visible before those below it, and neither the network nor the disk waits for the other.
 */
export class BatchWriter {
  readonly #options: BatchWriterOptions
  readonly #free: Batch[] = []
  readonly #underWay = new Set<Promise<void>>()
  #bytesUnderWay = 0
  /** Settles when the newest batch given is committed. */
  #last: Promise<void> = Promise.resolve()
  #failure: unknown

  constructor(options: BatchWriterOptions) {
    this.#options = options
  }

  /** An empty batch to fill; `store` gives it back for reuse. */
  takeBatch(): Batch {
    return this.#free.pop() ?? new Batch(this.#options.scripts, this.#options.shapes)
  }

  /** Sends a batch as soon as there is a free connection; resolves when the next may be given, before its COMMIT. */
  async store(batch: Batch): Promise<void> {
    const bytes = batch.rowBytes
    while (this.#isFull(bytes) && this.#failure === undefined) await Promise.race(this.#underWay)
    this.#throwIfFailed()
    this.#options.lockLost.throwIfAborted()
    const previous = this.#last
    const work = this.#write(batch, previous)
    this.#last = work
    const tracked = work
      .then(
        () => undefined,
        (error: unknown) => {
          this.#failure ??= error
        },
      )
      .finally(() => {
        this.#underWay.delete(tracked)
        this.#bytesUnderWay -= bytes
      })
    this.#underWay.add(tracked)
    this.#bytesUnderWay += bytes
  }

  #isFull(bytes: number): boolean {
    const { size } = this.#underWay
    return size >= lanes || (size > 0 && this.#bytesUnderWay + bytes > maxBytesUnderWay)
  }

  /** Resolves when everything given is committed. */
  async drain(): Promise<void> {
    await Promise.all(this.#underWay)
    this.#throwIfFailed()
  }

  #throwIfFailed(): void {
    if (this.#failure !== undefined) throw asDatabaseError(this.#failure)
  }

  async #write(batch: Batch, previous: Promise<void>): Promise<void> {
    // A batch behind one that failed fails with it; the first failure is the one that is reported.
    previous.catch(() => undefined)
    const started = performance.now()
    await ensureRawPartitions(this.#options.pool, batch.range)
    try {
      await this.#storeScripts(batch)
      await this.#numberShapes(batch)
    } catch (error) {
      throw isRefusal(error) ? rowsRefused(batch.range, error) : error
    }
    const client = await this.#options.pool.connect()
    let broken: Error | undefined
    try {
      await client.query('begin')
      for (const table of rawTables) await copyInto(client, `raw.${table}`, rawColumns[table], batch.rowsOf(table))
      if (batch.undecoded.length > 0) await insertUndecoded(client, this.#options.name, batch.undecoded)
      if (batch.unavailable.length > 0) await insertUnavailable(client, batch.unavailable)
      await waitInTransaction(client, previous, this.#options.signOfLifeMs)
      const isKept = await commitCheckpoint(client, this.#options, batch)
      if (!isKept) throw checkpointMoved(this.#options.name, batch.range)
      this.#options.lockLost.throwIfAborted()
      await client.query('commit')
    } catch (error) {
      broken = await rollBack(client, error)
      if (isRefusal(error)) throw rowsRefused(batch.range, error)
      throw databaseErrorOf(error)?.code === uniqueViolation ? new RowsThereError(batch.range, error) : error
    } finally {
      client.release(broken)
    }
    this.#options.onCommitted({
      ...batch.range,
      blockCount: batch.blockCount,
      txCount: batch.txCount,
      eventCount: batch.eventCount,
      undecodedCodes: batch.undecoded.map((u) => u.code),
      fetched: [...batch.fetched],
      seconds: (performance.now() - started) / 1000,
    })
    if (batch.capacity > reusedCapacity) return
    batch.clear()
    this.#free.push(batch)
  }

  /**
   * Scripts are stored ahead of the batch, in a statement of their own: they are named by their content, so a row too
   * many is no harm, while a lock on one held until the batch commits could stop the other ingester.
   */
  async #storeScripts(batch: Batch): Promise<void> {
    if (batch.newScripts.size === 0) return
    await insertScripts(this.#options.pool, [...batch.newScripts])
    for (const script of batch.newScripts) script.isStored = true
  }

  /** As scripts: a shape without events does no harm. */
  async #numberShapes(batch: Batch): Promise<void> {
    const shapes = batch.newShapes
    if (shapes.size === 0) return
    await numberShapes(this.#options.pool, shapes)
    batch.numberShapes()
  }
}

function checkpointMoved(name: string, { from, to }: HeightRange): RetryableError {
  const heights = `heights ${from} to ${to - 1}`
  return new RetryableError('checkpoint-moved', `${name}: ${heights} were stored or rolled back by somebody else`)
}
