import type pg from 'pg'
import type { QueuedLease } from '../lease.ts'
import { asLease, leaseColumns } from '../lease-row.ts'
import type { LeaseRow } from '../lease-row.ts'

/** Most leases that one call takes. */
const mostAtOnce = 1000

/**
 * failed → queued, for the leases of `workers` whose pause is over. By the index on not_before; next to nothing while
 * none is due.
 * @returns the leases that need a job now
 */
export async function requeueDueLeases(
  db: pg.Pool | pg.ClientBase,
  workers: readonly string[],
): Promise<QueuedLease[]> {
  const { rows } = await db.query<LeaseRow>({
    name: 'farm-requeue-due-leases',
    text: `
      with due as materialized (
        select l.worker_type, l.from_height
        from app.worker_leases l
        where l.status = 'failed' and l.not_before <= now() and l.worker_type = any ($1::text[])
        order by l.not_before
        limit ${mostAtOnce}
        for update of l skip locked
      )
      update app.worker_leases l
      set status = 'queued', not_before = null, enqueued_at = now(), updated_at = now()
      from due d
      where l.worker_type = d.worker_type and l.from_height = d.from_height
      returning ${leaseColumns}`,
    values: [workers],
  })
  return rows.map(asLease)
}
