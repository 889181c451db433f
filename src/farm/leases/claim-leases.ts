import type pg from 'pg'
import { databaseIdentity } from '../../platform/db/database-identity.ts'
import { asDatabaseError } from '../../platform/db/errors.ts'
import { retryConflicts } from '../../platform/db/retry-conflicts.ts'
import { inLockOrder, asLease, leaseColumns } from './lease.ts'
import type { ClaimedLease, LeaseKey, LeaseRow, LeaseClaim } from './lease.ts'

/**
 * queued → active, for as many of `keys` as are queued; each claim is given to one caller. A lease that is locked at this
 * moment is waited for rather than passed over: whoever holds it may leave it queued.
 * By primary key, one round trip whatever the number. Rows are locked in the order of the keys as long as the planner joins by
 * them; on a table without statistics it may hash instead, and then two who claim the same leases can meet in a deadlock, after
 * which the one that lost it claims again: not to be called within a transaction. A locking subquery would promise the order and
 * costs half as much again.
 */
export async function claimLeases(
  db: pg.Pool | pg.ClientBase,
  keys: readonly LeaseKey[],
  by: { leasedBy: string; leaseMs: number },
): Promise<ClaimedLease[]> {
  const sorted = inLockOrder(keys)
  const query = {
    name: 'farm-claim-leases',
    text: `
      update app.worker_leases l
      set status = 'active', generation = nextval('app.lease_generation'), attempt = l.attempt + 1, leased_by = $3,
        lease_expires_at = now() + $4 * interval '1 ms', not_before = null, updated_at = now()
      from unnest($1::text[], $2::bigint[]) as k (worker_type, from_height)
      where l.worker_type = k.worker_type and l.from_height = k.from_height and l.status = 'queued'
      returning ${leaseColumns}, (${databaseIdentity.sql}) as database`,
    values: [sorted.map((key) => key.worker), sorted.map((key) => key.from), by.leasedBy, by.leaseMs],
  }
  const { rows } = await retryConflicts(() =>
    db.query<LeaseRow & { readonly database: string }>(query).catch((thrown: unknown) => {
      throw asDatabaseError(thrown)
    }),
  )
  return rows.map((row) => ({ ...asLease(row), database: row.database }))
}

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
