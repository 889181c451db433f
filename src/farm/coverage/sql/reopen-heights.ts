import type pg from 'pg'
import { leasesFrom } from '../../leases/leases-from.ts'

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
