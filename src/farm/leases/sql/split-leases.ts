import type pg from 'pg'
import type { LeaseKey } from '../lease.ts'
import { chooseTroubled, keyValues } from './choose-troubled.ts'

/** `step`: the length of a piece, which $3 pieces make. */
const splitColumns = `l.worker_type, l.from_height, l.to_height, l.generation, l.last_error, l.last_error_code, l.last_error_stack,
          ceil((l.to_height - l.from_height) / greatest($3::numeric, 1))::bigint as step`

/**
 * flagged, failed → queued, as up to `pieces` leases of about the same length in place of each. The count of runs begins
 * anew. A range of one block is only queued.
 * @returns how many leases there are now in their place
 */
export async function splitLeases(db: pg.Pool | pg.ClientBase, keys: readonly LeaseKey[], pieces = 2): Promise<number> {
  const { rows } = await db.query<{ count: string }>({
    name: 'farm-split-leases',
    text: `
      with ${chooseTroubled(splitColumns)}, others as (
        insert into app.worker_leases (worker_type, from_height, to_height, generation, last_error, last_error_code, last_error_stack)
        select worker_type, piece, least(piece + step, to_height), generation, last_error, last_error_code, last_error_stack
        from chosen cross join lateral generate_series(from_height + step, to_height - 1, step) as piece
        returning 1
      ), first as (
        update app.worker_leases l
        set status = 'queued', to_height = least(l.from_height + c.step, l.to_height), attempt = 0, expiries = 0,
          not_before = null, enqueued_at = null, updated_at = now()
        from chosen c
        where l.worker_type = c.worker_type and l.from_height = c.from_height
        returning 1
      )
      select (select count(*) from others) + (select count(*) from first) as count`,
    values: [...keyValues(keys), pieces],
  })
  return Number(rows[0]?.count ?? 0)
}
