import type pg from 'pg'
import { databaseIdentity } from '../../../db/database-identity.ts'
import { asDatabaseError } from '../../../db/errors.ts'
import { retryConflicts } from '../../../db/retry-conflicts.ts'
import { inLockOrder } from '../lease.ts'
import type { ClaimedLease, LeaseKey } from '../lease.ts'
import { asLease, leaseColumns } from '../lease-row.ts'
import type { LeaseRow } from '../lease-row.ts'

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
