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
  needsClearingText,
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
 * `fenced`: the claim was revoked. `rolled-back`: the blocks belong to an older chain version; the
 * claim is still held. Nothing was written in both cases.
 */
export type CommitOutcome = 'committed' | 'fenced' | 'rolled-back'

interface RangeCommit {
  readonly worker: Worker
  readonly lease: ClaimedLease
  readonly chainVersion: number | undefined
  readonly output: RangeOutput
  /** See `followersOf`. Default: none. */
  readonly followers?: readonly Worker[]
}

/**
 * The lease is completed first, so a process that lost it cannot write a row. After a retryable
 * error the commit may have succeeded: retrying returns `fenced` then. Followers fold new keys when
 * they derive the range.
 */
export async function commitRange(pool: pg.Pool, commit: RangeCommit): Promise<CommitOutcome> {
  const { worker, lease, output, followers = [] } = commit
  for (const { table } of output.tables) {
    if (table.partitionHeights !== undefined) await ensurePartitions(pool, table.name, table.partitionHeights, lease)
  }
  const first = [completeLeaseText(lease), needsClearingText(worker, lease)]
  return inCommit(pool, commit.chainVersion, first, async (client, [completed, needsClearing]) => {
    if (completed !== 1) return 'fenced'
    const isRewrite = needsClearing !== 0
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

function hasToFold(worker: Worker, output: RangeOutput): boolean {
  const written = new Set(output.tables.map(({ table }) => table.name))
  return foldsOthersRows(worker) || worker.folds.some((fold) => readsOf(fold).some((name) => written.has(name)))
}

/** No rollback can cross the transaction. */
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

export interface EmptyCommit {
  readonly worker: Worker
  readonly lease: ClaimedLease
}

/** Whether no fold reads rows of another worker. */
export function canBatch(worker: Worker): boolean {
  return !foldsOthersRows(worker)
}

/**
 * Outcomes in order; undefined if any range has earlier rows or problems and must be committed
 * separately. All ranges must have the same chain version.
 */
export async function commitEmptyRanges(
  pool: pg.Pool,
  chainVersion: number,
  commits: readonly EmptyCommit[],
): Promise<readonly CommitOutcome[] | undefined> {
  const held = new Set<string>()
  let needClearing = false
  const outcome = await inCommit(pool, chainVersion, [], async (client) => {
    for (const { worker, from } of await completeLeases(
      client,
      commits.map(({ lease }) => lease),
    ))
      held.add(`${worker}/${from}`)
    needClearing = !(await areClear(
      client,
      rangesByWorker(commits.filter((commit) => held.has(emptyRangeKey(commit)))),
    ))
    return needClearing ? 'fenced' : 'committed'
  })
  if (needClearing) return undefined
  return commits.map((commit) => (outcome === 'rolled-back' || held.has(emptyRangeKey(commit)) ? outcome : 'fenced'))
}

function rangesByWorker(commits: readonly EmptyCommit[]): Map<Worker, HeightSet> {
  const byWorker = Map.groupBy(commits, ({ worker }) => worker)
  return new Map([...byWorker].map(([worker, own]) => [worker, normalize(own.map(({ lease }) => lease))]))
}

function emptyRangeKey({ lease }: EmptyCommit): string {
  return `${lease.worker}/${lease.from}`
}
