import type pg from 'pg'
import type { Worker } from '../../../jobs/worker.ts'
import { copyInto } from '../../db/copy/copy-into.ts'
import { asDatabaseError } from '../../db/errors.ts'
import { ensurePartitions } from '../../db/partitions.ts'
import { rollBack } from '../../db/pool.ts'
import type { ClaimedLease } from '../leases/lease.ts'
import { completeLeaseText } from '../leases/sql/complete-leases.ts'
import { beginCommit } from './chain-version.ts'
import { clearRangeTexts } from './clear-range.ts'
import { findTouchedKeys, foldKeys, lockFolds } from './folds.ts'
import type { TouchedKeys } from './folds.ts'
import type { RangeOutput } from './range-output.ts'
import { recordProblems } from './sql/record-problems.ts'

/**
 * What became of a commit. `fenced`: the claim was taken away, and nothing was written. `rolled-back`: the blocks that
 * the rows come from are of another version of the chain; nothing was written, and the claim is still held.
 */
export type CommitOutcome = 'committed' | 'fenced' | 'rolled-back'

export interface RangeCommit {
  readonly worker: Worker
  readonly lease: ClaimedLease
  /** The version of the chain under which the blocks were read; undefined where none were. */
  readonly chainVersion: number | undefined
  readonly output: RangeOutput
}

/**
 * Puts a range's rows in the place of what was there, folds the keys that it touches and ends its lease, all in one
 * transaction. Round trips: begin, two for each table with rows, COMMIT; three more for each fold, and two for all folds.
 * The lease comes first: from there on no other process can take it, and none that lost it gets as far as a row.
 * Throws errors of our tree; after a retryable one the commit may have happened, which a second try finds out, since the
 * lease is no longer held then.
 */
export async function commitRange(pool: pg.Pool, commit: RangeCommit): Promise<CommitOutcome> {
  const { worker, lease, output } = commit
  for (const { table } of output.tables) {
    if (table.partitionHeights !== undefined) await ensurePartitions(pool, table.name, table.partitionHeights, lease)
  }
  const clear = clearRangeTexts(worker, lease)
  const first = [completeLeaseText(lease), ...(worker.folds.length === 0 ? clear : [])]
  return inCommit(pool, commit.chainVersion, first, async (client, [completed]) => {
    if (completed !== 1) return 'fenced'
    const before: TouchedKeys[] = []
    for (const fold of worker.folds) before.push(await findTouchedKeys(client, fold, lease))
    if (worker.folds.length > 0) await client.query(clear.join('; '))
    for (const { table, writer } of output.tables) await copyInto(client, table.name, table.columns, writer)
    if (output.problems.length > 0) await recordProblems(client, worker.name, output.problems)
    if (worker.folds.length > 0) {
      // The lock first: a fold may tell the keys that it touches by what the one before it folded.
      await lockFolds(client, worker)
      const touched: TouchedKeys[] = []
      for (const earlier of before) touched.push(await findTouchedKeys(client, earlier.fold, lease, earlier))
      for (const keys of touched) await foldKeys(client, keys)
    }
    return 'committed'
  })
}

/**
 * Runs the statements `first` and then `write`, which is told how many rows each of them changed, in a transaction that no
 * rollback of the chain crosses. It is committed if `write` says so and rolled back otherwise; `write` does not run when the
 * version of the chain is not `chainVersion`, if one is given.
 */
export async function inCommit(
  pool: pg.Pool, chainVersion: number | undefined, first: readonly string[],
  write: (client: pg.PoolClient, changed: readonly (number | null)[]) => Promise<CommitOutcome>,
): Promise<CommitOutcome> {
  let client: pg.PoolClient
  try {
    client = await pool.connect()
  } catch (error) {
    throw asDatabaseError(error)
  }
  let broken: Error | undefined
  try {
    const begun = await beginCommit(client, first)
    const isCurrent = chainVersion === undefined || begun.chainVersion === chainVersion
    const outcome = isCurrent ? await write(client, begun.changed) : 'rolled-back'
    await client.query(outcome === 'committed' ? 'commit' : 'rollback')
    return outcome
  } catch (error) {
    broken = await rollBack(client, error)
    throw asDatabaseError(error)
  } finally {
    client.release(broken)
  }
}
