import type pg from 'pg'
import type { HeightRange } from '../../base/ranges.ts'
import { withTransaction } from '../../db/pool.ts'
import { announceFarmWork } from '../leases/sql/announce-farm-work.ts'
import { withFollowers } from '../requests/worker-closure.ts'
import type { LinkedWorker } from '../requests/worker-closure.ts'
import { lockCheckpoints } from './sql/lock-checkpoints.ts'
import { reopenHeights } from './sql/reopen-heights.ts'

/**
 * Has a range derived again by some workers and by all that follow them, directly or not: for a worker that was mended, or
 * a skipped range that is taken up again. The rows stay until the new ones take their place.
 * @param workers all workers of the farm
 * @returns the workers that owe the range now
 */
export async function reopenRange(
  pool: pg.Pool, workers: readonly LinkedWorker[], names: readonly string[], range: HeightRange,
): Promise<string[]> {
  const reopened = withFollowers(workers, names).toSorted()
  await withTransaction(pool, async (client) => {
    await lockCheckpoints(client, reopened)
    await reopenHeights(client, reopened, range.from, range.to)
    await announceFarmWork(client)
  })
  return reopened
}
