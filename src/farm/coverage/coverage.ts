import type pg from 'pg'
import { parseMultirange } from '../../platform/ranges.ts'
import type { HeightSet } from '../../platform/ranges.ts'

/** The rows of app.indexing_checkpoints that say which heights the raw tables hold; all others are of workers. */
export const ingesterServices = ['main_ingester', 'history_ingester'] as const

/**
 * What ingesters and workers have done, folded coverage and done leases in one snapshot. Without `names` all of them;
 * one that has no row is not in the answer.
 */
export async function readCoverage(
  db: pg.Pool | pg.ClientBase,
  names?: readonly string[],
): Promise<Map<string, HeightSet>> {
  const { rows } = await db.query<{ service_name: string; covered: string }>({
    name: 'farm-read-coverage',
    text: 'select service_name, covered::text as covered from app.coverage where $1::text[] is null or service_name = any ($1)',
    values: [names ?? null],
  })
  return new Map(rows.map((row) => [row.service_name, parseMultirange(row.covered)]))
}

/** Makes the rows of workers in app.indexing_checkpoints where they are missing. */
export async function addCheckpoints(db: pg.Pool | pg.ClientBase, workers: readonly string[]): Promise<void> {
  await db.query(
    'insert into app.indexing_checkpoints (service_name) select unnest($1::text[]) order by 1 on conflict do nothing',
    [workers],
  )
}

/**
 * Locks the checkpoints of workers until the end of the transaction. Whoever adds leases or takes any away holds them: two
 * coordinators (one of which does not know yet that it lost its lock), a rollback of the chain, a person who reopens a
 * range. It must be a statement of its own, before the one that reads: a statement sees what was there when it began, and
 * this one may have to wait.
 */
export async function lockCheckpoints(client: pg.ClientBase, workers: readonly string[]): Promise<void> {
  await client.query({
    name: 'farm-lock-checkpoints',
    text: 'select 1 from app.indexing_checkpoints where service_name = any ($1::text[]) order by service_name for no key update',
    values: [workers],
  })
}

/**
 * Moves done leases into the coverage of their workers, whose checkpoints the caller has locked (`lockCheckpoints`).
 * Nobody's view of coverage changes by it. It costs a rewrite of each worker's set, which is linear in its pieces
 * (2 ms at 1,000, 20 ms at 10,000): so not in every commit, but now and then.
 * @returns how many leases were folded
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
        set covered = c.covered + a.heights, updated_at = now(), succeeded_at = greatest(c.succeeded_at, a.succeeded_at),
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
 * Takes the farm's part in a rollback of the chain to `ancestor`: coverage is cut above it, leases that reach above it are
 * deleted, skipped ones too, and so every commit under way for these heights is fenced off.
 *
 * It runs in the transaction that rolls back the raw tables, which has locked all of app.indexing_checkpoints, and before
 * anything else is deleted in it: a commit that was faster has ended when this returns, and one that comes later finds
 * its lease gone before it has written a row. The rows that workers derived above `ancestor` are deleted afterwards.
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
 * A condition on leases `l`: those of `worker` that end above the height `lowest`. Leases of a worker do not overlap, so the
 * one that reaches across `lowest` is the one with the greatest start below it, and the primary key finds it.
 * Both arguments are SQL expressions. A lease that ends exactly at `lowest` is let through.
 */
export function leasesFrom(worker: string, lowest: string): string {
  return `l.worker_type = ${worker} and l.from_height >= coalesce(
    (select max(b.from_height) from app.worker_leases b where b.worker_type = ${worker} and b.from_height <= ${lowest}), ${lowest})`
}

/**
 * Makes heights owed again: they leave the coverage of the given workers, and leases that reach into them are deleted in
 * whatever state they are, so that no work under way can commit. What such leases had done outside the heights stays
 * covered, what was skipped outside stays skipped; the rest of them is owed again too.
 *
 * The caller has locked the checkpoints. The leases are locked first, in order: that waits for commits under way, so rows
 * that they wrote are visible to the statements that come after this one.
 * @param to end, exclusive; undefined: all heights from `from` up
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
       insert into app.worker_leases (worker_type, from_height, to_height, generation, status, attempt, expiries, reason,
         last_error, last_error_code, last_error_stack, created_at)
       select worker_type, lower(part), upper(part), generation, status, attempt, expiries, reason, last_error, last_error_code,
         last_error_stack, created_at
       from gone
       cross join lateral unnest(int8multirange(int8range(from_height, to_height)) - int8multirange(int8range($2::bigint, $3::bigint))) as part
       where status = 'skipped'
     ), done as (
       select worker_type, range_agg(int8range(from_height, to_height)) as heights from gone where status = 'done' group by worker_type
     ), cut as (
       select c.service_name, c.covered + coalesce(d.heights, '{}') - int8multirange(int8range($2::bigint, $3::bigint)) as covered
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

/** Leases `l` of `w.worker` that reach into the heights. */
const reaching = `${leasesFrom('w.worker', '$2::bigint')} and l.to_height > $2 and ($3::bigint is null or l.from_height < $3)`
