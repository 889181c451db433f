import type pg from 'pg'
import type { Worker } from '../../../jobs/worker.ts'
import { copyInto } from '../../db/copy/copy-into.ts'
import { asDatabaseError } from '../../db/errors.ts'
import { ensurePartitions } from '../../db/partitions.ts'
import { rollBack } from '../../db/pool.ts'
import type { ClaimedLease } from '../leases/lease.ts'
import { completeLeaseText } from '../leases/sql/complete-leases.ts'
import { beginCommit } from './chain-version.ts'
import { clearRangeTexts, isInTheWayText } from './clear-range.ts'
import { findFoldDebt, foldRange, foldsOthersRows, lockFolds, readsOf } from './folds.ts'
import type { FoldDebt } from './folds.ts'
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
  /** The workers whose folds may read what this one writes, `followersOf`. Default: none. */
  readonly followers?: readonly Worker[]
}

/**
 * Puts a range's rows in the place of what was there, folds the keys that it touches and ends its lease, all in one
 * transaction. The lease comes first: from there on no other process can take it, and none that lost it gets as far as a
 * row. Throws errors of our tree; after a retryable one the commit may have happened, which a second try finds out, since
 * the lease is no longer held then.
 *
 * Where rows were there, keys may be gone from the range that nobody would think of again: they are folded here and now,
 * also those of the workers that follow, with which these rows are theirs to read. What is new in the range they find
 * when they come to it themselves. So no fold is wrong for longer than a follower owes the range.
 *
 * Round trips: begin, two for each table with rows, COMMIT; where the worker folds, one for the lock, one for each fold
 * to look for keys, and one more for each that found some, with two for each sum over it.
 */
export async function commitRange(pool: pg.Pool, commit: RangeCommit): Promise<CommitOutcome> {
  const { worker, lease, output, followers = [] } = commit
  for (const { table } of output.tables) {
    if (table.partitionHeights !== undefined) await ensurePartitions(pool, table.name, table.partitionHeights, lease)
  }
  const first = [completeLeaseText(lease), isInTheWayText(worker, lease)]
  return inCommit(pool, commit.chainVersion, first, async (client, [completed, inTheWay]) => {
    if (completed !== 1) return 'fenced'
    const isRewrite = inTheWay !== 0
    const folding = isRewrite ? [worker, ...followers] : [worker]
    const debts = new Map<Worker, FoldDebt>()
    if (isRewrite) {
      await lockFolds(client, folding)
      for (const one of folding) debts.set(one, await findFoldDebt(client, one, lease))
      await client.query(clearRangeTexts(worker, lease).join('; '))
    }
    for (const { table, writer } of output.tables) await copyInto(client, table.name, table.columns, writer)
    if (output.problems.length > 0) await recordProblems(client, worker.name, output.problems)
    if (isRewrite || hasToFold(worker, output)) {
      if (!isRewrite) await lockFolds(client, folding)
      for (const one of folding) await foldRange(client, one, lease, debts.get(one))
    }
    return 'committed'
  })
}

/** Whether rows that came need folding; where none were there before, folds of other rows have nothing to do. */
function hasToFold(worker: Worker, output: RangeOutput): boolean {
  const written = new Set(output.tables.map(({ table }) => table.name))
  return foldsOthersRows(worker) || worker.folds.some((fold) => readsOf(fold).some((name) => written.has(name)))
}

/**
 * Runs the statements `first` and then `write`, which is told how many rows each of them changed, in a transaction that no
 * rollback of the chain crosses. It is committed if `write` says so and rolled back otherwise; `write` does not run when the
 * version of the chain is not `chainVersion`, if one is given.
 */
export async function inCommit(
  pool: pg.Pool,
  chainVersion: number | undefined,
  first: readonly string[],
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
