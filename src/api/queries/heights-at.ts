import { sql } from 'slonik'
import type { DatabasePool } from 'slonik'
import { z } from 'zod'
import type { Bounds } from '../paging/bounds.ts'

const blockTime = z.object({ height: z.number(), timestamp: z.string() })

/**
 * The heights of the blocks of a time, by their own timestamps, which never fall: each end is found by halving, with some
 * thirty steps down a primary key however long the chain is. Heights that are not stored are stepped over.
 * @param span ISO 8601 UTC with milliseconds; `from` inclusive, `to` exclusive
 * @returns undefined where no stored block is of that time
 */
export async function readHeightsOf(
  database: DatabasePool,
  bounds: Bounds,
  span: { readonly from: string; readonly to: string },
): Promise<Bounds | undefined> {
  const [min, end] = await Promise.all([
    firstHeightFrom(database, bounds, span.from),
    firstHeightFrom(database, bounds, span.to),
  ])
  return min < end ? { min, max: end - 1 } : undefined
}

/** The lowest stored height of a time or later; one above all where there is none. */
async function firstHeightFrom(database: DatabasePool, { min, max }: Bounds, time: string): Promise<number> {
  let [low, end, found] = [min, max + 1, max + 1]
  while (low < end) {
    const middle = Math.floor((low + end) / 2)
    const block = await database.maybeOne(sql.type(blockTime)`
      select height, timestamp from raw.blocks
      where height >= ${middle} and height < ${end}
      order by height
      limit 1
    `)
    if (block !== null && block.timestamp < time) {
      low = block.height + 1
    } else {
      if (block !== null) found = block.height
      end = middle
    }
  }
  return found
}
