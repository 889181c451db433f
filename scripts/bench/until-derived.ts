import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import { workers } from '../../jobs/index.ts'

/** Resolves when every worker has derived that many heights. */
export async function untilDerived(pool: pg.Pool, blocks: number): Promise<void> {
  for (;;) {
    const { rows } = await pool.query<{ done: string }>(
      `select count(*) as done from app.coverage where service_name not like '%ingester'
         and (select sum(upper(r) - lower(r)) from unnest(covered) as r) >= $1`,
      [blocks],
    )
    if (Number(rows[0]?.done) >= workers.length) return
    await delay(100)
  }
}
