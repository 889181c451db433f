import { escapeIdentifier, type Pool, type PoolClient } from 'pg'
import type { HeightRange } from '../ranges.ts'
import { withTransaction } from './pool.ts'

/** Lock numbers are (this, hash of the table's name). */
const lockClass = 7_364_830

/** The partitions that a pool's database is known to have: table → first heights. Spares the hot path its query. */
const known = new WeakMap<Pool, Map<string, Set<number>>>()
const watched = new WeakSet<Pool>()

/**
 * Makes sure that `table` (`schema.name`, partitioned by range of one int8 height column) has a partition of `step`
 * heights for every height of `range`, and one more above. A partition is called `<table>_p<first height>`.
 *
 * Any number of processes may call it at once: one at a time makes partitions of a table. Each is made beside the
 * parent with all that the parent has, and a CHECK that says its range, and is then attached, which needs only a
 * SHARE UPDATE EXCLUSIVE lock on the parent and no scan, so readers and writers of other partitions are not held
 * up. Call it before the transaction that writes, not inside: its own work is committed when it returns.
 *
 * Throws RangeError for heights below zero, an empty step, or bounds that are not safe integers.
 */
export async function ensurePartitions(pool: Pool, table: string, step: number, range: HeightRange): Promise<void> {
  if (range.from >= range.to) return
  checkInteger(range.from)
  checkInteger(range.to + step)
  if (!Number.isSafeInteger(step) || step <= 0) throw new RangeError(`a partition of ${step} heights`)
  const have = knownPartitions(pool, table)
  const wanted = firstHeights(range, step).filter((from) => !have.has(from))
  if (wanted.length === 0) return
  await withTransaction(pool, async (client) => {
    await client.query('SELECT pg_advisory_xact_lock($1, hashtext($2))', [lockClass, table])
    for (const from of wanted) await makePartition(client, table, from, from + step)
  })
  // Not `have`, which a session that this needed may have replaced.
  const now = knownPartitions(pool, table)
  for (const from of wanted) now.add(from)
}

/**
 * Forgets what is known of a pool's database, which may have been replaced by a backup without its newest
 * partitions.
 */
export function forgetPartitions(pool: Pool): void {
  known.delete(pool)
}

/** The name of the partition of `table` that starts at height `from`. */
export function partitionName(table: string, from: number): string {
  return `${table}_p${from}`
}

/** The first heights of the partitions that `range` touches and of the one above. */
function firstHeights(range: HeightRange, step: number): number[] {
  const heights: number[] = []
  const last = Math.floor((range.to - 1) / step) * step + step
  for (let from = Math.floor(range.from / step) * step; from <= last; from += step) heights.push(from)
  return heights
}

async function makePartition(client: PoolClient, table: string, from: number, to: number): Promise<void> {
  const name = partitionName(table, from)
  const { rows } = await client.query<{ attached: boolean; column: string }>(
    `SELECT to_regclass($1) IS NOT NULL AS attached, a.attname AS column
     FROM pg_partitioned_table p JOIN pg_attribute a ON a.attrelid = p.partrelid AND a.attnum = p.partattrs[0]
     WHERE p.partrelid = $2::regclass`,
    [quoted(name), quoted(table)],
  )
  const [parent] = rows
  if (parent === undefined) throw new RangeError(`${table} is not a partitioned table`)
  // Made and attached in one transaction, so a table of that name is attached.
  if (parent.attached) return
  const [partition, column] = [quoted(name), escapeIdentifier(parent.column)]
  await client.query(
    `CREATE TABLE ${partition} (LIKE ${quoted(table)} INCLUDING ALL,
       CONSTRAINT height_range CHECK (${column} IS NOT NULL AND ${column} >= ${from} AND ${column} < ${to}))`,
  )
  await client.query(`ALTER TABLE ${quoted(table)} ATTACH PARTITION ${partition} FOR VALUES FROM (${from}) TO (${to})`)
  // It has proved the range; the partition's own bound says it from now on.
  await client.query(`ALTER TABLE ${partition} DROP CONSTRAINT height_range`)
}

/** A new session may be one with another database: a restored backup. */
function knownPartitions(pool: Pool, table: string): Set<number> {
  let tables = known.get(pool)
  if (tables === undefined) {
    known.set(pool, (tables = new Map<string, Set<number>>()))
    if (!watched.has(pool)) pool.on('connect', () => forgetPartitions(pool))
    watched.add(pool)
  }
  let heights = tables.get(table)
  if (heights === undefined) tables.set(table, (heights = new Set<number>()))
  return heights
}

function checkInteger(height: number): void {
  if (!Number.isSafeInteger(height) || height < 0) throw new RangeError(`there is no partition for height ${height}`)
}

function quoted(name: string): string {
  return name.split('.').map(escapeIdentifier).join('.')
}
