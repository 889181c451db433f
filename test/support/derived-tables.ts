import type { Pool } from 'pg'
import { workers } from '../../jobs/index.ts'
import type { DeriveProblem, Worker } from '../../jobs/worker.ts'
import type { HeightRange } from '../../src/platform/ranges.ts'
import type { DecodedBlock } from '../../src/flow/decoded-block.ts'
import { withTransaction } from '../../src/platform/db/pool.ts'
import { activeLease, commitRange } from '../../src/farm/commit/example-worker.test-support.ts'
import { followersOf, rollBackDerived as rollBackAbove } from '../../src/farm/commit/folds.ts'
import { eventsOfBlocks } from '../../src/farm/range-reader/event-reader.ts'
import { RangeOutput } from '../../src/farm/commit/range-output.ts'
import { rangeOf } from './decoded-recording.ts'

/** The tables that workers own, for comparing two databases. */
export const derivedTables: readonly string[] = workers.flatMap(({ tables, folds }) => [
  ...tables.map(({ name }) => name),
  ...folds.map(({ name }) => name),
])

/** Runs one worker over a range and commits its output, as the farm does. */
export async function deriveInto(
  pool: Pool,
  worker: Worker,
  blocks: readonly DecodedBlock[],
  range: HeightRange,
): Promise<readonly DeriveProblem[]> {
  const output = new RangeOutput(worker)
  worker.derive?.(rangeOf(blocks, range), output, { network: 'emulator' })
  await commitOutput(pool, worker, range, output)
  return output.problems
}

/** As `deriveInto`, for a worker with `deriveEvents`. */
export async function deriveOwnInto(
  pool: Pool,
  worker: Worker,
  blocks: readonly DecodedBlock[],
  range: HeightRange,
): Promise<void> {
  const output = new RangeOutput(worker)
  const derivation = worker.deriveEvents
  if (derivation === undefined) throw new Error(`${worker.name} does not derive events`)
  await derivation.derive(eventsOfBlocks(derivation, blocks), output, new AbortController().signal)
  await commitOutput(pool, worker, range, output)
}

/** Commits rows of a range from any source, as the farm does. */
export async function commitOutput(pool: Pool, worker: Worker, range: HeightRange, output: RangeOutput): Promise<void> {
  const lease = await activeLease(pool, range.from, range.to, worker.name)
  const followers = followersOf(worker, workers)
  const outcome = await commitRange(pool, { worker, followers, lease, chainVersion: undefined, output })
  if (outcome !== 'committed') throw new Error(`the range of ${worker.name} was ${outcome}`)
}

/** Deletes the output of all workers from `height` on. */
export async function rollBackDerived(pool: Pool, height: number): Promise<void> {
  await withTransaction(pool, (client) => rollBackAbove(client, height - 1, workers))
}

/** One line per derived table: row count and content digest. Equal lines mean equal content. */
export async function derivedDigest(pool: Pool): Promise<Record<string, string>> {
  const digest: Record<string, string> = {}
  for (const table of derivedTables) {
    const { rows } = await pool.query<{ line: string }>(
      `select count(*) || ' ' || coalesce(md5(string_agg(r::text, ',' order by r::text)), '-') as line from ${table} r`,
    )
    digest[table] = rows[0]?.line ?? ''
  }
  return digest
}
