import type pg from 'pg'
import type { HeightRange } from '../../../base/ranges.ts'
import type { LeaseStatus } from '../../leases/lease.ts'
import { leasesFrom } from '../../leases/leases-from.ts'

/** What one worker has of a range of heights. */
export interface RequestRow {
  readonly worker: string
  /** Folded coverage within the heights, as a multirange. */
  readonly covered: string
  /** Leases that reach into the heights, by state, as multiranges. */
  readonly leases: Readonly<Partial<Record<LeaseStatus, string>>>
  /** When the next failed lease is tried again. */
  readonly nextTry: Date | null
}

/** Coverage and leases of workers within heights, in one snapshot. Linear in the pieces of coverage of the workers. */
export async function readRequestRows(
  db: pg.Pool | pg.ClientBase,
  workers: readonly string[],
  { from, to }: HeightRange,
): Promise<RequestRow[]> {
  const { rows } = await db.query<RequestRow>({
    name: 'farm-request-rows',
    text: `
      select w.worker, (coalesce(c.covered, '{}') * int8multirange(int8range($2, $3)))::text as covered,
        coalesce(l.leases, '{}') as leases, l.next_try as "nextTry"
      from unnest($1::text[]) as w (worker)
      left join app.indexing_checkpoints c on c.service_name = w.worker
      cross join lateral (
        select jsonb_object_agg(s.status, s.heights) as leases, min(s.not_before) as next_try
        from (
          select l.status, range_agg(int8range(l.from_height, l.to_height))::text as heights,
            min(l.not_before) as not_before
          from app.worker_leases l
          where ${leasesFrom('w.worker', '$2::bigint')} and l.from_height < $3::bigint and l.to_height > $2::bigint
          group by l.status
        ) s
      ) l`,
    values: [workers, from, to],
  })
  return rows
}
