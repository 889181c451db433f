import { sql } from 'slonik'
import type { DatabasePool } from 'slonik'
import { z } from 'zod'
import { readRecent } from './recent-reads.ts'

/** Lowest and highest stored height, both inclusive. */
export interface Bounds {
  readonly min: number
  readonly max: number
}

const boundsRow = z.object({ min: z.number().nullable(), max: z.number().nullable() })

/**
 * The stored heights as far as their ends go, read from the coverage of the ingesters: two rows, however long the
 * chain is. Every list bounds its scan with it, so that partitions are left out when the statement is planned.
 * @returns undefined while nothing is stored
 */
export async function readBounds(database: DatabasePool): Promise<Bounds | undefined> {
  return (await readRecent(database, 'bounds', [''], async () => new Map([['', await askBounds(database)]]))).get('')
}

async function askBounds(database: DatabasePool): Promise<Bounds | undefined> {
  const { min, max } = await database.one(sql.prepared('bounds', boundsRow)`
    select min(lower(covered)) as min, max(upper(covered)) - 1 as max
    from app.indexing_checkpoints
    where service_name in ('main_ingester', 'history_ingester')
  `)
  return min === null || max === null ? undefined : { min, max }
}

/**
 * Reads a page downwards from `top`: first from a window of heights that holds it unless heights are missing, and only
 * if that gives too few rows from all heights below, which may touch every partition.
 * @param read gives up to `count` rows of the heights `low` to `high`, highest first
 */
export async function readDownwards<Row>(
  bounds: Bounds | undefined,
  top: number,
  count: number,
  read: (low: number, high: number, count: number) => Promise<readonly Row[]>,
): Promise<readonly Row[]> {
  if (bounds === undefined) return []
  const high = Math.min(top, bounds.max)
  if (high < bounds.min) return []
  const low = Math.max(bounds.min, high - count)
  const rows = await read(low, high, count)
  return rows.length >= count || low === bounds.min ? rows : read(bounds.min, high, count)
}

const settledRow = z.object({ is_settled: z.boolean() })

/**
 * How long an answer about a height may be kept: it is settled when the height is too deep to be rolled back, nodes served all of its
 * block, and each worker that the answer uses has derived it. Reads folded coverage alone, which is late by moments.
 */
export async function cachingAt(
  { database, maxReorgDepth }: { readonly database: DatabasePool; readonly maxReorgDepth: number },
  height: number,
  workers: readonly string[],
): Promise<'settled' | 'revalidate'> {
  const bounds = await readBounds(database)
  if (bounds === undefined || height > bounds.max - maxReorgDepth) return 'revalidate'
  const { is_settled: isSettled } = await database.one(sql.prepared('settled', settledRow)`
    select not exists (select from raw.unavailable where block_height = ${height}) and (
      select count(*) = ${workers.length} from app.indexing_checkpoints
      where service_name = any (${sql.array([...workers], 'text')}) and covered @> ${height}::int8
    ) as is_settled
  `)
  return isSettled ? 'settled' : 'revalidate'
}
