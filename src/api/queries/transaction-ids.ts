import { sql } from 'slonik'
import type { DatabasePool } from 'slonik'
import { z } from 'zod'

const idRow = z.object({ block_height: z.number(), tx_index: z.number(), id: z.string() })

/** Where a transaction is, as tables name it. */
interface Place {
  readonly block_height: number
  readonly tx_index: number
}

/**
 * Ids of the transactions at places that may lie anywhere: as values, their heights leave out all partitions but theirs.
 * @returns gives the id of a place; the empty text for one that is not stored
 */
export async function readTransactionIds(
  database: DatabasePool,
  places: readonly Place[],
): Promise<(place: Place) => string> {
  if (places.length === 0) return () => ''
  const heights = places.map((place) => place.block_height)
  const indexes = places.map((place) => place.tx_index)
  const rows = await database.any(sql.type(idRow)`
    select block_height, tx_index, encode(id, 'hex') as id from raw.transactions
    where block_height = any (${sql.array([...new Set(heights)], 'int8')}) and (block_height, tx_index) in (
      select height, index from unnest(${sql.array(heights, 'int8')}, ${sql.array(indexes, 'int4')}) as place(height, index)
    )
  `)
  const ids = new Map(rows.map((row) => [keyOf(row), row.id]))
  return (place) => ids.get(keyOf(place)) ?? ''
}

function keyOf(place: Place): string {
  return `${place.block_height}:${place.tx_index}`
}
