import type { EndedRun } from './lease.ts'
import type { LeaseRow } from './lease-row.ts'
import type { RetryPolicy } from './retry-policy.ts'

export interface EndedRow extends LeaseRow {
  readonly status: 'queued' | 'failed' | 'flagged'
  readonly is_halved: boolean
}

/** What `ended` takes from the leases `l` that it locks. */
export const endedColumns = 'l.worker_type, l.from_height, l.to_height, l.generation, l.attempt, l.failed_at'

/** Newest done leases that are looked at; the others have become coverage, unless no process coordinates. */
const maxUnfolded = 200

/**
 * The rest of a statement that ends runs without success: active → queued, failed or flagged, halved where that helps.
 * It follows a CTE `ended`, which has locked the rows: `endedColumns`, and is_expiry, may_wait (false: queue it at
 * once), may_halve, is_counted (false: it was no run, and is only tried again), error, code, stack. `p` is the position
 * of the first parameter of `endRunsValues`.
 *
 * Failing are the open leases that have failed and were not done since. They are counted before any is halved here, so
 * the n-th that may be halved counts n more; statements at the same time may each go over the limits by what they end.
 * A half waits as after a first failure: the search for the bad block must not take the pauses of a block that is known
 * bad.
 */
export function endRuns(p: number): string {
  return `
    health as materialized (
      select w.worker_type, c.succeeded_at, d.done_at, f.failing, f.failing_ranges
      from (select distinct worker_type from ended) w
      left join app.indexing_checkpoints c on c.service_name = w.worker_type
      cross join lateral (
        select count(*) as failing, count(*) filter (where f.blocks > 1) as failing_ranges from (
          select f.to_height - f.from_height as blocks from app.worker_leases f
          where f.worker_type = w.worker_type and f.status in ('queued', 'active', 'failed', 'flagged')
            and f.last_error is not null
          order by f.worker_type, f.status, f.from_height limit $${p + 5}::integer
        ) f
      ) f
      cross join lateral (
        select max(d.updated_at) as done_at from (
          select d.updated_at from app.worker_leases d where d.worker_type = w.worker_type and d.status = 'done'
          order by d.worker_type, d.from_height desc limit ${maxUnfolded}
        ) d
      ) d
    ), candidates as materialized (
      select e.worker_type, e.from_height, h.failing + e.added as failing, h.failing_ranges + e.added as failing_ranges,
        coalesce(greatest(h.succeeded_at, h.done_at) > e.failed_at, false) as is_proven
      from (
        select *, row_number() over (partition by worker_type) as added from ended
        where may_halve and attempt >= $${p + 3}::integer and to_height - from_height > 1
      ) e join health h using (worker_type)
    ), judged as materialized (
      select e.*, v.status, case when v.is_halved then (e.from_height + e.to_height) / 2 end as middle,
        case when v.status = 'failed' then now() + (0.5 + random() / 2) * interval '1 ms'
          * least($${p + 2}::float8, $${p + 1}::float8 * 2 ^ (case when v.is_halved then 0 else e.attempt - 1 end)) end as not_before
      from ended e
      left join candidates c using (worker_type, from_height)
      cross join lateral (select e.is_counted and e.attempt >= $${p}::integer as is_used_up) u
      cross join lateral (
        select case when u.is_used_up then 'flagged' when e.may_wait then 'failed' else 'queued' end as status,
          not u.is_used_up
            and coalesce(c.failing <= $${p + 5}::integer and (c.is_proven or c.failing_ranges <= $${p + 4}::integer), false)
            as is_halved
      ) v
    ), upper_halves as (
      insert into app.worker_leases (worker_type, from_height, to_height, generation, status, attempt, not_before, failed_at,
        last_error, last_error_code, last_error_stack)
      select worker_type, middle, to_height, generation, status, attempt, not_before, now(), error, code, stack
      from judged where middle is not null
    )
    update app.worker_leases l
    set status = j.status, attempt = l.attempt - (not j.is_counted)::integer, expiries = l.expiries + j.is_expiry::integer,
      to_height = coalesce(j.middle, l.to_height), not_before = j.not_before,
      leased_by = null, lease_expires_at = null, enqueued_at = case when j.status = 'queued' then now() end,
      last_error = j.error, last_error_code = j.code, last_error_stack = j.stack, failed_at = now(), updated_at = now()
    from judged j
    where l.worker_type = j.worker_type and l.from_height = j.from_height
    returning l.worker_type, l.from_height, l.to_height, l.generation, l.attempt, l.status, j.middle is not null as is_halved`
}

export function endRunsValues(policy: RetryPolicy): number[] {
  const { maxRuns, baseMs, capMs, halveAfterRuns, maxFailingUnproven, maxFailing } = policy
  return [maxRuns, baseMs, capMs, halveAfterRuns, maxFailingUnproven, maxFailing]
}

export function asEndedRun(row: EndedRow): EndedRun {
  return {
    worker: row.worker_type,
    from: Number(row.from_height),
    to: Number(row.to_height),
    status: row.status,
    attempt: row.attempt,
    isHalved: row.is_halved,
  }
}
