import type { EndedRun } from './lease.ts'
import type { LeaseRow } from './lease-row.ts'
import type { RetryPolicy } from './retry-policy.ts'

export interface EndedRow extends LeaseRow {
  readonly status: 'queued' | 'failed' | 'flagged'
  readonly is_halved: boolean
}

/** What `ended` takes from the leases `l` that it locks. */
export const endedColumns = 'l.worker_type, l.from_height, l.to_height, l.generation, l.attempt'

/**
 * The rest of a statement that ends runs without success: active → queued, failed or flagged, halved where that helps.
 * It follows a CTE `ended`, which has locked the rows: `endedColumns`, and is_expiry, may_wait (false: queue it at once),
 * may_halve, error, code, stack. `p` is the position of the first parameter of `endRunsValues`.
 *
 * A half waits as after a first failure: looking for the bad block must not take the pauses of a block that is known bad.
 */
export function endRuns(p: number): string {
  return `
    judged as materialized (
      select e.*, v.status, case when v.is_halved then (e.from_height + e.to_height) / 2 end as middle,
        case when v.status = 'failed' then now() + (0.5 + random() / 2) * interval '1 ms'
          * least($${p + 2}::float8, $${p + 1}::float8 * 2 ^ (case when v.is_halved then 0 else e.attempt - 1 end)) end as not_before
      from ended e
      cross join lateral (select e.attempt >= $${p}::integer as is_used_up) u
      cross join lateral (
        select case when u.is_used_up then 'flagged' when e.may_wait then 'failed' else 'queued' end as status,
          not u.is_used_up and e.may_halve and e.attempt >= $${p + 3}::integer and e.to_height - e.from_height > 1 as is_halved
      ) v
    ), upper_halves as (
      insert into app.worker_leases (worker_type, from_height, to_height, generation, status, attempt, not_before, last_error, last_error_code, last_error_stack)
      select worker_type, middle, to_height, generation, status, attempt, not_before, error, code, stack
      from judged where middle is not null
    )
    update app.worker_leases l
    set status = j.status, to_height = coalesce(j.middle, l.to_height), not_before = j.not_before, expiries = l.expiries + j.is_expiry::integer,
      leased_by = null, lease_expires_at = null, enqueued_at = case when j.status = 'queued' then now() end,
      last_error = j.error, last_error_code = j.code, last_error_stack = j.stack, updated_at = now()
    from judged j
    where l.worker_type = j.worker_type and l.from_height = j.from_height
    returning l.worker_type, l.from_height, l.to_height, l.generation, l.attempt, l.status, j.middle is not null as is_halved`
}

export function endRunsValues(policy: RetryPolicy): number[] {
  return [policy.maxRuns, policy.baseMs, policy.capMs, policy.halveAfterRuns]
}

export function asEndedRun(row: EndedRow): EndedRun {
  return {
    worker: row.worker_type, from: Number(row.from_height), to: Number(row.to_height), status: row.status, attempt: row.attempt, isHalved: row.is_halved,
  }
}
