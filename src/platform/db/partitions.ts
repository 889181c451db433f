import { escapeIdentifier, type Pool, type PoolClient } from 'pg'
import type { HeightRange } from '../ranges.ts'
import { withTransaction } from './pool.ts'

/** The second key is the hash of the table name. */
const lockClass = 7_364_830

/** Table → first heights. */
const known = new WeakMap<Pool, Map<string, Set<number>>>()
const watched = new WeakSet<Pool>()

/**
 * Creates missing partitions (`<table>_p<first height>`) for `range`, and one above. Each is
 * created with a CHECK for its range and then attached, which needs only SHARE UPDATE EXCLUSIVE and
 * no scan. Commits separately: call it before the writing transaction.
 * @throws RangeError
 */
export async function ensurePartitions(pool: Pool, table: string, step: number, range: HeightRange): Promise<void> {
  if (range.from >= range.to) return
  checkInteger(range.from)
  checkInteger(range.to + step)
  if (!Number.isSafeInteger(step) || step <= 0) throw new RangeError(`a partition of ${step} heights`)
  const have = knownPartitions(pool, table)
  const missing = firstHeights(range, step).filter((from) => !have.has(from))
  if (missing.length === 0) return
  await withTransaction(pool, async (client) => {
    await client.query('SELECT pg_advisory_xact_lock($1, hashtext($2))', [lockClass, table])
    for (const from of missing) await makePartition(client, table, from, from + step)
  })
  // A reconnect may have replaced `have`.
  const now = knownPartitions(pool, table)
  for (const from of missing) now.add(from)
}

/** A restored backup may lack the newest partitions. */
export function clearKnownPartitions(pool: Pool): void {
  known.delete(pool)
}

export function partitionName(table: string, from: number): string {
  return `${table}_p${from}`
}

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
  if (parent.attached) return
  const [partition, column] = [quoted(name), escapeIdentifier(parent.column)]
  await client.query(
    `CREATE TABLE ${partition} (LIKE ${quoted(table)} INCLUDING ALL,
       CONSTRAINT height_range CHECK (${column} IS NOT NULL AND ${column} >= ${from} AND ${column} < ${to}))`,
  )
  await client.query(`ALTER TABLE ${quoted(table)} ATTACH PARTITION ${partition} FOR VALUES FROM (${from}) TO (${to})`)
  // It has proved the range to ATTACH; the partition bound replaces it.
  await client.query(`ALTER TABLE ${partition} DROP CONSTRAINT height_range`)
}

function knownPartitions(pool: Pool, table: string): Set<number> {
  let tables = known.get(pool)
  if (tables === undefined) {
    known.set(pool, (tables = new Map<string, Set<number>>()))
    if (!watched.has(pool)) pool.on('connect', () => clearKnownPartitions(pool))
    watched.add(pool)
  }
  let heights = tables.get(table)
  if (heights === undefined) tables.set(table, (heights = new Set<number>()))
  return heights
}

function checkInteger(height: number): void {
  if (!Number.isSafeInteger(height) || height < 0) throw new RangeError(`invalid height ${height}`)
}

function quoted(name: string): string {
  return name.split('.').map(escapeIdentifier).join('.')
}
