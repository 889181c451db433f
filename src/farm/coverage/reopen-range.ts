import type pg from 'pg'
import type { HeightRange } from '../../base/ranges.ts'
import { withTransaction } from '../../db/pool.ts'
import { announceFarmWork } from '../leases/sql/announce-farm-work.ts'
import { lockCheckpoints } from './sql/lock-checkpoints.ts'
import { reopenHeights } from './sql/reopen-heights.ts'

interface Follower {
  readonly name: string
  readonly follows: readonly string[]
}

/**
 * Has a range derived again by some workers and by all that follow them, directly or not: for a worker that was mended, or
 * a skipped range that is taken up again. The rows stay until the new ones take their place.
 * @param workers all workers of the farm
 * @returns the workers that owe the range now
 */
export async function reopenRange(
  pool: pg.Pool, workers: readonly Follower[], names: readonly string[], range: HeightRange,
): Promise<string[]> {
  const reopened = withFollowers(workers, names)
  await withTransaction(pool, async (client) => {
    await lockCheckpoints(client, reopened)
    await reopenHeights(client, reopened, range.from, range.to)
    await announceFarmWork(client)
  })
  return reopened
}

function withFollowers(workers: readonly Follower[], names: readonly string[]): string[] {
  const found = new Set(names)
  for (let before = -1; before < found.size; ) {
    before = found.size
    for (const worker of workers) if (worker.follows.some((name) => found.has(name))) found.add(worker.name)
  }
  return [...found].sort()
}
