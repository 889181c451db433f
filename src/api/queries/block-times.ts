import { sql } from 'slonik'
import type { DatabasePool } from 'slonik'
import { z } from 'zod'

const timeRow = z.object({ height: z.number(), timestamp: z.string() })

/**
 * Times of blocks by height. The heights of a page may lie anywhere: given as values they leave out all partitions but
 * theirs, which a join would not. Leaves out blocks that are not stored.
 */
export async function readBlockTimes(
  database: DatabasePool,
  heights: readonly (number | null)[],
): Promise<ReadonlyMap<number, string>> {
  const known = [...new Set(heights)].filter((height) => height !== null)
  if (known.length === 0) return new Map()
  const rows = await database.any(sql.type(timeRow)`
    select height, timestamp from raw.blocks where height = any (${sql.array(known, 'int8')})
  `)
  return new Map(rows.map(({ height, timestamp }) => [height, timestamp]))
}
