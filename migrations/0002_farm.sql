-- The farm: which ranges of heights each worker has done, works on, owes, or could not do.

-- Names a claim; never given twice, so that a claim from before a rollback cannot pass for one from after it.
create sequence app.lease_generation;

comment on sequence app.lease_generation is 'Generations of leases.';

create table app.worker_leases (
  worker_type text not null,
  from_height bigint not null,
  to_height bigint not null,
  generation bigint not null default 0,
  status text not null default 'queued' check (status in ('queued', 'active', 'done', 'failed', 'flagged', 'skipped')),
  attempt integer not null default 0,
  expiries integer not null default 0,
  leased_by text,
  lease_expires_at timestamptz,
  not_before timestamptz,
  enqueued_at timestamptz,
  last_error text,
  last_error_code text,
  last_error_stack text,
  reason text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (worker_type, from_height),
  check (from_height < to_height)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);

create index worker_leases_expiry on app.worker_leases (lease_expires_at) where status = 'active';
create index worker_leases_waiting on app.worker_leases (not_before) where status = 'failed';
create index worker_leases_done on app.worker_leases (worker_type, from_height) where status = 'done';
create index worker_leases_open on app.worker_leases (worker_type, status, from_height) where status in ('queued', 'active', 'failed', 'flagged', 'skipped');

comment on table app.worker_leases is 'Ranges of heights given to workers. A done lease is coverage until it is folded into app.indexing_checkpoints.';
comment on column app.worker_leases.worker_type is 'Name of the worker.';
comment on column app.worker_leases.from_height is 'First height of the range.';
comment on column app.worker_leases.to_height is 'End of the range, exclusive.';
comment on column app.worker_leases.generation is 'The claim that may end the lease; 0 before the first. A commit names it and must hit the row.';
comment on column app.worker_leases.status is 'queued, active, done, failed (waits for not_before), flagged (retries used up, needs a person), skipped (given up by a person).';
comment on column app.worker_leases.attempt is 'Runs of these heights that were started; the halves of a range that was split inherit it.';
comment on column app.worker_leases.expiries is 'How often it was taken from a process that did not renew it in time.';
comment on column app.worker_leases.leased_by is 'Process that works on it, host:pid:start.';
comment on column app.worker_leases.lease_expires_at is 'When it is taken away unless renewed.';
comment on column app.worker_leases.not_before is 'Earliest time of the next run.';
comment on column app.worker_leases.enqueued_at is 'When it was last handed to the queue; a queued lease that nobody claims is handed over again.';
comment on column app.worker_leases.last_error is 'Message of the last failure.';
comment on column app.worker_leases.last_error_code is 'Code of the last failure.';
comment on column app.worker_leases.last_error_stack is 'Stack of the last failure.';
comment on column app.worker_leases.reason is 'Why a person skipped it.';
comment on column app.worker_leases.created_at is 'When it was cut.';
comment on column app.worker_leases.updated_at is 'Last change.';

create view app.coverage as
select c.service_name,
  c.covered + coalesce(
    (select range_agg(int8range(l.from_height, l.to_height)) from app.worker_leases l
     where l.worker_type = c.service_name and l.status = 'done'),
    '{}'::int8multirange) as covered
from app.indexing_checkpoints c;

comment on view app.coverage is 'Heights that each ingester and worker has done, in one snapshot: folded coverage and done leases.';
comment on column app.coverage.service_name is 'Ingester or worker.';
comment on column app.coverage.covered is 'Heights that are done.';
