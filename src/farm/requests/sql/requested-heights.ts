import type pg from 'pg'
import { parseMultirange } from '../../../base/ranges.ts'
import type { HeightSet } from '../../../base/ranges.ts'

/** Requests that are looked at, the oldest; more wait until some of them are finished. */
const mostOpen = 1000

/** The heights of open requests, by worker. By the index on open requests, which is nearly always empty. */
export async function readRequestedHeights(db: pg.Pool | pg.ClientBase): Promise<Map<string, HeightSet>> {
  const { rows } = await db.query<{ worker: string; heights: string }>({
    name: 'farm-requested-heights',
    text: `
      select w.worker, range_agg(int8range(r.from_height, r.to_height))::text as heights
      from (select * from app.backfill_requests where finished_at is null order by id limit ${mostOpen}) r
      cross join unnest(r.workers) as w (worker)
      group by w.worker`,
  })
  return new Map(rows.map(({ worker, heights }) => [worker, parseMultirange(heights)]))
}
