import type pg from 'pg'
import { toMultirange } from '../../platform/ranges.ts'
import type { HeightSet } from '../../platform/ranges.ts'
import { ingesterServices, leasesFrom } from '../leases/coverage.ts'
import { asLease, leaseColumns } from '../leases/leases.ts'
import type { LeaseRow, QueuedLease } from '../leases/leases.ts'

export interface WorkerPlan {
  readonly name: string
  /** `[]` if only the raw tables are read. */
  readonly follows: readonly string[]
  readonly liveChunk: number
  readonly historyChunk: number
}

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

export interface Allowance {
  readonly plan: WorkerPlan
  readonly liveCapacity: number
  readonly historyCapacity: number
  /** Below the highest stored height. */
  readonly span: number
  /** Ignores `span`. */
  readonly within?: HeightSet
}

export interface AllocationOptions {
  /** Allocated in live chunks. */
  readonly liveBlocks: number
  /** False: allocate only the live zone and heights above the worker's newest lease or coverage. */
  readonly isHistoryEnabled: boolean
}

/**
 * Head first, then the newest history. Requires `lockCheckpoints`. Linear in the ranges of the
 * window's sets.
 */
export async function allocateLeases(
  client: pg.ClientBase,
  allowances: readonly Allowance[],
  { liveBlocks, isHistoryEnabled }: AllocationOptions,
): Promise<QueuedLease[]> {
  const groups = new Map(allowances.map(({ plan }) => [groupOf(plan), plan.follows]))
  const edges = [...groups].flatMap(([group, follows]) => follows.map((followed) => ({ group, followed })))
  const { rows } = await client.query<LeaseRow>({
    name: 'farm-allocate-leases',
    text: allocationStatement,
    values: [
      ingesterServices,
      liveBlocks,
      isHistoryEnabled,
      allowances.map((a) => a.plan.name),
      allowances.map((a) => a.plan.liveChunk),
      allowances.map((a) => a.liveCapacity),
      allowances.map((a) => a.plan.historyChunk),
      allowances.map((a) => a.historyCapacity),
      allowances.map((a) => a.span),
      allowances.map((a) => groupOf(a.plan)),
      edges.map((edge) => edge.group),
      edges.map((edge) => edge.followed),
      allowances.map(({ within }) => (within === undefined ? null : toMultirange(within))),
    ],
  })
  return rows.map(asLease)
}

function groupOf(plan: WorkerPlan): string {
  return plan.follows.toSorted().join(',')
}

function startsBelow(ceiling: string): string {
  return `(${ceiling} is null or l.from_height < ${ceiling})`
}

const allocationStatement = `
  with raw as materialized (
    select covered, upper(covered) as head
    from (
      select coalesce(range_agg(covered), '{}') as covered from app.indexing_checkpoints where service_name = any
        ($1::text[])
    ) r
  ), plan as materialized (
    select p.*, raw.head - $2::bigint as live_from, coalesce(lower(p.within), raw.head - p.span) as lowest,
      upper(p.within) as ceiling
    from raw cross join unnest(
      $4::text[], $5::bigint[], $6::bigint[], $7::bigint[], $8::bigint[], $9::bigint[], $10::text[],
        $13::int8multirange[])
      as p (worker_type, live_chunk, live_max, history_chunk, history_max, span, follow_group, within)
    where raw.head is not null and p.live_max + p.history_max > 0
  ), edge as materialized (
    select e.follow_group, e.followed, p.lowest, p.ceiling
    from unnest($11::text[], $12::text[]) as e (follow_group, followed) cross join lateral (
      select min(p.lowest) as lowest, case when every(p.ceiling is not null) then max(p.ceiling) end as ceiling
      from plan p where p.follow_group = e.follow_group
    ) p
  ), followed as materialized (
    select f.name, coalesce(c.covered * int8multirange(int8range(f.lowest, f.ceiling)), '{}') + l.heights as passable
    from (
      select e.followed as name, min(e.lowest) as lowest,
        case when every(e.ceiling is not null) then max(e.ceiling) end as ceiling
      from edge e where e.lowest is not null group by e.followed
    ) f
    left join app.indexing_checkpoints c on c.service_name = f.name
    cross join lateral (
      select coalesce(range_agg(int8range(l.from_height, l.to_height)), '{}') as heights
      from app.worker_leases l where ${leasesFrom('f.name', 'f.lowest')} and ${startsBelow('f.ceiling')}
        and l.status in ('done', 'skipped')
    ) l
  ), passable as materialized (
    select e.follow_group, range_intersect_agg(f.passable) as heights
    from edge e join followed f on f.name = e.followed group by e.follow_group
  ), owed as materialized (
    select p.*, w.owed - taken.heights as owed, greatest(upper(own.covered), newest.to_height) as reached
    from plan p cross join raw
    left join app.indexing_checkpoints own on own.service_name = p.worker_type
    cross join lateral (
      select coalesce(range_agg(int8range(l.from_height, l.to_height)), '{}') as heights
      from app.worker_leases l where ${leasesFrom('p.worker_type', 'p.lowest')} and ${startsBelow('p.ceiling')}
    ) taken
    left join lateral (
      select l.to_height from app.worker_leases l where l.worker_type = p.worker_type order by l.from_height desc
        limit 1
    ) newest on true
    left join passable on passable.follow_group = p.follow_group
    cross join lateral (
      select raw.covered * coalesce(passable.heights, '{(,)}') * coalesce(p.within,
        int8multirange(int8range(p.lowest, null)))
        - coalesce(own.covered * int8multirange(int8range(p.lowest, p.ceiling)), '{}') as owed
    ) w
  ), piece as (
    select o.worker_type, z.zone, z.chunk, z.max, lower(r) as low, upper(r) as high,
      coalesce(sum((upper(r) - lower(r) + z.chunk - 1) / z.chunk)
        over (partition by o.worker_type, z.zone order by lower(r) desc rows between unbounded preceding and 1
          preceding), 0) as before
    from owed o
    cross join lateral (values
      (1, o.live_chunk, o.live_max, int8range(o.live_from, null)),
      (2, o.history_chunk, o.history_max, int8range(
        case when $3::boolean then null else least(o.live_from, coalesce(o.reached, o.live_from)) end, o.live_from))
    ) as z (zone, chunk, max, heights)
    cross join lateral (
      select r from unnest(o.owed * int8multirange(z.heights)) as r order by lower(r) desc limit z.max
    ) r
  ), chunk as (
    select p.worker_type, greatest(p.low, c.top - p.chunk) as from_height, c.top as to_height
    from piece p
    cross join lateral generate_series(
      p.high, greatest(p.low + 1, p.high - (p.max - p.before - 1)::bigint * p.chunk), -p.chunk) as c (top)
    where p.before < p.max
  )
  insert into app.worker_leases as l (worker_type, from_height, to_height, enqueued_at)
  select worker_type, from_height, to_height, now() from chunk order by worker_type, from_height desc
  returning ${leaseColumns}`

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
