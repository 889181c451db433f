import type pg from 'pg'
import { RetryableError } from '../base/errors.ts'
import type { FetchedBlock } from '../access/messages.ts'
import { copyInto } from '../db/copy/copy-into.ts'
import { asDatabaseError } from '../db/errors.ts'
import { rawColumns } from './append-block.ts'
import { Batch } from './batch.ts'
import type { IngesterName } from './checkpoints.ts'
import { ensureRawPartitions } from './raw-partitions.ts'
import { commitCheckpoint } from './sql/commit-checkpoint.ts'
import { insertScripts } from './sql/insert-scripts.ts'
import { insertUndecoded } from './sql/insert-undecoded.ts'
import { insertUnavailable } from './sql/insert-unavailable.ts'

/**
 * How many batches are under way at once: while one commits, the rows of the next are sent. A third kept both cores busy
 * where two left gaps (7 % more blocks/s on 2 cores); a fourth gained nothing.
 */
const lanes = 3

export interface CommittedBatch {
  readonly from: number
  /** Exclusive. */
  readonly to: number
  readonly blockCount: number
  readonly txCount: number
  readonly eventCount: number
  readonly undecodedCodes: readonly string[]
  /** As far as they were kept. */
  readonly fetched: readonly FetchedBlock[]
  readonly seconds: number
}

export interface BatchWriterOptions {
  readonly pool: pg.Pool
  readonly name: IngesterName
  /** The generation of the ingester's checkpoint under which the batches were fetched. */
  readonly generation: number
  readonly onCommitted: (batch: CommittedBatch) => void
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
  /** Settles when the newest batch given is committed. */
  #last: Promise<void> = Promise.resolve()
  #failure: unknown
  /** Hashes of scripts that the database has for certain. */
  readonly #knownScripts: Set<string>

  constructor(options: BatchWriterOptions, knownScripts: Set<string>) {
    this.#options = options
    this.#knownScripts = knownScripts
  }

  /** An empty batch to fill; `store` gives it back for reuse. */
  takeBatch(): Batch {
    return this.#free.pop() ?? new Batch(this.#knownScripts)
  }

  /** Whether a batch could be sent right now. */
  get isReady(): boolean {
    return this.#underWay.size < lanes
  }

  /** Resolves when a batch could be sent. */
  async ready(): Promise<void> {
    while (!this.isReady && this.#failure === undefined) await Promise.race(this.#underWay)
    this.#throwIfFailed()
  }

  /** Sends a batch; resolves when the next may be given, which is before this one is committed. */
  async store(batch: Batch): Promise<void> {
    await this.ready()
    const previous = this.#last
    const work = this.#write(batch, previous)
    this.#last = work
    const tracked = work.then(
      () => undefined,
      (error: unknown) => {
        this.#failure ??= error
      },
    ).finally(() => this.#underWay.delete(tracked))
    this.#underWay.add(tracked)
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
    await this.#storeScripts(batch)
    const client = await this.#options.pool.connect()
    let broken: Error | undefined
    try {
      await client.query('begin')
      await copyInto(client, 'raw.blocks', rawColumns.blocks, batch.blocks)
      await copyInto(client, 'raw.transactions', rawColumns.transactions, batch.transactions)
      await copyInto(client, 'raw.events', rawColumns.events, batch.events)
      await copyInto(client, 'raw.tx_lookup', rawColumns.tx_lookup, batch.txLookup)
      await copyInto(client, 'raw.block_lookup', rawColumns.block_lookup, batch.blockLookup)
      if (batch.undecoded.length > 0) await insertUndecoded(client, this.#options.name, batch.undecoded)
      if (batch.unavailable.length > 0) await insertUnavailable(client, batch.unavailable)
      await previous
      const kept = await commitCheckpoint(client, this.#options, batch)
      if (!kept) {
        throw new RetryableError('checkpoint-moved', `${this.#options.name}: heights ${batch.range.from} to ${batch.range.to - 1} were stored or rolled back by somebody else`)
      }
      await client.query('commit')
    } catch (error) {
      broken = await rollBack(client, error)
      throw error
    } finally {
      client.release(broken)
    }
    this.#options.onCommitted({
      ...batch.range, blockCount: batch.blockCount, txCount: batch.txCount, eventCount: batch.eventCount,
      undecodedCodes: batch.undecoded.map((u) => u.code), fetched: [...batch.fetched],
      seconds: (performance.now() - started) / 1000,
    })
    batch.clear()
    this.#free.push(batch)
  }

  /**
   * Scripts are stored ahead of the batch, in a statement of their own: they are named by their content, so a row too
   * many is no harm, while a lock on one held until the batch commits could stop the other ingester.
   */
  async #storeScripts(batch: Batch): Promise<void> {
    const unknown = [...batch.scripts.values()]
    if (unknown.length === 0) return
    await insertScripts(this.#options.pool, unknown)
    // Bounded: a set that is full starts anew, which costs some inserts that change nothing.
    if (this.#knownScripts.size + unknown.length > 50_000) this.#knownScripts.clear()
    for (const row of unknown) this.#knownScripts.add(row.hash.toString('latin1'))
  }
}

/** Leaves the transaction; returns the error when the connection is not to be used again. */
async function rollBack(client: pg.PoolClient, cause: unknown): Promise<Error | undefined> {
  try {
    await client.query('rollback')
    return undefined
  } catch (error) {
    return cause instanceof Error ? cause : new Error(String(error))
  }
}
