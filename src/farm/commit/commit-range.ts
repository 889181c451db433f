import type pg from 'pg'
import type { Worker, DeriveProblem } from '../../../jobs/worker.ts'
import { copyTables } from '../../platform/db/copy-into.ts'
import type { CopiedRows } from '../../platform/db/copy-into.ts'
import { pgText } from '../../platform/db/copy-writer.ts'
import { asDatabaseError, failedStatement } from '../../platform/db/errors.ts'
import { ensurePartitions } from '../../platform/db/partitions.ts'
import { farmChannel, ownRowsChannel } from '../../platform/db/listen.ts'
import { rollBack, waitInTransaction } from '../../platform/db/pool.ts'
import { runBatch } from '../../platform/db/statement-batch.ts'
import type { BatchStatement } from '../../platform/db/statement-batch.ts'
import { RetryableError } from '../../platform/errors.ts'
import type { HeightRange } from '../../platform/ranges.ts'
import { beginCommit } from '../leases/chain-version.ts'
import { completeLeasesText } from '../leases/leases.ts'
import type { ClaimedLease } from '../leases/leases.ts'
import {
  clearRangeTexts,
  needsClearingText,
  findFoldDebts,
  foldRange,
  readsOtherWorkers,
  followersOf,
  readsOf,
} from './folds.ts'
import type { FoldDebt, RunFolds } from './folds.ts'
import type { RangeOutput } from './range-output.ts'

/**
 * `fenced`: a claim was revoked. `rolled-back`: the blocks belong to an older chain version; the
 * claims are still held. Nothing was written in both cases.
 */
export type CommitOutcome = 'committed' | 'fenced' | 'rolled-back'

/** Error of one worker: the others of its range can commit without it. */
export class WorkerError extends Error {
  override readonly name = 'WorkerError'
  readonly worker: Worker

  constructor(worker: Worker, cause: unknown) {
    super(`${worker.name} failed`, { cause })
    this.worker = worker
  }
}

const waitingCodes: ReadonlySet<string> = new Set(['lock-not-available', 'statement-timeout'])

export interface RangeCommitOptions {
  readonly pool: pg.Pool
  readonly range: HeightRange
  /** Each after those that it follows. */
  readonly workers: readonly Worker[]
  /** Held for these workers; together they are the range. */
  readonly leases: readonly ClaimedLease[]
  /** The version of the blocks. Undefined if no worker reads blocks. */
  readonly chainVersion: number | undefined
  /** Includes followers, whose folds may read the rows of the workers they follow. */
  readonly allWorkers: readonly Worker[]
  /** Announces the commit to listeners of `farmChannel`, with this payload. */
  readonly announcement?: string | undefined
}

/**
 * One transaction for all workers of a range:
 *
 *     begin ──complete the leases──► write rows, slice by slice ──► fold, commit
 *         └──a lease is not held, or other blocks──► ended
 *
 * Leases are completed first, so a process that lost one cannot write a row. Folds come last: they
 * touch keys that other ranges touch too, and are locked until the commit. After a retryable error
 * the commit may have succeeded: retrying returns `fenced` then.
 */
export class RangeCommit {
  readonly #options: RangeCommitOptions
  readonly #client: pg.PoolClient
  #debts: ReadonlyMap<Worker, FoldDebt> = new Map()
  readonly #written = new Set<string>()

  private constructor(client: pg.PoolClient, options: RangeCommitOptions) {
    this.#client = client
    this.#options = options
  }

  /** Old rows of the range are deleted. @returns the outcome if nothing may be written */
  static async begin(options: RangeCommitOptions): Promise<RangeCommit | Exclude<CommitOutcome, 'committed'>> {
    const { pool, range, workers, leases, chainVersion } = options
    for (const { tables } of workers) {
      for (const { name, partitionHeights } of tables) {
        if (partitionHeights !== undefined) await ensurePartitions(pool, name, partitionHeights, range)
      }
    }
    let client: pg.PoolClient
    try {
      client = await pool.connect()
    } catch (error) {
      throw asDatabaseError(error)
    }
    const commit = new RangeCommit(client, options)
    try {
      const clearing = workers.map((worker) => needsClearingText(worker, range))
      const begun = await beginCommit(client, [completeLeasesText(leases), ...clearing])
      const [completed, ...needClearing] = begun.changed
      const isCurrent = chainVersion === undefined || begun.chainVersion === chainVersion
      if (!isCurrent || completed !== leases.length) {
        await commit.abort()
        return isCurrent ? 'fenced' : 'rolled-back'
      }
      await commit.#clear(workers.filter((_, i) => needClearing[i] !== 0))
      return commit
    } catch (error) {
      await commit.abort(error)
      throw asDatabaseError(error)
    }
  }

  /** Outputs of a slice, whose buffers must not change until the promise settles. */
  async write(outputs: Iterable<readonly [Worker, RangeOutput]>): Promise<void> {
    const tables: (CopiedRows & { readonly worker: Worker })[] = []
    const problems: (readonly [Worker, readonly DeriveProblem[]])[] = []
    for (const [worker, output] of outputs) {
      if (output.problems.length > 0) problems.push([worker, output.problems])
      for (const { table, writer } of output.tables) {
        tables.push({ worker, table: table.name, columns: table.columns, rows: writer })
        this.#written.add(table.name)
      }
    }
    await this.#ofWorkers(tables, () => copyTables(this.#client, tables))
    for (const [worker, found] of problems)
      await this.#ofWorkers([{ worker }], () => recordProblems(this.#client, worker.name, found))
  }

