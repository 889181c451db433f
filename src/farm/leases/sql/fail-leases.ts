import type pg from 'pg'
import { asError, FlowfarmError, RetryableError } from '../../../base/errors.ts'
import { pgText } from '../../../db/copy/pg-text.ts'
import { asEndedRun, endedColumns, endRuns, endRunsValues } from '../end-runs.ts'
import type { EndedRow } from '../end-runs.ts'
import { inLockOrder } from '../lease.ts'
import type { EndedRun, LeaseClaim } from '../lease.ts'
import { defaultRetryPolicy } from '../retry-policy.ts'

export interface FailedRun extends LeaseClaim {
  readonly error: unknown
}

/** What is kept of a message or a stack, in characters. */
const mostText = 10_000

/**
 * active → failed or flagged, with the error. A RetryableError (a connection that broke, say) is not the range's fault:
 * such a range is tried again as it is and never halved. By primary key.
 * @returns what became of those that were still held
 */
export async function failLeases(
  db: pg.Pool | pg.ClientBase, runs: readonly FailedRun[], policy = defaultRetryPolicy,
): Promise<EndedRun[]> {
  const sorted = inLockOrder(runs)
  const errors = sorted.map((run) => asError(run.error))
  const { rows } = await db.query<EndedRow>({
    name: 'farm-fail-leases',
    text: `
      with ended as materialized (
        select ${endedColumns}, false as is_expiry, true as may_wait, k.may_halve, k.error, k.code, k.stack
        from unnest($1::text[], $2::bigint[], $3::bigint[], $4::boolean[], $5::text[], $6::text[], $7::text[])
          as k (worker_type, from_height, generation, may_halve, error, code, stack)
        join app.worker_leases l using (worker_type, from_height, generation)
        where l.status = 'active'
        order by l.worker_type, l.from_height
        for update of l
      ), ${endRuns(8)}`,
    values: [
      sorted.map((run) => run.worker), sorted.map((run) => run.from), sorted.map((run) => run.generation),
      errors.map((error) => !(error instanceof RetryableError)), errors.map((error) => stored(error.message)), errors.map(codeOf),
      errors.map((error) => (error.stack === undefined ? null : stored(error.stack))), ...endRunsValues(policy),
    ],
  })
  return rows.map(asEndedRun)
}

function codeOf(error: Error): string {
  return error instanceof FlowfarmError ? error.code : pgText(error.name)
}

function stored(text: string): string {
  return pgText(text.slice(0, mostText))
}
