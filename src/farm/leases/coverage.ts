import type pg from 'pg'
import { parseMultirange } from '../../platform/ranges.ts'
import type { HeightSet, HeightRange } from '../../platform/ranges.ts'
import { asDatabaseError } from '../../platform/db/errors.ts'
import { withRetriedTransaction } from '../../platform/db/pool.ts'
import { ApiError } from '../../platform/errors.ts'
import { blockCommits } from './chain-version.ts'

/** Ingesters; all other rows of app.indexing_checkpoints belong to workers. */
export const ingesterServices = ['main_ingester', 'history_ingester'] as const

/** In one snapshot. Omits names without a row. Default: all. */
export async function readCoverage(
  db: pg.Pool | pg.ClientBase,
  names?: readonly string[],
): Promise<Map<string, HeightSet>> {
  const { rows } = await db.query<{ service_name: string; covered: string }>({
    name: 'farm-read-coverage',
    text:
      'select service_name, covered::text as covered from app.coverage where $1::text[] is null or ' +
      'service_name = any ($1)',
    values: [names ?? null],
  })
  return new Map(rows.map((row) => [row.service_name, parseMultirange(row.covered)]))
}

export async function addCheckpoints(db: pg.Pool | pg.ClientBase, workers: readonly string[]): Promise<void> {
  await db.query(
    'insert into app.indexing_checkpoints (service_name) select unnest($1::text[]) order by 1 on conflict do nothing',
    [workers],
  )
}

/** Heights below `startHeight` count as derived. Does not change a known worker. */
export async function addOwnWorker(client: pg.ClientBase, name: string, startHeight: number): Promise<void> {
  await client.query(
    `insert into app.indexing_checkpoints (service_name, covered)
     values ($1, int8multirange(int8range(0, $2))) on conflict do nothing`,
    [name, startHeight],
  )
}

/** Ranges that are being derived can no longer commit. Its tables stay. */
export async function deleteWorkerState(client: pg.ClientBase, name: string): Promise<void> {
  await lockCheckpoints(client, [name])
  await client.query('delete from app.worker_leases where worker_type = $1', [name])
  await client.query('delete from app.indexing_checkpoints where service_name = $1', [name])
  await client.query('delete from app.fault_drills where worker_type = $1', [name])
  await client.query('delete from app.backfill_requests where finished_at is null and workers = array[$1]', [name])
  await client.query(
    `update app.backfill_requests set workers = array_remove(workers, $1)
     where finished_at is null and $1 = any (workers)`,
    [name],
  )
  await client.query('delete from raw.indexing_errors where worker_name = $1', [name])
}

/**
 * Until the transaction ends. Required for adding or deleting leases. Must be a separate
 * statement, because the next one must have a snapshot from after the wait.
 */
export async function lockCheckpoints(client: pg.ClientBase, workers: readonly string[]): Promise<void> {
  await client.query({
    name: 'farm-lock-checkpoints',
    text:
      'select 1 from app.indexing_checkpoints where service_name = any ($1::text[]) order by ' +
      'service_name for no key update',
    values: [workers],
  })
}

/**
 * Requires `lockCheckpoints`. Linear in the ranges of each worker's set (2 ms for 1,000, 20 ms for
 * 10,000), so it runs periodically, not in commits.
 *
 * @returns number of leases folded
 */
export async function foldLeases(client: pg.ClientBase, workers: readonly string[]): Promise<number> {
  const { rows } = await client.query<{ folded: string }>({
    name: 'farm-fold-leases',
    text: `
      with folded as (
        delete from app.worker_leases l
        where l.status = 'done' and l.worker_type = any ($1::text[])
        returning l.worker_type, l.from_height, l.to_height, l.updated_at
      ), added as materialized (
        select worker_type, range_agg(int8range(from_height, to_height)) as heights, count(*) as folded,
          max(updated_at) as succeeded_at
        from folded group by worker_type
      ), updated as (
        update app.indexing_checkpoints c
        set covered = c.covered + a.heights, updated_at = now(), succeeded_at = greatest(c.succeeded_at,
          a.succeeded_at),
          last_height = (select upper(first) - 1 from unnest(c.covered + a.heights) as first limit 1)
        from added a
        where c.service_name = a.worker_type
      )
      select coalesce(sum(folded), 0) as folded from added`,
    values: [workers],
  })
  return Number(rows[0]?.folded ?? 0)
}

/**
 * Fences running commits above `ancestor`. Runs first in the transaction that rolls back the raw
 * tables, which has locked all of app.indexing_checkpoints: earlier commits have ended when it
 * returns, and later ones find their lease deleted.
 */
export async function rollBackFarm(client: pg.ClientBase, ancestor: number): Promise<void> {
  const { rows } = await client.query<{ worker: string }>(
    `select service_name as worker from app.indexing_checkpoints where service_name <> all ($1::text[])
     union select worker_type from app.worker_leases`,
    [ingesterServices],
  )
  await reopenHeights(
    client,
    rows.map((row) => row.worker),
    ancestor + 1,
    undefined,
  )
}

