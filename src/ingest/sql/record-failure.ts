import type pg from 'pg'
import { pgText } from '../../db/copy/pg-text.ts'

/** Characters of a reason that are kept: nodes can answer with anything. */
const reasonLength = 1000

/**
 * Records that a height failed again. It has failed for as long as its neighbour, where that was given up for the same cause.
 * @returns for how long it has failed, and whether an operator skips it
 */
export async function recordFailure(
  pool: pg.Pool,
  failure: {
    readonly height: number
    readonly neighbour: number
    readonly ingester: string
    readonly cause: string
    readonly reason: string
  },
): Promise<{ readonly failingMs: number; readonly isSkipped: boolean }> {
  const { rows } = await pool.query<{ failing_ms: number; is_skipped: boolean }>({
    name: 'ingest-record-failure',
    text: `
      insert into raw.failing_heights as f (height, ingester, reason, cause, failing_since)
      values ($1, $2, $3, $4, coalesce((
        select failing_since from raw.failing_heights where height = $5 and cause = $4 and given_up_at is not null
      ), now()))
      on conflict (height) do update
      set ingester = excluded.ingester, reason = excluded.reason, cause = excluded.cause, attempts = f.attempts + 1,
        failing_since = least(f.failing_since, excluded.failing_since), last_failed_at = now(), given_up_at = null
      returning (extract(epoch from now() - failing_since) * 1000)::float8 as failing_ms,
        skip_requested_at is not null as is_skipped`,
    values: [
      failure.height,
      failure.ingester,
      pgText(failure.reason.slice(0, reasonLength)),
      failure.cause,
      failure.neighbour,
    ],
  })
  return { failingMs: rows[0]?.failing_ms ?? 0, isSkipped: rows[0]?.is_skipped ?? false }
}

/** From now on the height is not waited for; its row is the clock of the run until the height is stored or retried. */
export async function recordGivenUp(pool: pg.Pool, height: number): Promise<void> {
  await pool.query('update raw.failing_heights set given_up_at = now() where height = $1', [height])
}
