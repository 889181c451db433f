import type pg from 'pg'
import { inLockOrder } from '../lease.ts'
import type { LeaseKey } from '../lease.ts'

/**
 * flagged, failed → queued: a person says that it is worth trying again. The count of runs begins anew; the last error
 * stays until a run succeeds.
 * @returns how many there were; the coordinator gives them jobs when it wakes
 */
export async function requeueLeases(db: pg.Pool | pg.ClientBase, keys: readonly LeaseKey[]): Promise<number> {
  const sorted = inLockOrder(keys)
  const { rowCount } = await db.query({
    name: 'farm-requeue-leases',
    text: `
      with chosen as materialized (
        select l.worker_type, l.from_height
        from unnest($1::text[], $2::bigint[]) as k (worker_type, from_height)
        join app.worker_leases l using (worker_type, from_height)
        where l.status in ('failed', 'flagged')
        order by l.worker_type, l.from_height
        for update of l
      )
      update app.worker_leases l
      set status = 'queued', attempt = 0, expiries = 0, not_before = null, enqueued_at = null, updated_at = now()
      from chosen c
      where l.worker_type = c.worker_type and l.from_height = c.from_height`,
    values: [sorted.map((key) => key.worker), sorted.map((key) => key.from)],
  })
  return rowCount ?? 0
}
