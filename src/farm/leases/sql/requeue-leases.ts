import type pg from 'pg'
import type { LeaseKey } from '../lease.ts'
import { chooseTroubled, keyValues } from './choose-troubled.ts'

/**
 * flagged, failed → queued: a person says that it is worth trying again. The count of runs begins anew; the last error
 * stays until a run succeeds.
 * @returns how many there were; the coordinator gives them jobs when it wakes
 */
export async function requeueLeases(db: pg.Pool | pg.ClientBase, keys: readonly LeaseKey[]): Promise<number> {
  const { rowCount } = await db.query({
    name: 'farm-requeue-leases',
    text: `
      with ${chooseTroubled()}
      update app.worker_leases l
      set status = 'queued', attempt = 0, expiries = 0, not_before = null, enqueued_at = null, updated_at = now()
      from chosen c
      where l.worker_type = c.worker_type and l.from_height = c.from_height`,
    values: keyValues(keys),
  })
  return rowCount ?? 0
}
