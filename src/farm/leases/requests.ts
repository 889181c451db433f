import type pg from 'pg'
import { announceChangedRows, announceFarmWork } from '../../platform/db/listen.ts'
import { query, withRetriedTransaction } from '../../platform/db/pool.ts'
import type { HeightRange, HeightSet } from '../../platform/ranges.ts'
import { addCheckpoints, lockCheckpoints, reopenHeights, leasesFrom } from './coverage.ts'
import { difference, intersection, parseMultirange, size, union } from '../../platform/ranges.ts'
import type { LeaseStatus } from './leases.ts'

export interface AddedRequest {
  readonly id: number
  /** Requested workers and the workers that they follow. */
  readonly workers: readonly string[]
}

/** @param workers all workers of the farm */
export async function addRequest(
  pool: pg.Pool,
  workers: readonly LinkedWorker[],
  names: readonly string[],
  range: HeightRange,
): Promise<AddedRequest> {
  return withRetriedTransaction(pool, async (client) => {
    const request = await insertRequest(client, withFollowed(workers, names), range)
    await announceFarmWork(client)
    return request
  })
}

/**
 * Old rows stay until they are replaced.
 *
 * @param workers all workers of the farm
 *
 * @returns the request and the workers that derive again
 */
export async function addRederiveRequest(
  pool: pg.Pool,
  workers: readonly LinkedWorker[],
  names: readonly string[],
  range: HeightRange,
): Promise<AddedRequest & { readonly reopened: readonly string[] }> {
  const reopened = withFollowers(workers, names)
  return withRetriedTransaction(pool, async (client) => {
    await addCheckpoints(client, reopened)
    await lockCheckpoints(client, reopened)
    await reopenHeights(client, reopened, range.from, range.to)
    const request = await insertRequest(client, withFollowed(workers, reopened), range)
    await announceChangedRows(client)
    return { ...request, reopened }
  })
}

async function insertRequest(
  client: pg.ClientBase,
  workers: readonly string[],
  range: HeightRange,
): Promise<AddedRequest> {
  const { rows } = await client.query<{ id: number }>(
    `insert into app.backfill_requests (workers, from_height, to_height) values ($1, $2, $3)
     returning id::float8 as id`,
    [workers, range.from, range.to],
  )
  return { id: rows[0]?.id ?? 0, workers }
}

export interface OpenRequest {
  readonly id: number
  readonly workers: readonly string[]
  readonly from: number
  /** Exclusive. */
  readonly to: number
  /** Workers disabled in the coordinator's process. */
  readonly workersOff: readonly string[]
  readonly createdAt: Date
}

export async function listOpenRequests(db: pg.Pool | pg.ClientBase): Promise<OpenRequest[]> {
  const { rows } = await db.query<OpenRequest>(`
    select id::float8 as id, workers, from_height::float8 as from, to_height::float8 as to, workers_off as "workersOff",
      created_at as "createdAt"
    from app.backfill_requests where finished_at is null order by id limit 1000`)
  return rows
}

/**
 * Linear in the ranges of coverage.
 *
 * @param enabled besides own workers, which any process may run
 *
 * @returns finished requests
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
          array(
            select w.worker from unnest(r.workers) as w (worker)
            where w.worker <> all ($1::text[]) and not exists (select from app.own_workers o where o.name = w.worker)
          ) as workers_off
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

/** @returns number of requests deleted */
export async function pruneRequests(db: pg.Pool | pg.ClientBase, days: number): Promise<number> {
  const { rowCount } = await query(
    db,
    "delete from app.backfill_requests where finished_at < now() - $1 * interval '1 day'",
    [days],
  )
  return rowCount ?? 0
}

interface LinkedWorker {
  readonly name: string
  readonly follows: readonly string[]
}

/** Direct and indirect ones, in the order of `workers`. */
export function withFollowers(workers: readonly LinkedWorker[], names: readonly string[]): string[] {
  return closure(workers, names, (worker, found) => worker.follows.some((name) => found.has(name)))
}

