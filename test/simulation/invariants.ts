import type pg from 'pg'
import type { Worker } from '../../jobs/worker.ts'
import { ingesterServices } from '../../src/farm/leases/coverage.ts'

/**
 * Invariants that hold at every moment, checked in one snapshot. Returns one line per violation.
 *
 * - The leases of a worker do not overlap, and covered heights have only completed leases.
 * - Only heights in the raw tables are covered.
 * - Heights covered by a worker are covered by all workers it follows, or skipped by an operator.
 */
export async function findViolations(pool: pg.Pool, workers: readonly Worker[]): Promise<string[]> {
  const edges = workers.flatMap(({ name, follows }) => follows.map((followed) => ({ name, followed })))
  const { rows } = await pool.query<{ line: string }>({
    name: 'simulation-violations',
    text: `
      with raw as materialized (
        select coalesce(range_agg(covered), '{}') as heights from app.indexing_checkpoints where service_name = any ($1::text[])
      ), lease as materialized (
        select worker_type as worker, int8range(from_height, to_height) as heights, status from app.worker_leases
      ), folded as materialized (
        select service_name as worker, covered from app.indexing_checkpoints where service_name <> all ($1::text[])
      ), passable as materialized (
        select f.worker, f.covered as folded,
          f.covered + coalesce((select range_agg(l.heights) from lease l where l.worker = f.worker and l.status = 'done'), '{}') as covered,
          coalesce((select range_agg(l.heights) from lease l where l.worker = f.worker and l.status = 'skipped'), '{}') as skipped
        from folded f
      )
      select format('leases of %s overlap: %s %s and %s %s', a.worker, a.heights, a.status, b.heights, b.status) as line
      from lease a join lease b on a.worker = b.worker and lower(a.heights) < lower(b.heights) and a.heights && b.heights
      union all
      select format('%s has covered %s and has a lease of it that is %s', f.worker, l.heights * range_merge(f.covered * int8multirange(l.heights)), l.status)
      from lease l join folded f on f.worker = l.worker and f.covered && l.heights
      union all
      select format('%s has covered %s, which is not stored', p.worker, p.covered - raw.heights)
      from passable p, raw where not p.covered <@ raw.heights
      union all
      select format('%s has covered %s, which %s has not', p.worker, p.covered - f.covered - f.skipped, f.worker)
      from unnest($2::text[], $3::text[]) as e (worker, followed)
      join passable p on p.worker = e.worker join passable f on f.worker = e.followed
      where not p.covered <@ f.covered + f.skipped`,
    values: [ingesterServices, edges.map(({ name }) => name), edges.map(({ followed }) => followed)],
  })
  return rows.map(({ line }) => line)
}

export interface FarmProgress {
  /** All workers have covered the heights 0 to `last`, and all leases are completed. */
  readonly isComplete: boolean
  /** Leases that require operator action. */
  readonly failing: readonly {
    readonly worker: string
    readonly from: number
    readonly to: number
    readonly status: string
  }[]
}

/** Progress of the workers. */
export async function readProgress(pool: pg.Pool, workers: readonly Worker[], last: number): Promise<FarmProgress> {
  const { rows } = await pool.query<{ behind: number; open: number; failing: FarmProgress['failing'] }>({
    name: 'simulation-progress',
    text: `
      select
        (select count(*)::int from unnest($1::text[]) as w left join app.coverage c on c.service_name = w
         where (c.covered @> int8range(0, $2)) is not true) as behind,
        (select count(*)::int from app.worker_leases where worker_type = any ($1) and status <> 'done') as open,
        (select coalesce(json_agg(json_build_object('worker', worker_type, 'from', from_height, 'to', to_height, 'status', status)), '[]')
         from app.worker_leases where worker_type = any ($1) and status in ('failed', 'flagged', 'skipped')) as failing`,
    values: [workers.map(({ name }) => name), last + 1],
  })
  const [row] = rows
  return { isComplete: row?.behind === 0 && row.open === 0, failing: row?.failing ?? [] }
}

/** The state of the farm, for the message of a failed history. */
export async function describeState(pool: pg.Pool): Promise<string> {
  const { rows: checkpoints } = await pool.query<{ line: string }>(
    `select format('%s: %s (with done leases %s)', service_name, i.covered, c.covered) as line
     from app.indexing_checkpoints i join app.coverage c using (service_name) order by service_name`,
  )
  const { rows: leases } = await pool.query<{ line: string }>(
    `select format('%s %s-%s %s, attempt %s, g%s, by %s, expires in %s, due in %s, enqueued %s ago, %s', worker_type, from_height, to_height, status, attempt,
       generation, leased_by, lease_expires_at - now(), not_before - now(), now() - enqueued_at, last_error) as line
     from app.worker_leases where status <> 'done' order by worker_type, from_height`,
  )
  const { rows: sessions } = await pool.query<{ line: string }>(
    `select format('%s (%s %s, for %s): %s', application_name, state, wait_event, now() - state_change, left(regexp_replace(query, '\\s+', ' ', 'g'), 100)) as line
     from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid() order by 1`,
  )
  const section = (title: string, lines: readonly { line: string }[]): string[] => [
    `${title}:`,
    ...lines.map(({ line }) => `  ${line}`),
  ]
  return [
    ...section('coverage', checkpoints),
    ...section('open leases', leases),
    ...section('sessions', sessions),
  ].join('\n')
}
