import type pg from 'pg'
import type { QueuedLease } from '../lease.ts'
import { asLease, leaseColumns } from '../lease-row.ts'
import type { LeaseRow } from '../lease-row.ts'

/**
 * Finds queued leases of `workers` that were never handed to the queue, or so long ago (`staleMs`) that their job may be
 * lost, and notes that they are handed over now. By the index on open leases; it visits the queued ones only.
 * @returns the leases whose jobs are to be added; those that are still there must not be added twice
 */
export async function handOverLeases(
  db: pg.Pool | pg.ClientBase,
  workers: readonly string[],
  staleMs: number,
): Promise<QueuedLease[]> {
  const { rows } = await db.query<LeaseRow>({
    name: 'farm-hand-over-leases',
    text: `
      with stale as materialized (
        select l.worker_type, l.from_height
        from app.worker_leases l
        where l.status = 'queued' and l.worker_type = any ($1::text[])
          and (l.enqueued_at is null or l.enqueued_at < now() - $2 * interval '1 ms')
        order by l.worker_type, l.from_height
        for update of l skip locked
      )
      update app.worker_leases l
      set enqueued_at = now()
      from stale s
      where l.worker_type = s.worker_type and l.from_height = s.from_height
      returning ${leaseColumns}`,
    values: [workers, staleMs],
  })
  return rows.map(asLease)
}
