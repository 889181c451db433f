import type pg from 'pg'
import { parseMultirange } from '../../platform/ranges.ts'
import type { HeightSet } from '../../platform/ranges.ts'
import { ingesterServices, leasesFrom } from '../leases/coverage.ts'
import { asLease, leaseColumns } from '../leases/leases.ts'
import type { LeaseRow, QueuedLease } from '../leases/leases.ts'
import type { PlannedRange, WorkerPlan } from './plan-ranges.ts'

interface PlanSettings {
  readonly RAW_ONLY: boolean
  readonly LIVE_DERIVERS_CHUNK: number
  readonly HISTORY_DERIVERS_CHUNK: number
}

/** None with RAW_ONLY, else those whose ENABLE_<name> is not false. */
export function planWorkers(
  config: PlanSettings,
  workers: readonly Pick<WorkerPlan, 'name' | 'follows'>[],
): WorkerPlan[] {
  if (config.RAW_ONLY) return []
  const settings = new Map<string, unknown>(Object.entries(config))
  return workers
    .filter(({ name }) => settings.get(`ENABLE_${name.toUpperCase()}`) !== false)
    .map(({ name, follows }) => {
      const range = settings.get(`${name.toUpperCase()}_RANGE`)
      const longest = typeof range === 'number' ? range : Number.MAX_SAFE_INTEGER
      return {
        name,
        follows,
        liveChunk: Math.min(longest, config.LIVE_DERIVERS_CHUNK),
        historyChunk: Math.min(longest, config.HISTORY_DERIVERS_CHUNK),
      }
    })
}

interface BacklogRow {
  readonly worker: string
  readonly pending: string
  readonly passable: string
  readonly reached: string | null
}

export interface WorkerHeights {
  /** Stored, not covered and in no lease. */
  readonly pending: HeightSet
  /** Done or skipped: followers may derive them. */
  readonly passable: HeightSet
  /** End of the newest coverage or lease. */
  readonly reached: number | undefined
}

/**
 * From `lowest` up. Requires `lockCheckpoints`. Linear in the ranges of the window's sets.
 *
 * @param span heights below the head that are searched
 * @param lowest searched as well, e.g. the lowest requested height
 */
export async function readBacklogs(
  client: pg.ClientBase,
  workers: readonly string[],
  span: number,
  lowest?: number,
): Promise<ReadonlyMap<string, WorkerHeights>> {
  const { rows } = await client.query<BacklogRow>({
    name: 'farm-read-backlogs',
    text: `
      with raw as materialized (
        select covered * int8multirange(int8range(lowest, null)) as covered, lowest
        from (
          select coalesce(range_agg(covered), '{}') as covered, least(max(upper(covered)) - $2::bigint, $3::bigint) as
            lowest
          from app.indexing_checkpoints where service_name = any ($1::text[])
        ) r
        where lowest is not null
      )
      select w.worker, (raw.covered - done.covered - taken.heights)::text as pending,
        (done.covered + taken.passable)::text as passable, greatest(upper(own.covered), newest.to_height) as reached
      from raw cross join unnest($4::text[]) as w (worker)
      left join app.indexing_checkpoints own on own.service_name = w.worker
      cross join lateral (
        select coalesce(own.covered * int8multirange(int8range(raw.lowest, null)), '{}') as covered
      ) done
      cross join lateral (
        select coalesce(range_agg(int8range(l.from_height, l.to_height)), '{}') as heights,
          coalesce(range_agg(int8range(l.from_height, l.to_height)) filter (where l.status in ('done', 'skipped')),
            '{}') as passable
        from app.worker_leases l where ${leasesFrom('w.worker', 'raw.lowest')}
      ) taken
      left join lateral (
        select l.to_height from app.worker_leases l where l.worker_type = w.worker order by l.from_height desc
          limit 1
      ) newest on true`,
    values: [ingesterServices, span, lowest ?? null, workers],
  })
  return new Map(
    rows.map(({ worker, pending, passable, reached }) => [
      worker,
      {
        pending: parseMultirange(pending),
        passable: parseMultirange(passable),
        reached: reached === null ? undefined : Number(reached),
      },
    ]),
  )
}

/** Requires `lockCheckpoints`. @returns the leases in the order of the ranges */
export async function insertLeases(client: pg.ClientBase, ranges: readonly PlannedRange[]): Promise<QueuedLease[]> {
  const leases = ranges.flatMap(({ workers, from, to }) =>
    workers.map((worker): QueuedLease => ({ worker, from, to, generation: 0, attempt: 0 })),
  )
  if (leases.length === 0) return []
  await client.query({
    name: 'farm-insert-leases',
    text: `
      insert into app.worker_leases (worker_type, from_height, to_height, enqueued_at)
      select l.*, now() from unnest($1::text[], $2::bigint[], $3::bigint[]) as l (worker_type, from_height, to_height)`,
    values: [leases.map(({ worker }) => worker), leases.map(({ from }) => from), leases.map(({ to }) => to)],
  })
  return leases
}

/**
 * Never enqueued, or longer than `staleMs` ago.
 *
 * @returns leases to enqueue; the queue must ignore jobs that are still there
 */
export async function reenqueueLeases(
  db: pg.Pool | pg.ClientBase,
  workers: readonly string[],
  staleMs: number,
): Promise<QueuedLease[]> {
  const { rows } = await db.query<LeaseRow>({
    name: 'farm-reenqueue-leases',
    text: `
      with stale as materialized (
        select l.worker_type, l.from_height
        from app.worker_leases l
        where l.status = 'queued' and l.worker_type = any ($1::text[])
          and (l.enqueued_at is null or l.enqueued_at < now() - $2 * interval '1 ms')
        order by l.worker_type, l.from_height
        for update of l skip locked
      )
      update app.worker_leases l
      set enqueued_at = now()
      from stale s
      where l.worker_type = s.worker_type and l.from_height = s.from_height
      returning ${leaseColumns}`,
    values: [workers, staleMs],
  })
  return rows.map(asLease)
}

const maxDueAtOnce = 1000

export async function requeueDueLeases(
  db: pg.Pool | pg.ClientBase,
  workers: readonly string[],
): Promise<QueuedLease[]> {
  const { rows } = await db.query<LeaseRow>({
    name: 'farm-requeue-due-leases',
    text: `
      with due as materialized (
        select l.worker_type, l.from_height
        from app.worker_leases l
        where l.status = 'failed' and l.not_before <= now() and l.worker_type = any ($1::text[])
        order by l.not_before
        limit ${maxDueAtOnce}
        for update of l skip locked
      )
      update app.worker_leases l
      set status = 'queued', not_before = null, enqueued_at = now(), updated_at = now()
      from due d
      where l.worker_type = d.worker_type and l.from_height = d.from_height
      returning ${leaseColumns}`,
    values: [workers],
  })
  return rows.map(asLease)
}
