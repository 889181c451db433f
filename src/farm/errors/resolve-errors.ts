import type pg from 'pg'
import { query } from '../../db/pool.ts'

/** Which errors are meant: those with these ids, or all of a worker, or both. */
export interface ErrorChoice {
  readonly ids?: readonly number[] | undefined
  readonly worker?: string | undefined
}

/**
 * Marks indexing errors as resolved. One that is met again is open again, so that nothing is hidden for good.
 * @returns how many were open
 */
export async function resolveErrors(pool: pg.Pool, { ids, worker }: ErrorChoice): Promise<number> {
  const { rowCount } = await query(
    pool,
    `update raw.indexing_errors set resolved_at = now()
     where resolved_at is null and ($1::bigint[] is null or id = any ($1)) and ($2::text is null or worker_name = $2)`,
    [ids ?? null, worker ?? null],
  )
  return rowCount ?? 0
}
