import type pg from 'pg'
import { query } from '../../db/pool.ts'

/** Most rows that one call deletes: their raw data may be large. */
const mostAtOnce = 10_000

/**
 * Deletes indexing errors that were met no more `days` ago. What is unresolved stays for ever.
 * @returns how many there were
 */
export async function pruneErrors(db: pg.Pool | pg.ClientBase, days: number): Promise<number> {
  const { rowCount } = await query(
    db,
    `delete from raw.indexing_errors
     where id in (select id from raw.indexing_errors where resolved_at < now() - $1 * interval '1 day' limit ${mostAtOnce})`,
    [days],
  )
  return rowCount ?? 0
}