/** Direct and indirect ones, in the order of `workers`. */
export function withFollowed(workers: readonly LinkedWorker[], names: readonly string[]): string[] {
  return closure(workers, names, ({ name }, found) => {
    return workers.some((other) => found.has(other.name) && other.follows.includes(name))
  })
}

function closure(
  workers: readonly LinkedWorker[],
  names: readonly string[],
  belongs: (worker: LinkedWorker, found: ReadonlySet<string>) => boolean,
): string[] {
  const found = new Set(names)
  for (let before = -1; before < found.size;) {
    before = found.size
    for (const worker of workers) if (belongs(worker, found)) found.add(worker.name)
  }
  return workers.map(({ name }) => name).filter((name) => found.has(name))
}

export interface WorkerProgress {
  readonly worker: string
  /** Neither done nor skipped. */
  readonly backlog: HeightSet
  readonly done: HeightSet
  readonly skipped: HeightSet
  readonly active: HeightSet
  readonly failed: HeightSet
  readonly flagged: HeightSet
  readonly nextTry: Date | null
}

export interface RequestProgress {
  readonly workers: readonly WorkerProgress[]
  readonly isDone: boolean
  /** Only flagged heights, or heights that wait for them, are left. */
  readonly isStuck: boolean
}

/** @param workers all workers of the farm @param names reported with their followed workers */
export async function readRequestProgress(
  db: pg.Pool | pg.ClientBase,
  workers: readonly LinkedWorker[],
  names: readonly string[],
  range: HeightRange,
): Promise<RequestProgress> {
  const rows = await readRequestRows(db, names, range)
  const progress = rows.map((row) => progressOf(row, range))
  const passable = new Map(progress.map(({ worker, done, skipped }) => [worker, union(done, skipped)]))
  const canProgress = progress.some(({ worker, backlog, flagged }) => {
    const follows = workers.find(({ name }) => name === worker)?.follows ?? []
    const able = follows.reduce(
      (left, name) => intersection(left, passable.get(name) ?? []),
      difference(backlog, flagged),
    )
    return able.length > 0
  })
  const isDone = progress.every(({ backlog }) => backlog.length === 0)
  return { workers: progress, isDone, isStuck: !isDone && !canProgress }
}

function progressOf({ worker, covered, leases, nextTry }: RequestRow, range: HeightRange): WorkerProgress {
  const leased = (status: LeaseStatus): HeightSet => intersection(parseMultirange(leases[status] ?? ''), [range])
  const done = union(parseMultirange(covered), leased('done'))
  const skipped = difference(leased('skipped'), done)
  return {
    worker,
    done,
    skipped,
    backlog: difference(difference([range], done), skipped),
    active: leased('active'),
    failed: leased('failed'),
    flagged: leased('flagged'),
    nextTry,
  }
}

/** Backlog, counted once per worker. */
export function backlogCount({ workers }: RequestProgress): number {
  return workers.reduce((sum, { backlog }) => sum + size(backlog), 0)
}

interface RequestRow {
  readonly worker: string
  /** Within the range, as a multirange. */
  readonly covered: string
  /** Multirange per status. */
  readonly leases: Readonly<Partial<Record<LeaseStatus, string>>>
  readonly nextTry: Date | null
}

/** In one snapshot. Linear in the ranges of coverage. */
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

/** Those of `workers` that have done or skipped all heights of the range. */
export async function workersDone(
  db: pg.Pool | pg.ClientBase,
  workers: readonly string[],
  range: HeightRange,
): Promise<ReadonlySet<string>> {
  const rows = await readRequestRows(db, workers, range)
  const done = rows.map((row) => progressOf(row, range)).filter(({ backlog }) => backlog.length === 0)
  return new Set(done.map(({ worker }) => worker))
}
