import type pg from 'pg'
import { announceChangedRows, announceFarmWork } from '../../platform/db/announce-farm-work.ts'
import { query } from '../../platform/db/pool.ts'
import { withRetriedTransaction } from '../../platform/db/retried-transaction.ts'
import type { HeightRange } from '../../platform/ranges.ts'
import { addCheckpoints, lockCheckpoints, reopenHeights, leasesFrom } from './coverage.ts'
import { withFollowed, withFollowers } from './worker-closure.ts'
import type { LinkedWorker } from './worker-closure.ts'

/** What a person asked for, as it was written down. */
export interface AddedRequest {
  readonly id: number
  /** All that must derive the heights: those asked for and those that they follow. */
  readonly workers: readonly string[]
}

/**
 * Asks for heights to be derived before other history, by some workers and by all that these follow; the coordinator
 * does it when one runs.
 * @param workers all workers of the farm
 */
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
 * Has heights derived again by some workers and by all that follow them, before other history. The rows stay until the
 * new ones take their place.
 * @param workers all workers of the farm
 * @returns the request, and the workers that derive again
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

/** A request that is not finished. */
export interface OpenRequest {
  readonly id: number
  readonly workers: readonly string[]
  readonly from: number
  /** Exclusive. */
  readonly to: number
  /** Those of its workers that are switched off where the farm is coordinated. */
  readonly workersOff: readonly string[]
  readonly createdAt: Date
}

/** Requests that are not finished, the oldest first; a few at most, as a rule. */
export async function listOpenRequests(db: pg.Pool | pg.ClientBase): Promise<OpenRequest[]> {
  const { rows } = await db.query<OpenRequest>(`
    select id::float8 as id, workers, from_height::float8 as from, to_height::float8 as to, workers_off as "workersOff",
      created_at as "createdAt"
    from app.backfill_requests where finished_at is null order by id limit 1000`)
  return rows
}

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

/**
 * Deletes requests of a person that were finished `days` ago; those that are open stay, however old.
 * @returns how many there were
 */
export async function pruneRequests(db: pg.Pool | pg.ClientBase, days: number): Promise<number> {
  const { rowCount } = await query(
    db,
    "delete from app.backfill_requests where finished_at < now() - $1 * interval '1 day'",
    [days],
  )
  return rowCount ?? 0
}
