import type pg from 'pg'
import type { HeightRange } from '../platform/ranges.ts'
import { ensurePartitions } from '../platform/db/partitions.ts'

/**
 * Heights per partition: 5 to 10 million rows at mainnet's pace (1 block, 4 to 8 transactions with their events a height), so
 * that a partition is small enough to be vacuumed, copied or moved by itself and there are hundreds, not thousands.
 */
const heightsPerPartition = {
  'raw.blocks': 5_000_000,
  'raw.transactions': 1_000_000,
  'raw.event_chunks': 1_000_000,
} as const

/** Makes the partitions that a batch needs, ahead of it. Costs nothing once they are known. */
export async function ensureRawPartitions(pool: pg.Pool, range: HeightRange): Promise<void> {
  for (const [table, step] of Object.entries(heightsPerPartition)) await ensurePartitions(pool, table, step, range)
}