/**
 * SQL condition on leases `l` with SQL expressions as arguments. Uses the primary key, because
 * leases of a worker do not overlap. Also matches a lease that ends exactly at `lowest`.
 */
export function leasesFrom(worker: string, lowest: string): string {
  return `l.worker_type = ${worker} and l.from_height >= coalesce(
    (select max(b.from_height) from app.worker_leases b where b.worker_type = ${worker} and b.from_height <=
      ${lowest}), ${lowest})`
}

/**
 * Deletes leases that reach into the heights in any state, so that running work cannot commit; what
 * they completed or skipped outside stays. Requires `lockCheckpoints`. Locking the leases waits for
 * running commits, so that later statements see their rows.
 *
 * @param to end, exclusive; undefined: no limit
 */
export async function reopenHeights(
  client: pg.ClientBase,
  workers: readonly string[],
  from: number,
  to: number | undefined,
): Promise<void> {
  await client.query(
    `select 1
     from unnest($1::text[]) as w (worker) join app.worker_leases l on ${reaching}
     order by l.worker_type, l.from_height for update of l`,
    [workers, from, to ?? null],
  )
  await client.query(
    `with gone as (
       delete from app.worker_leases l using unnest($1::text[]) as w (worker)
       where ${reaching}
       returning l.*
     ), kept as (
       insert into app.worker_leases (worker_type, from_height, to_height, generation, status, attempt, expiries,
         reason,
         last_error, last_error_code, last_error_stack, created_at)
       select worker_type, lower(part), upper(part), generation, status, attempt, expiries, reason, last_error,
         last_error_code,
         last_error_stack, created_at
       from gone
       cross join lateral unnest(int8multirange(int8range(from_height, to_height)) -
         int8multirange(int8range($2::bigint, $3::bigint))) as part
       where status = 'skipped'
     ), done as (
       select worker_type, range_agg(int8range(from_height, to_height)) as heights from gone where status = 'done'
         group by worker_type
     ), cut as (
       select c.service_name, c.covered + coalesce(d.heights, '{}') - int8multirange(int8range($2::bigint,
         $3::bigint)) as covered
       from app.indexing_checkpoints c left join done d on d.worker_type = c.service_name
       where c.service_name = any ($1::text[])
     )
     update app.indexing_checkpoints c
     set covered = cut.covered, updated_at = now(),
       last_height = (select upper(first) - 1 from unnest(cut.covered) as first limit 1)
     from cut where c.service_name = cut.service_name`,
    [workers, from, to ?? null],
  )
}

const reaching = `${leasesFrom('w.worker', '$2::bigint')}
  and l.to_height > $2 and ($3::bigint is null or l.from_height < $3)`

interface FailingHeight {
  readonly height: number
  readonly state: 'failing' | 'skipping' | 'unavailable'
  /** block, transactions or results; null while it fails. */
  readonly part: string | null
  readonly reason: string
  readonly since: Date
  /** Missing parts; attempts while it fails. */
  readonly count: number
}

interface FailingHeights {
  readonly heights: readonly FailingHeight[]
  readonly failing: number
  readonly unavailable: number
}

const maxCount = 100_000

export async function listFailingHeights(db: pg.Pool | pg.ClientBase, limit: number): Promise<FailingHeights> {
  try {
    const { rows } = await db.query<FailingHeight & { failing: number; unavailable: number }>({
      name: 'farm-list-failing-heights',
      text: `
        with counts as (
          select (select count(*)::float8 from (select from raw.failing_heights where given_up_at is null limit
            ${maxCount}) f) as failing,
            (select count(*)::float8 from (select distinct block_height from raw.unavailable limit ${maxCount}) u)
              as unavailable
        ), listed as (
          (select 0 as place, height, case when skip_requested_at is null then 'failing' else 'skipping' end as state,
            null as part, reason, failing_since as since, attempts as count
          from raw.failing_heights where given_up_at is null order by failing_since, height limit $1)
          union all
          (select 1, block_height, 'unavailable', min(part), min(reason), min(recorded_at), count(*)
          from raw.unavailable group by block_height order by min(recorded_at) desc, block_height limit $1)
        )
        select c.failing, c.unavailable, height::float8 as height, state, part, reason, since, count::float8 as count
        from counts c left join (select * from listed order by place, since desc, height limit $1) l on true
        order by place, case when place = 0 then since end, since desc, height`,
      values: [limit],
    })
    const heights = rows
      .filter(({ height }) => height !== null)
      .map(({ height, state, part, reason, since, count }) => ({ height, state, part, reason, since, count }))
    return { heights, failing: rows[0]?.failing ?? 0, unavailable: rows[0]?.unavailable ?? 0 }
  } catch (error) {
    throw asDatabaseError(error)
  }
}

