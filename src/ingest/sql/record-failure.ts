import type pg from 'pg'
import { pgText } from '../../db/copy/pg-text.ts'

/** Characters of a reason that are kept: nodes can answer with anything. */
const reasonLength = 1000

/** Records that a height failed again. @returns for how long it has failed, and whether an operator skips it */
export async function recordFailure(
  pool: pg.Pool, failure: { readonly height: number; readonly ingester: string; readonly reason: string },
): Promise<{ readonly failingMs: number; readonly isSkipped: boolean }> {
  const { rows } = await pool.query<{ failing_ms: number; is_skipped: boolean }>({
    name: 'ingest-record-failure',
    text: `
      insert into raw.failing_heights as f (height, ingester, reason) values ($1, $2, $3)
      on conflict (height) do update
      set ingester = excluded.ingester, reason = excluded.reason, attempts = f.attempts + 1, last_failed_at = now()
      returning (extract(epoch from now() - failing_since) * 1000)::float8 as failing_ms,
        skip_requested_at is not null as is_skipped`,
    values: [failure.height, failure.ingester, pgText(failure.reason.slice(0, reasonLength))],
  })
  return { failingMs: rows[0]?.failing_ms ?? 0, isSkipped: rows[0]?.is_skipped ?? false }
}
