import type pg from 'pg'
import type { Worker } from '../../../jobs/worker.ts'
import { normalize } from '../../base/ranges.ts'
import type { HeightSet } from '../../base/ranges.ts'
import type { ClaimedLease } from '../leases/lease.ts'
import { completeLeases } from '../leases/sql/complete-leases.ts'
import { inCommit } from './commit-range.ts'
import type { CommitOutcome } from './commit-range.ts'
import { areClear } from './clear-range.ts'
import { foldsOthersRows } from './folds.ts'

/** A range that gave no row and no problem. */
export interface EmptyCommit {
  readonly worker: Worker
  readonly lease: ClaimedLease
}

/** Whether a range without rows may end together with others: not where a fold has to look at rows of another worker. */
export function mayEndWithOthers(worker: Worker): boolean {
  return !foldsOthersRows(worker)
}

/**
 * Ends the leases of many empty ranges, of any workers, in one transaction of four round trips; the outcome of each by
 * its place. Undefined when rows or problems of an earlier derivation are there: then each is to be committed by itself.
 * All of them are of one version of the chain.
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
    areInTheWay = !(await areClear(client, rangesByWorker(commits.filter((commit) => held.has(keyOf(commit))))))
    return areInTheWay ? 'fenced' : 'committed'
  })
  if (areInTheWay) return undefined
  return commits.map((commit) => (outcome === 'rolled-back' || held.has(keyOf(commit)) ? outcome : 'fenced'))
}

function rangesByWorker(commits: readonly EmptyCommit[]): Map<Worker, HeightSet> {
  const byWorker = Map.groupBy(commits, ({ worker }) => worker)
  return new Map([...byWorker].map(([worker, own]) => [worker, normalize(own.map(({ lease }) => lease))]))
}

function keyOf({ lease }: EmptyCommit): string {
  return `${lease.worker}/${lease.from}`
}
