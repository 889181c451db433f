import type pg from 'pg'
import { inLockOrder } from '../lease.ts'
import type { LeaseClaim } from '../lease.ts'

/**
 * active → queued, for claims that a process gives back before it stops. It does not count as a run.
 * @returns how many were still held
 */
export async function releaseLeases(db: pg.Pool | pg.ClientBase, claims: readonly LeaseClaim[]): Promise<number> {
  const sorted = inLockOrder(claims)
  const { rowCount } = await db.query({
    name: 'farm-release-leases',
    text: `
      with held as materialized (
        select l.worker_type, l.from_height
        from unnest($1::text[], $2::bigint[], $3::bigint[], $4::bigint[]) as k (worker_type, from_height, to_height, generation)
        join app.worker_leases l using (worker_type, from_height, to_height, generation)
        where l.status = 'active'
        order by l.worker_type, l.from_height
        for update of l
      )
      update app.worker_leases l
      set status = 'queued', attempt = l.attempt - 1, leased_by = null, lease_expires_at = null, enqueued_at = null, updated_at = now()
      from held h
      where l.worker_type = h.worker_type and l.from_height = h.from_height`,
    values: [
      sorted.map((c) => c.worker),
      sorted.map((c) => c.from),
      sorted.map((c) => c.to),
      sorted.map((c) => c.generation),
    ],
  })
  return rowCount ?? 0
}
