import type pg from 'pg'
import { asDatabaseError } from '../../platform/db/errors.ts'
import { withRetriedTransaction } from '../../platform/db/retried-transaction.ts'
import { ApiError } from '../../platform/errors.ts'
import type { HeightRange } from '../../platform/ranges.ts'
import { lockOutCommits } from './chain-version.ts'
import { ingesterServices, reopenHeights } from './coverage.ts'

/** A height that ingestion waits for, or that was given up, whole or in part. */
interface FailingHeight {
  readonly height: number
  readonly state: 'failing' | 'skipping' | 'unavailable'
  /** What is missing: block, transactions, results; null while it fails. */
  readonly part: string | null
  readonly reason: string
  readonly since: Date
  /** How many parts of the height are missing; attempts while it fails. */
  readonly count: number
}

interface FailingHeights {
  /** Those that ingestion waits for first, then the latest to be given up. */
  readonly heights: readonly FailingHeight[]
  readonly failing: number
  readonly unavailable: number
}

/** More are not counted. */
const maxCount = 100_000

/** By height where given, bounded by `limit`. */
export async function listFailingHeights(db: pg.Pool | pg.ClientBase, limit: number): Promise<FailingHeights> {
  try {
    const { rows } = await db.query<FailingHeight & { failing: number; unavailable: number }>({
      name: 'farm-list-failing-heights',
      text: `
        with counts as (
          select (select count(*)::float8 from (select from raw.failing_heights where given_up_at is null limit ${maxCount}) f) as failing,
            (select count(*)::float8 from (select distinct block_height from raw.unavailable limit ${maxCount}) u) as unavailable
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

/** Heights that are retried by one transaction. */
const maxHeights = 1000

/**
 * Has the unavailable heights of a range fetched again: those that were given up as a whole are owed from now on, and those
 * of which parts are missing are deleted from the raw tables first. Derived rows stay until the heights are derived again.
 * The version of the stored chain goes up, so that commits and caches of the blocks before are refused.
 * @returns the heights, lowest first
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
    await lockOutCommits(client)
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

/** Rows of whole heights, by the primary keys of the touched partitions; counts of the checkpoints with them. */
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
 * Asks the ingester that waits for a height to give it up at its next try, with what can be had of it.
 * @throws ApiError 404 `height-not-failing` where none waits for it
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
    `Height ${height} is not failing, so there is nothing to skip. npm run raw -- list shows the heights that are.`,
  )
}
