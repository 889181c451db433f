import type pg from 'pg'

/**
 * Records every lease transition and its session in the database, independently of the programs.
 * This also detects duplicate work that leaves no trace in the result.
 */
export async function installLeaseAudit(pool: pg.Pool): Promise<void> {
  await pool.query(`
    create schema simulation;
    create table simulation.lease_audit (
      id bigint generated always as identity primary key,
      worker text not null, from_height bigint not null, to_height bigint not null, generation bigint not null,
      before text, after text, by text not null default current_setting('application_name')
    );
    create function simulation.audit_lease() returns trigger language plpgsql as $$
    begin
      if tg_op = 'DELETE' then
        insert into simulation.lease_audit (worker, from_height, to_height, generation, before)
        values (old.worker_type, old.from_height, old.to_height, old.generation, old.status);
      elsif tg_op = 'INSERT' then
        insert into simulation.lease_audit (worker, from_height, to_height, generation, after)
        values (new.worker_type, new.from_height, new.to_height, new.generation, new.status);
      elsif old.status <> new.status or old.generation <> new.generation or old.to_height <> new.to_height or new.status = 'done' then
        insert into simulation.lease_audit (worker, from_height, to_height, generation, before, after)
        values (new.worker_type, new.from_height, new.to_height, new.generation, old.status, new.status);
      end if;
      return null;
    end $$;
    create trigger audit_lease after insert or update or delete on app.worker_leases
      for each row execute function simulation.audit_lease()`)
}

export async function clearLeaseAudit(pool: pg.Pool): Promise<void> {
  await pool.query('truncate simulation.lease_audit')
}

/**
 * Violations of the lease rules, one line each: a generation claimed twice, a run ended by a
 * process that did not claim it, or a completed run that was not (or no longer) active.
 */
export async function findAuditFaults(pool: pg.Pool): Promise<string[]> {
  const { rows } = await pool.query<{ line: string }>(`
    with claims as (
      select generation, min(by) as by, count(*) as times from simulation.lease_audit
      where after = 'active' and before in ('queued', 'failed') group by generation
    )
    select format('generation %s was claimed %s times', generation, times) as line from claims where times > 1
    union all
    select format('%s %s-%s: generation %s was claimed by %s and completed by %s', a.worker, a.from_height, a.to_height, a.generation, c.by, a.by)
    from simulation.lease_audit a join claims c using (generation)
    where a.after = 'done' and a.before is distinct from 'done' and a.by <> c.by
    union all
    select format('%s %s-%s: generation %s became done while it was %s', worker, from_height, to_height, generation, coalesce(before, 'not there'))
    from simulation.lease_audit where after = 'done' and before is distinct from 'active'`)
  return rows.map(({ line }) => line)
}

/** The latest lease transitions, for the message of a failed history. */
export async function auditLines(pool: pg.Pool, worker?: string, max = 60): Promise<string[]> {
  const { rows } = await pool.query<{ line: string }>(
    `select format('%s %s-%s g%s: %s → %s by %s', worker, from_height, to_height, generation, coalesce(before, 'none'), coalesce(after, 'gone'), by) as line
     from (select * from simulation.lease_audit where $1::text is null or worker = $1 order by id desc limit $2) last order by id`,
    [worker ?? null, max],
  )
  return rows.map(({ line }) => line)
}
