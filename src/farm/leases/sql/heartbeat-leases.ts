import type pg from 'pg'
import { inLockOrder } from '../lease.ts'
import type { LeaseClaim } from '../lease.ts'

/**
 * Renews the leases of a process that have used up a quarter of their time. One statement for all of them, by primary
 * key. A row that is locked is about to be completed, by this process in its commit: it is left out, since waiting for it
 * would keep all others from being renewed, and the reaper leaves it alone too.
 * @returns the claims that were taken away: their work must stop. One that ended meanwhile by its own commit is among
 *   them too; the caller knows which.
 */
export async function heartbeatLeases(
  db: pg.Pool | pg.ClientBase,
  claims: readonly LeaseClaim[],
  leaseMs: number,
): Promise<LeaseClaim[]> {
  const sorted = inLockOrder(claims)
  const { rows } = await db.query<{ position: string }>({
    name: 'farm-heartbeat-leases',
    text: `
      with mine as materialized (
        select m.position, m.generation = l.generation and m.to_height = l.to_height and l.status = 'active' as is_held, 
          l.worker_type, l.from_height, l.to_height, l.generation, l.lease_expires_at
        from unnest($1::text[], $2::bigint[], $3::bigint[], $5::bigint[]) with ordinality
          as m (worker_type, from_height, generation, to_height, position)
        left join app.worker_leases l on l.worker_type = m.worker_type and l.from_height = m.from_height
      ), due as materialized (
        select l.worker_type, l.from_height
        from mine m join app.worker_leases l using (worker_type, from_height, to_height, generation)
        where m.is_held and m.lease_expires_at < now() + $4 * interval '0.75 ms' and l.status = 'active'
        order by l.worker_type, l.from_height
        for update of l skip locked
      ), renewed as (
        update app.worker_leases l
        set lease_expires_at = now() + $4 * interval '1 ms', updated_at = now()
        from due d where l.worker_type = d.worker_type and l.from_height = d.from_height
      )
      select position from mine where is_held is not true order by position`,
    values: [
      sorted.map((c) => c.worker),
      sorted.map((c) => c.from),
      sorted.map((c) => c.generation),
      leaseMs,
      sorted.map((c) => c.to),
    ],
  })
  return rows.map((row) => sorted[Number(row.position) - 1] as LeaseClaim)
}
