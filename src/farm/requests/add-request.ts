import type pg from 'pg'
import type { HeightRange } from '../../base/ranges.ts'
import { withRetriedTransaction } from '../../db/retried-transaction.ts'
import { addCheckpoints } from '../coverage/sql/add-checkpoints.ts'
import { lockCheckpoints } from '../coverage/sql/lock-checkpoints.ts'
import { reopenHeights } from '../coverage/sql/reopen-heights.ts'
import { announceChangedRows, announceFarmWork } from '../leases/sql/announce-farm-work.ts'
import { withFollowed, withFollowers } from './worker-closure.ts'
import type { LinkedWorker } from './worker-closure.ts'

/** What a person asked for, as it was written down. */
export interface AddedRequest {
  readonly id: number
  /** All that must derive the heights: those asked for and those that they follow. */
  readonly workers: readonly string[]
}

/**
 * Asks for heights to be derived before other history, by some workers and by all that these follow; the coordinator
 * does it when one runs.
 * @param workers all workers of the farm
 */
export async function addRequest(
  pool: pg.Pool,
  workers: readonly LinkedWorker[],
  names: readonly string[],
  range: HeightRange,
): Promise<AddedRequest> {
  return withRetriedTransaction(pool, async (client) => {
    const request = await insertRequest(client, withFollowed(workers, names), range)
    await announceFarmWork(client)
    return request
  })
}

/**
 * Has heights derived again by some workers and by all that follow them, before other history. The rows stay until the
 * new ones take their place.
 * @param workers all workers of the farm
 * @returns the request, and the workers that derive again
 */
export async function addRederiveRequest(
  pool: pg.Pool,
  workers: readonly LinkedWorker[],
  names: readonly string[],
  range: HeightRange,
): Promise<AddedRequest & { readonly reopened: readonly string[] }> {
  const reopened = withFollowers(workers, names)
  return withRetriedTransaction(pool, async (client) => {
    await addCheckpoints(client, reopened)
    await lockCheckpoints(client, reopened)
    await reopenHeights(client, reopened, range.from, range.to)
    const request = await insertRequest(client, withFollowed(workers, reopened), range)
    await announceChangedRows(client)
    return { ...request, reopened }
  })
}

async function insertRequest(
  client: pg.ClientBase,
  workers: readonly string[],
  range: HeightRange,
): Promise<AddedRequest> {
  const { rows } = await client.query<{ id: number }>(
    `insert into app.backfill_requests (workers, from_height, to_height) values ($1, $2, $3)
     returning id::float8 as id`,
    [workers, range.from, range.to],
  )
  return { id: rows[0]?.id ?? 0, workers }
}
