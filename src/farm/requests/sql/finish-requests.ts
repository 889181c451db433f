import type pg from 'pg'
import { leasesFrom } from '../../leases/leases-from.ts'

/**
 * Marks open requests as finished whose workers have all done the heights, or had them skipped; and notes for the
 * others which of their workers are not among `enabled`. Linear in the pieces of coverage of the workers.
 * @returns the requests that are finished now
 */
export async function finishRequests(db: pg.Pool | pg.ClientBase, enabled: readonly string[]): Promise<number[]> {
  const { rows } = await db.query<{ id: number; finished: boolean }>({
    name: 'farm-finish-requests',
    text: `
      with open as materialized (
        select r.id, not exists (
          select from unnest(r.workers) as w (worker)
          left join app.indexing_checkpoints c on c.service_name = w.worker
          cross join lateral (
            select coalesce(range_agg(int8range(l.from_height, l.to_height)), '{}') as heights
            from app.worker_leases l
            where ${leasesFrom('w.worker', 'r.from_height')} and l.from_height < r.to_height
              and l.status in ('done', 'skipped')
          ) l
          where not (coalesce(c.covered, '{}') + l.heights @> int8range(r.from_height, r.to_height))
        ) as is_done,
          array(select w.worker from unnest(r.workers) as w (worker) where w.worker <> all ($1::text[])) as workers_off
        from app.backfill_requests r
        where r.finished_at is null
      )
      update app.backfill_requests r
      set finished_at = case when o.is_done then now() end, workers_off = o.workers_off
      from open o
      where r.id = o.id and (o.is_done or r.workers_off <> o.workers_off)
      returning r.id::float8 as id, o.is_done as finished`,
    values: [enabled],
  })
  return rows.filter(({ finished }) => finished).map(({ id }) => id)
}
