import type { Pool, PoolClient } from 'pg'
import { workers } from '../../jobs/index.ts'
import type { Fold, Worker } from '../../jobs/worker.ts'
import type { HeightRange } from '../../src/base/ranges.ts'
import type { DecodedBlock } from '../../src/chain/decoded-block.ts'
import { copyInto } from '../../src/db/copy/copy-into.ts'
import { CopyWriter } from '../../src/db/copy/copy-writer.ts'
import { ensurePartitions } from '../../src/db/partitions.ts'
import { withTransaction } from '../../src/db/pool.ts'
import type { DeriveProblem } from '../../jobs/worker.ts'
import { rangeOf } from './decoded-recording.ts'

/** The tables that workers own, by which two databases are compared. */
export const derivedTables: readonly string[] = workers.flatMap(({ tables, folds }) => [
  ...tables.map(({ name }) => name), ...folds.map(({ name }) => name),
])

/** Runs one worker over a range and puts what it makes in the place of what was there, as a commit of the farm does. */
export async function deriveInto(
  pool: Pool, worker: Worker, blocks: readonly DecodedBlock[], range: HeightRange,
): Promise<DeriveProblem[]> {
  const problems: DeriveProblem[] = []
  const writers = new Map(worker.tables.map(({ name }) => [name, new CopyWriter()]))
  worker.derive?.(rangeOf(blocks, range), {
    rows: (table) => writers.get(table) as CopyWriter,
    problem: (problem) => void problems.push(problem),
  }, { network: 'emulator' })
  for (const { name, partitionHeights } of worker.tables) {
    if (partitionHeights !== undefined) await ensurePartitions(pool, name, partitionHeights, range)
  }
  await withTransaction(pool, async (client) => {
    const before = await touchedKeys(client, worker, range)
    for (const { name, heightColumn, columns } of worker.tables) {
      const inRange = `${heightColumn} >= $1 and ${heightColumn} < $2`
      await client.query(`delete from ${name} where ${inRange}`, [range.from, range.to])
      await copyInto(client, name, columns, writers.get(name) as CopyWriter)
    }
    await foldAll(client, worker, [before, await touchedKeys(client, worker, range)])
  })
  return problems
}

/** Takes away what all workers derived from `height` on, as a rollback does: keys first, then rows, then folds. */
export async function rollBackDerived(pool: Pool, height: number): Promise<void> {
  await withTransaction(pool, async (client) => {
    const above = { from: height, to: Number.MAX_SAFE_INTEGER }
    const touched = new Map<Worker, Touched>()
    for (const worker of workers) touched.set(worker, await touchedKeys(client, worker, above))
    for (const { tables } of workers) {
      for (const { name, heightColumn } of tables) {
        await client.query(`delete from ${name} where ${heightColumn} >= $1`, [height])
      }
    }
    for (const [worker, keys] of touched) await foldAll(client, worker, [keys])
  })
}

/** A line for each derived table: rows and a digest of their content. With the same lines, databases hold the same. */
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

type Touched = ReadonlyMap<Fold, readonly Record<string, unknown>[]>

async function touchedKeys(client: PoolClient, worker: Worker, { from, to }: HeightRange): Promise<Touched> {
  const touched = new Map<Fold, readonly Record<string, unknown>[]>()
  for (const fold of worker.folds) {
    const { rows } = await client.query<Record<string, unknown>>(fold.touched, [from, to])
    touched.set(fold, rows)
  }
  return touched
}

async function foldAll(client: PoolClient, worker: Worker, touched: readonly Touched[]): Promise<void> {
  for (const fold of worker.folds) {
    const keys = touched.flatMap((one) => one.get(fold) ?? [])
    const unique = [...new Map(keys.map((key) => [JSON.stringify(key), key])).values()]
    if (unique.length === 0) continue
    await client.query(fold.fold, fold.key.map(({ column }) => unique.map((key) => key[column])))
  }
}
