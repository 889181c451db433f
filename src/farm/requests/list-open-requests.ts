import type pg from 'pg'

/** A request that is not finished. */
export interface OpenRequest {
  readonly id: number
  readonly workers: readonly string[]
  readonly from: number
  /** Exclusive. */
  readonly to: number
  /** Those of its workers that are switched off where the farm is coordinated. */
  readonly workersOff: readonly string[]
  readonly createdAt: Date
}

/** Requests that are not finished, the oldest first; a few at most, as a rule. */
export async function listOpenRequests(db: pg.Pool | pg.ClientBase): Promise<OpenRequest[]> {
  const { rows } = await db.query<OpenRequest>(`
    select id::float8 as id, workers, from_height::float8 as from, to_height::float8 as to, workers_off as "workersOff",
      created_at as "createdAt"
    from app.backfill_requests where finished_at is null order by id limit 1000`)
  return rows
}
