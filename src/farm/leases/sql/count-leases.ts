import type pg from 'pg'
import type { LeaseFilter } from './list-leases.ts'

/** How many leases `listLeases` would list on all its pages, by the index on open leases. */
export async function countLeases(
  db: pg.Pool | pg.ClientBase,
  { workers, statuses, code }: Omit<LeaseFilter, 'after' | 'limit'>,
): Promise<number> {
  const { rows } = await db.query<{ count: string }>({
    name: 'farm-count-leases',
    text: `
      select count(*) from app.worker_leases
      where worker_type = any ($1::text[]) and status = any ($2::text[])
        and status in ('queued', 'active', 'failed', 'flagged', 'skipped')
        and ($3::text is null or last_error_code = $3)`,
    values: [workers, statuses, code ?? null],
  })
  return Number(rows[0]?.count ?? 0)
}
