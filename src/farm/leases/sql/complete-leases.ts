import { escapeLiteral } from 'pg'
import type pg from 'pg'
import { inLockOrder } from '../lease.ts'
import type { LeaseClaim, LeaseKey } from '../lease.ts'

const completed = `
      set status = 'done', leased_by = null, lease_expires_at = null, last_error = null, last_error_code = null,
        last_error_stack = null, updated_at = now()`

/**
 * The same for one lease as text without parameters, so that it can travel with others in one round trip. Changes one row
 * if the lease was still held, and else none.
 */
export function completeLeaseText({ worker, from, to, generation }: LeaseClaim): string {
  return `update app.worker_leases ${completed}
      where worker_type = ${escapeLiteral(worker)} and from_height = ${BigInt(from)} and to_height = ${BigInt(to)}
        and generation = ${BigInt(generation)} and status = 'active'`
}

/**
 * active → done, as a part of the commit of the rows. Best as the commit's first statement: from here to COMMIT the row is
 * locked, so the lease cannot be reaped, and a rollback of the chain waits for the commit instead of crossing it.
 * By primary key, in the order of the keys; a locking subquery would promise that order and costs half as much again.
 * @returns the leases that were still held. Where one is missing its claim was taken away: nothing derived for it may be
 *   committed.
 */
export async function completeLeases(db: pg.Pool | pg.ClientBase, claims: readonly LeaseClaim[]): Promise<LeaseKey[]> {
  const sorted = inLockOrder(claims)
  const { rows } = await db.query<{ worker_type: string; from_height: string }>({
    name: 'farm-complete-leases',
    text: `
      update app.worker_leases l ${completed}
      from unnest($1::text[], $2::bigint[], $3::bigint[], $4::bigint[]) as k (worker_type, from_height, to_height, generation)
      where l.worker_type = k.worker_type and l.from_height = k.from_height and l.to_height = k.to_height and l.generation = k.generation
        and l.status = 'active'
      returning l.worker_type, l.from_height`,
    values: [
      sorted.map((c) => c.worker),
      sorted.map((c) => c.from),
      sorted.map((c) => c.to),
      sorted.map((c) => c.generation),
    ],
  })
  return rows.map((row) => ({ worker: row.worker_type, from: Number(row.from_height) }))
}
