import type pg from 'pg'
import { query } from '../../db/pool.ts'

/**
 * Deletes requests of a person that were finished `days` ago; those that are open stay, however old.
 * @returns how many there were
 */
export async function pruneRequests(db: pg.Pool | pg.ClientBase, days: number): Promise<number> {
  const { rowCount } = await query(
    db,
    "delete from app.backfill_requests where finished_at < now() - $1 * interval '1 day'",
    [days],
  )
  return rowCount ?? 0
}
