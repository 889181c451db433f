import type pg from 'pg'
import { query } from '../../db/pool.ts'
import { drillsChannel } from './fault-drill.ts'

/**
 * Clears the drill of one worker, or all. Ranges that failed meanwhile are tried again by themselves; those that were
 * flagged stay so until a person requeues them.
 * @returns how many there were
 */
export async function clearDrills(db: pg.Pool | pg.ClientBase, worker?: string): Promise<number> {
  const { rowCount } = await query(
    db,
    `with cleared as (delete from app.fault_drills where $1::text is null or worker_type = $1 returning worker_type)
     select pg_notify('${drillsChannel}', worker_type) from cleared`,
    [worker ?? null],
  )
  return rowCount ?? 0
}
