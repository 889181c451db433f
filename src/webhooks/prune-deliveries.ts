import type pg from 'pg'
import { query } from '../db/pool.ts'

/** Rows that one statement removes at most. */
const rowsAtOnce = 10_000

/** Removes deliveries that were finished long ago, with their failures. @returns how many */
export async function pruneDeliveries(pool: pg.Pool, days: number): Promise<number> {
  const { rowCount } = await query(
    pool,
    `delete from app.webhook_deliveries where ctid = any (array(
       select ctid from app.webhook_deliveries where finished_at < now() - make_interval(days => $1) order by finished_at limit $2
     )) and finished_at < now() - make_interval(days => $1)`,
    [days, rowsAtOnce],
  )
  return rowCount ?? 0
}
