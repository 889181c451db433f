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
 * such a range is tried again as it is and never halved. One that only waited does not count as a run. By primary key.
 * @returns what became of those that were still held
 */
export async function failLeases(
  db: pg.Pool | pg.ClientBase,
  runs: readonly FailedRun[],
  policy = defaultRetryPolicy,
): Promise<EndedRun[]> {
  const sorted = inLockOrder(runs)
  const errors = sorted.map((run) => asError(run.error))
  const { rows } = await db.query<EndedRow>({
    name: 'farm-fail-leases',
    text: `
      with ended as materialized (
        select ${endedColumns}, false as is_expiry, true as may_wait, k.may_halve, k.is_counted, k.error, k.code, k.stack
        from unnest(
          $1::text[], $2::bigint[], $3::bigint[], $4::bigint[], $5::boolean[], $6::text[], $7::text[], $8::text[], $9::boolean[])
          as k (worker_type, from_height, to_height, generation, may_halve, error, code, stack, is_counted)
        join app.worker_leases l using (worker_type, from_height, to_height, generation)
        where l.status = 'active'
        order by l.worker_type, l.from_height
        for update of l
      ), ${endRuns(10)}`,
    values: [
      sorted.map((run) => run.worker),
      sorted.map((run) => run.from),
      sorted.map((run) => run.to),
      sorted.map((run) => run.generation),
      errors.map((error) => !(error instanceof RetryableError)),
      errors.map((error) => stored(error.message)),
      errors.map(codeOf),
      errors.map((error) => (error.stack === undefined ? null : stored(error.stack))),
      errors.map(isCounted),
      ...endRunsValues(policy),
    ],
  })
  return rows.map(asEndedRun)
}

/**
 * Of RetryableErrors: the range was waiting, for a connection or for a lock of another range, and says nothing about
 * itself. It is tried again for as long as that lasts.
 */
const waitingCodes: ReadonlySet<string> = new Set([
  'database-unreachable',
  'database-starting',
  'too-many-connections',
  'lock-not-available',
])

function isCounted(error: Error): boolean {
  return !(error instanceof RetryableError && waitingCodes.has(error.code))
}

function codeOf(error: Error): string {
  return error instanceof FlowfarmError ? error.code : pgText(error.name)
}

function stored(text: string): string {
  return pgText(text.slice(0, mostText))
}