const maxHeights = 1000

/**
 * Derived rows stay until they are derived again. Increments the chain version, which invalidates
 * commits and caches of the old blocks.
 *
 * @returns the heights, ascending
 */
export async function retryHeights(pool: pg.Pool, range: HeightRange): Promise<readonly number[]> {
  const retried: number[] = []
  for (;;) {
    const from = (retried.at(-1) ?? range.from - 1) + 1
    const some = await retrySome(pool, { from, to: range.to })
    retried.push(...some)
    if (some.length < maxHeights) return retried
  }
}

function retrySome(pool: pg.Pool, { from, to }: HeightRange): Promise<number[]> {
  return withRetriedTransaction(pool, async (client) => {
    await blockCommits(client)
    await client.query('select 1 from app.indexing_checkpoints order by service_name for update')
    const { rows } = await client.query<{ height: number }>(
      `select distinct block_height::float8 as height from raw.unavailable
       where block_height >= $1 and block_height < $2 order by 1 limit ${maxHeights}`,
      [from, to],
    )
    const heights = rows.map(({ height }) => height)
    if (heights.length > 0) await reopen(client, heights)
    return heights
  })
}

async function reopen(client: pg.ClientBase, heights: readonly number[]): Promise<void> {
  const { rows: workers } = await client.query<{ worker: string }>(
    `select service_name as worker from app.indexing_checkpoints where service_name <> all ($1::text[])
     union select worker_type from app.worker_leases`,
    [ingesterServices],
  )
  const names = workers.map(({ worker }) => worker)
  for (const { from, to } of rangesOf(heights)) await reopenHeights(client, names, from, to)
  await deleteRaw(client, heights)
  await client.query(
    `update app.indexing_checkpoints c
     set covered = c.covered - again.heights, generation = c.generation + 1, updated_at = now(),
       last_height = case when c.covered && again.heights and c.service_name = 'main_ingester'
         then least(c.last_height, lower(c.covered * again.heights) - 1) else c.last_height end
     from (select range_agg(int8range(height, height + 1)) as heights from unnest($1::bigint[]) as height) again
     where c.service_name = any ($2::text[])`,
    [heights, ingesterServices],
  )
}

async function deleteRaw(client: pg.ClientBase, heights: readonly number[]): Promise<void> {
  await client.query(
    `with counted as (
       select c.service_name, count(*) as blocks, sum(b.tx_count) as txs, sum(b.event_count) as events
       from raw.blocks b join app.indexing_checkpoints c
         on c.service_name = any ($2::text[]) and c.covered @> b.height
       where b.height = any ($1::bigint[]) group by c.service_name
     )
     update app.indexing_checkpoints c
     set block_count = block_count - k.blocks, tx_count = tx_count - k.txs, event_count = event_count - k.events
     from counted k where k.service_name = c.service_name`,
    [heights, ingesterServices],
  )
  await client.query(
    `delete from raw.tx_lookup l using raw.transactions t
     where t.block_height = any ($1::bigint[]) and l.id = t.id and l.block_height = t.block_height`,
    [heights],
  )
  await client.query(
    'delete from raw.block_lookup l using raw.blocks b where b.height = any ($1::bigint[]) and l.id = b.id',
    [heights],
  )
  await client.query(
    `delete from raw.indexing_errors where block_height = any ($1::bigint[]) and worker_name = any ($2::text[])`,
    [heights, ingesterServices],
  )
  for (const table of ['event_chunks', 'transactions', 'unavailable']) {
    await client.query(`delete from raw.${table} where block_height = any ($1::bigint[])`, [heights])
  }
  for (const table of ['blocks', 'failing_heights']) {
    await client.query(`delete from raw.${table} where height = any ($1::bigint[])`, [heights])
  }
}

function rangesOf(heights: readonly number[]): HeightRange[] {
  const ranges: { from: number; to: number }[] = []
  for (const height of heights) {
    const last = ranges.at(-1)
    if (last?.to === height) last.to++
    else ranges.push({ from: height, to: height + 1 })
  }
  return ranges
}

/**
 * At the ingester's next attempt; it stores the available parts.
 *
 * @throws ApiError 404 `height-not-failing`
 */
export async function skipHeight(pool: pg.Pool, height: number): Promise<void> {
  const { rowCount } = await pool.query(
    `update raw.failing_heights set skip_requested_at = coalesce(skip_requested_at, now())
     where height = $1 and given_up_at is null and not exists (
       select 1 from app.indexing_checkpoints where service_name = any ($2::text[]) and covered @> $1::bigint
     )`,
    [height, ingesterServices],
  )
  if (rowCount === 1) return
  throw new ApiError(
    404,
    'height-not-failing',
    `Could not skip height ${height}: it is not failing. List failing heights with npm run raw -- list.`,
  )
}