  /** Waits for `other` while nothing is written, without losing the session. */
  waitFor<T>(other: Promise<T>): Promise<T> {
    return waitInTransaction(this.#client, other)
  }

  /** After an error call `abort`. @throws WorkerError; FlowfarmError */
  async finish(): Promise<void> {
    const { range, workers, announcement } = this.#options
    const folding = workers.filter((worker) => this.#debts.has(worker) || this.#hasToFold(worker))
    const followers = [...this.#debts.keys()].filter((worker) => !folding.includes(worker))
    const last: BatchStatement[] = [{ name: 'farm-commit', text: 'commit' }]
    const notify = (channel: string, payload: string): void =>
      void last.unshift({ name: 'farm-notify', text: 'select pg_notify($1, $2)', values: [channel, payload] })
    if (announcement !== undefined) notify(farmChannel, announcement)
    for (const worker of workers)
      if (worker.deriveEvents !== undefined && this.#hasChanged(worker))
        notify(ownRowsChannel, `${worker.name} ${range.from} ${range.to}`)
    try {
      await foldRange(this.#runFolds, [...folding, ...followers], range, this.#debts, last)
    } catch (error) {
      throw error instanceof WorkerError ? error : asDatabaseError(error)
    }
    this.#client.release()
  }

  /** @param cause a connection that it broke is closed */
  async abort(cause?: unknown): Promise<void> {
    this.#client.release(await rollBack(this.#client, cause))
  }

  /** Repeated derivation: all keys and sums that the old rows touch are folded again. */
  async #clear(rewritten: readonly Worker[]): Promise<void> {
    if (rewritten.length === 0) return
    const { range, workers, allWorkers } = this.#options
    const followers = rewritten.flatMap((worker) => followersOf(worker, allWorkers))
    const folding = allWorkers.filter((worker) => rewritten.includes(worker) || followers.includes(worker))
    this.#debts = await findFoldDebts(this.#runFolds, folding, range, workers)
    for (const worker of rewritten) await this.#client.query(clearRangeTexts(worker, range).join('; '))
  }

  #hasChanged(worker: Worker): boolean {
    return this.#debts.has(worker) || worker.tables.some(({ name }) => this.#written.has(name))
  }

  #hasToFold(worker: Worker): boolean {
    return (
      readsOtherWorkers(worker) || worker.folds.some((fold) => readsOf(fold).some((name) => this.#written.has(name)))
    )
  }

  readonly #runFolds: RunFolds = (statements) => this.#ofWorkers(statements, () => runBatch(this.#client, statements))

  /**
   * Attributes an error to the worker of the failed part. Lost connections and conflicts are not
   * the worker's; a lock or a timeout may be of its tables.
   */
  async #ofWorkers<T>(parts: readonly { readonly worker?: Worker }[], run: () => Promise<T>): Promise<T> {
    try {
      return await run()
    } catch (thrown) {
      const error = asDatabaseError(thrown)
      const worker = parts[failedStatement(error) ?? (parts.length === 1 ? 0 : -1)]?.worker
      const isShared = error instanceof RetryableError && !waitingCodes.has(error.code)
      throw worker === undefined || isShared ? error : new WorkerError(worker, error)
    }
  }
}

async function recordProblems(
  client: pg.ClientBase,
  workerName: string,
  problems: readonly DeriveProblem[],
): Promise<void> {
  const once = [...new Map(problems.map((problem) => [keyOf(problem), problem])).values()]
  await client.query({
    name: 'farm-record-problems',
    text: `
      insert into raw.indexing_errors as e (worker_name, block_height, tx_index, event_index, code, message,
        event_type, raw_data)
      select $1, p.*, (
        select convert_to(r.payload::text, 'UTF8') from raw.events r
        where r.block_height = p.block_height and r.tx_index = p.tx_index and r.event_index = p.event_index
      )
      from unnest($2::bigint[], $3::integer[], $4::integer[], $5::text[], $6::text[], $7::text[])
        as p (block_height, tx_index, event_index, code, message, event_type)
      on conflict (worker_name, block_height, tx_index, event_index, code) do update
      set occurrences = e.occurrences + 1, last_seen_at = now(), resolved_at = null, message = excluded.message,
        raw_data = excluded.raw_data`,
    values: [
      workerName,
      once.map((p) => p.blockHeight),
      once.map((p) => p.txIndex),
      once.map((p) => p.eventIndex),
      once.map((p) => p.code),
      once.map((p) => pgText(p.message)),
      once.map((p) => (p.eventType === undefined ? null : pgText(p.eventType))),
    ],
  })
}

function keyOf({ blockHeight, txIndex, eventIndex, code }: DeriveProblem): string {
  return `${blockHeight}/${txIndex}/${eventIndex}/${code}`
}
