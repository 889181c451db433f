import type pg from 'pg'
import { query } from '../../db/pool.ts'
import type { FaultDrill } from './fault-drill.ts'

interface Row {
  readonly worker_type: string
  readonly from_height: string
  readonly to_height: string
  readonly reason: string | null
  readonly created_at: Date
}

/** The drills that are set, by the name of the worker. */
export async function listDrills(db: pg.Pool | pg.ClientBase): Promise<FaultDrill[]> {
  const { rows } = await query<Row>(db, 'select * from app.fault_drills order by worker_type')
  return rows.map((row) => ({
    worker: row.worker_type,
    from: Number(row.from_height),
    to: Number(row.to_height),
    reason: row.reason,
    createdAt: row.created_at.toISOString(),
  }))
}
