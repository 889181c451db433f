import type pg from 'pg'
import type { LeaseKey, LeaseStatus } from '../lease.ts'

/** A lease with everything that a person may want to know of it. */
export interface ListedLease extends LeaseKey {
  readonly to: number
  readonly status: LeaseStatus
  readonly attempt: number
  readonly expiries: number
  readonly leasedBy: string | null
  readonly leaseExpiresAt: Date | null
  readonly notBefore: Date | null
  readonly error: string | null
  readonly code: string | null
  readonly stack: string | null
  readonly reason: string | null
  readonly createdAt: Date
  readonly updatedAt: Date
}

export interface LeaseFilter {
  readonly workers: readonly string[]
  readonly statuses: readonly Exclude<LeaseStatus, 'done'>[]
  /** Only those whose last failure had this code. */
  readonly code?: string | undefined
  /** The last of the page before. */
  readonly after?: LeaseKey | undefined
  readonly limit: number
}

/** Leases by worker and height, a page at a time, by the index on open leases. */
export async function listLeases(
  db: pg.Pool | pg.ClientBase,
  { workers, statuses, code, after, limit }: LeaseFilter,
): Promise<ListedLease[]> {
  const { rows } = await db.query<ListedLease>({
    name: 'farm-list-leases',
    text: `
      select worker_type as worker, from_height::float8 as from, to_height::float8 as to, status, attempt, expiries, leased_by as "leasedBy",
        lease_expires_at as "leaseExpiresAt", not_before as "notBefore", last_error as error, last_error_code as code,
        last_error_stack as stack, reason, created_at as "createdAt", updated_at as "updatedAt"
      from app.worker_leases
      where worker_type = any ($1::text[]) and status = any ($2::text[]) and status in ('queued', 'active', 'failed', 'flagged', 'skipped')
        and ($3::text is null or (worker_type, from_height) > ($3, $4::bigint)) and ($6::text is null or last_error_code = $6)
      order by worker_type, from_height
      limit $5`,
    values: [workers, statuses, after?.worker ?? null, after?.from ?? null, limit, code ?? null],
  })
  return rows
}
