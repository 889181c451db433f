import type pg from 'pg'
import type { Worker, DeriveProblem } from '../../../jobs/worker.ts'
import { copyInto } from '../../platform/db/copy-into.ts'
import { pgText } from '../../platform/db/copy-writer.ts'
import { asDatabaseError } from '../../platform/db/errors.ts'
import { ensurePartitions } from '../../platform/db/partitions.ts'
import { rollBack } from '../../platform/db/pool.ts'
import { normalize } from '../../platform/ranges.ts'
import type { HeightSet } from '../../platform/ranges.ts'
import { beginCommit } from '../leases/chain-version.ts'
import { completeLeaseText, completeLeases } from '../leases/leases.ts'
import type { ClaimedLease } from '../leases/leases.ts'
import {
  clearRangeTexts,
  isInTheWayText,
  findFoldDebt,
  foldRange,
  foldsOthersRows,
  lockFolds,
  readsOf,
  areClear,
} from './folds.ts'
import type { FoldDebt } from './folds.ts'
import type { RangeOutput } from './range-output.ts'

/**
 * What became of a commit. `fenced`: the claim was taken away, and nothing was written. `rolled-back`: the blocks that
 * the rows come from are of another version of the chain; nothing was written, and the claim is still held.
 */
export type CommitOutcome = 'committed' | 'fenced' | 'rolled-back'

interface RangeCommit {
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
 * transaction. The lease comes first: from there on no other process can take it, and none that lost it gets as far
 * as a row. Throws errors of our tree; after a retryable one the commit may have happened, which a second try finds
 * out, since the lease is no longer held then.
 *
 * Where rows were there, keys may be gone from the range that nobody would think of again: they are folded here and
 * now, also those of the workers that follow, with which these rows are theirs to read. What is new in the range
 * they find when they come to it themselves. So no fold is wrong for longer than a follower owes the range.
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
 * Runs the statements `first` and then `write`, which is told how many rows each of them changed, in a transaction
 * that no rollback of the chain crosses. It is committed if `write` says so and rolled back otherwise; `write` does
 * not run when the version of the chain is not `chainVersion`, if one is given.
 */
async function inCommit(
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

/**
 * Logs what a worker could not use, each once; one that is met again is counted and open again.
 * The payload of the event is attached, as JSON text. By the unique index.
 */
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

/** A range that gave no row and no problem. */
export interface EmptyCommit {
  readonly worker: Worker
  readonly lease: ClaimedLease
}

/**
 * Whether a range without rows may end together with others: not where a fold has to look at rows of another
 * worker.
 */
export function mayEndWithOthers(worker: Worker): boolean {
  return !foldsOthersRows(worker)
}

/**
 * Ends the leases of many empty ranges, of any workers, in one transaction of four round trips; the outcome of each by
 * its place. Undefined when rows or problems of an earlier derivation are there: then each is to be committed by
 * itself. All of them are of one version of the chain.
 */
export async function commitEmptyRanges(
  pool: pg.Pool,
  chainVersion: number,
  commits: readonly EmptyCommit[],
): Promise<readonly CommitOutcome[] | undefined> {
  const held = new Set<string>()
  let areInTheWay = false
  const outcome = await inCommit(pool, chainVersion, [], async (client) => {
    for (const { worker, from } of await completeLeases(
      client,
      commits.map(({ lease }) => lease),
    ))
      held.add(`${worker}/${from}`)
    areInTheWay = !(await areClear(client, rangesByWorker(commits.filter((commit) => held.has(emptyRangeKey(commit))))))
    return areInTheWay ? 'fenced' : 'committed'
  })
  if (areInTheWay) return undefined
  return commits.map((commit) => (outcome === 'rolled-back' || held.has(emptyRangeKey(commit)) ? outcome : 'fenced'))
}

function rangesByWorker(commits: readonly EmptyCommit[]): Map<Worker, HeightSet> {
  const byWorker = Map.groupBy(commits, ({ worker }) => worker)
  return new Map([...byWorker].map(([worker, own]) => [worker, normalize(own.map(({ lease }) => lease))]))
}

function emptyRangeKey({ lease }: EmptyCommit): string {
  return `${lease.worker}/${lease.from}`
}
