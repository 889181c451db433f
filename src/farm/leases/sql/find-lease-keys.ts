import type pg from 'pg'
import type { LeaseKey } from '../lease.ts'

/** Most leases that one call finds; a worker with a tenth of them in trouble gets no new ones. */
const mostAtOnce = 10_000

/**
 * The leases of a worker that a person can act on, all at once: failed or flagged, with the given code if one is given.
 * By the index on open leases. They are not locked: whoever acts on them looks at their state again.
 */
export async function findLeaseKeys(
  db: pg.Pool | pg.ClientBase,
  worker: string,
  statuses: readonly ('failed' | 'flagged')[],
  code?: string,
): Promise<LeaseKey[]> {
  const { rows } = await db.query<LeaseKey>({
    name: 'farm-find-lease-keys',
    text: `
      select worker_type as worker, from_height::float8 as from
      from app.worker_leases
      where worker_type = $1 and status = any ($2::text[])
        and status in ('queued', 'active', 'failed', 'flagged', 'skipped')
        and ($3::text is null or last_error_code = $3)
      order by from_height
      limit ${mostAtOnce}`,
    values: [worker, statuses, code ?? null],
  })
  return rows
}
