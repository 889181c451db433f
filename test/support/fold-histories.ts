import * as fc from 'fast-check'
import type { Pool } from 'pg'
import type { Worker } from '../../jobs/worker.ts'
import type { HeightRange } from '../../src/platform/ranges.ts'
import { withTransaction } from '../../src/platform/db/pool.ts'
import { rollBackDerived } from '../../src/farm/commit/folds.ts'

/** All heights below `end`, divided into ranges. */
export function partitions(end: number): fc.Arbitrary<HeightRange[]> {
  return fc.uniqueArray(fc.integer({ min: 1, max: end - 1 }), { maxLength: 9 }).map((cuts) => {
    const borders = [0, ...cuts.toSorted((a, b) => a - b), end]
    return borders.slice(1).map((to, i) => ({ from: borders[i] as number, to }))
  })
}

/** The same ranges, shuffled. */
export function inAnyOrder(ranges: fc.Arbitrary<HeightRange[]>): fc.Arbitrary<HeightRange[]> {
  return ranges.chain((all) => fc.shuffledSubarray(all, { minLength: all.length }))
}

/** Deletes the output of one worker from `height` on. */
export async function rollBackWorker(pool: Pool, worker: Worker, height: number): Promise<void> {
  await withTransaction(pool, (client) => rollBackDerived(client, height - 1, [worker]))
}

/** One line per table of a worker: row count and content digest. */
export async function foldDigest(pool: Pool, { tables, folds }: Worker): Promise<string> {
  const lines: string[] = []
  for (const { name } of [...tables, ...folds]) {
    const { rows } = await pool.query<{ line: string }>(
      `select count(*) || ' ' || coalesce(md5(string_agg(r::text, ',' order by r::text)), '-') as line from ${name} r`,
    )
    lines.push(rows[0]?.line ?? '')
  }
  return lines.join('\n')
}
