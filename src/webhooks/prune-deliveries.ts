import type pg from 'pg'
import { query } from '../platform/db/pool.ts'

/** Rows that one statement removes at most, so that none holds many for long. */
const rowsAtOnce = 5000

/**
 * Removes deliveries that were finished long ago, with their failures, and what was counted then; those that somebody has in hand
 * are left for the next time. @returns how many deliveries went
 */
export async function pruneDeliveries(pool: pg.Pool, days: number): Promise<number> {
  await query(pool, 'delete from app.webhook_usage where hour < now() - make_interval(days => $1)', [days])
  let pruned = 0
  for (let removed = rowsAtOnce; removed === rowsAtOnce; pruned += removed) {
    const { rowCount } = await query(
      pool,
      `delete from app.webhook_deliveries where ctid = any (array(
         select ctid from app.webhook_deliveries where finished_at < now() - make_interval(days => $1)
         order by finished_at limit $2 for update skip locked
       ))`,
      [days, rowsAtOnce],
    )
    removed = rowCount ?? 0
  }
  return pruned
}
