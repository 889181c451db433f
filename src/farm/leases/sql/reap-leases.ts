import type pg from 'pg'
import { asEndedRun, endedColumns, endRuns, endRunsValues } from '../end-runs.ts'
import type { EndedRow } from '../end-runs.ts'
import { asLease } from '../lease-row.ts'
import type { EndedRun, QueuedLease } from '../lease.ts'
import { defaultRetryPolicy } from '../retry-policy.ts'

export interface Reaped {
  readonly runs: readonly EndedRun[]
  /** Those of them that are queued again already and need a job. */
  readonly queued: readonly QueuedLease[]
}

/** Most leases that one call takes away. */
const mostAtOnce = 1000

/**
 * active → queued, failed or flagged, for leases that were not renewed in time. A row that is locked is in the middle of
 * its commit and stays. By the index on the time of expiry: 0.1 ms while nothing is due.
 */
export async function reapLeases(db: pg.Pool | pg.ClientBase, policy = defaultRetryPolicy): Promise<Reaped> {
  const { rows } = await db.query<EndedRow>({
    name: 'farm-reap-leases',
    text: `
      with ended as materialized (
        select ${endedColumns}, true as is_expiry, l.expiries > 0 as may_wait, l.expiries > 0 as may_halve, true as is_counted,
          format('%s did not renew the lease in time', l.leased_by) as error, 'lease-expired' as code, null as stack
        from app.worker_leases l
        where l.status = 'active' and l.lease_expires_at < now()
        order by l.lease_expires_at
        limit ${mostAtOnce}
        for update of l skip locked
      ), ${endRuns(1)}`,
    values: endRunsValues(policy),
  })
  return { runs: rows.map(asEndedRun), queued: rows.filter((row) => row.status === 'queued').map(asLease) }
}
