-- The farm: what each worker has done, is working on, owes and could not do. The coverage of the ingesters is here too.

comment on schema app is 'Tables derived from schema raw, and the state of the program itself.';

create table app.indexing_checkpoints (
  service_name text primary key,
  last_height bigint,
  covered int8multirange not null default '{}',
  block_count bigint not null default 0,
  tx_count bigint not null default 0,
  event_count bigint not null default 0,
  generation bigint not null default 0,
  updated_at timestamptz not null default now(),
  target_height bigint,
  succeeded_at timestamptz
);

comment on table app.indexing_checkpoints is 'How far each ingester and worker is. Coverage is a set of ranges; last_height is computed from it for people.';
comment on column app.indexing_checkpoints.service_name is 'main_ingester (forward), history_ingester (backward), or the name of a worker.';
comment on column app.indexing_checkpoints.last_height is 'Forward: highest height of the first unbroken range; backward: lowest height reached.';
comment on column app.indexing_checkpoints.covered is 'Heights that are done, half-open ranges.';
comment on column app.indexing_checkpoints.block_count is 'Blocks that this ingester stored and that are still there.';
comment on column app.indexing_checkpoints.tx_count is 'Transactions in those blocks.';
comment on column app.indexing_checkpoints.event_count is 'Events in those blocks.';
comment on column app.indexing_checkpoints.generation is 'Goes up with every rollback; a commit names the one that it began under, so that blocks of a fork that is gone are refused.';
comment on column app.indexing_checkpoints.updated_at is 'Last change.';
comment on column app.indexing_checkpoints.target_height is 'history_ingester: the lowest height that it is to bring, HISTORY_STOP_HEIGHT or the lowest that the nodes serve; null for all others, and until it knows.';
comment on column app.indexing_checkpoints.succeeded_at is 'When the newest folded lease of the worker was done; null for ingesters and before the first.';

create table app.chain (
  only_row boolean primary key default true check (only_row),
  chain_id text not null,
  latest_height bigint,
  latest_at timestamptz
);

comment on table app.chain is 'The chain that this database holds, one row.';
comment on column app.chain.only_row is 'Always true: there is one row.';
comment on column app.chain.chain_id is 'flow-mainnet, flow-testnet or flow-emulator; nodes of another chain are refused.';
comment on column app.chain.latest_height is 'Latest sealed height that an access node reported.';
comment on column app.chain.latest_at is 'When it was reported.';

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
  failed_at timestamptz,
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
comment on column app.worker_leases.failed_at is 'When a run of it last ended without success; null before the first such run.';

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

-- Ranges of heights that a person wants derived before other history.

create table app.backfill_requests (
  id bigint generated always as identity primary key,
  workers text[] not null,
  from_height bigint not null,
  to_height bigint not null,
  workers_off text[] not null default '{}',
  created_at timestamptz not null default now(),
  finished_at timestamptz,
  check (from_height < to_height),
  check (cardinality(workers) > 0)
);

create index backfill_requests_open on app.backfill_requests (id) where finished_at is null;

comment on table app.backfill_requests is 'Ranges of heights that a person wants derived before other history, also while history derivers are off.';
comment on column app.backfill_requests.id is 'Counts up.';
comment on column app.backfill_requests.workers is 'The workers that are to derive them, those that they follow included.';
comment on column app.backfill_requests.from_height is 'First height.';
comment on column app.backfill_requests.to_height is 'End of the heights, exclusive.';
comment on column app.backfill_requests.workers_off is 'Those of the workers that the coordinating process has switched off.';
comment on column app.backfill_requests.created_at is 'When it was made.';
comment on column app.backfill_requests.finished_at is 'When all of its workers had done all of its heights, or had them skipped.';

-- Faults that an operator sets on purpose, to see what the farm does with a range that fails.

create table app.fault_drills (
  worker_type text primary key,
  from_height bigint not null,
  to_height bigint not null,
  reason text,
  created_at timestamptz not null default now(),
  check (from_height >= 0 and from_height < to_height)
);

comment on table app.fault_drills is 'Faults set on purpose: ranges of these heights fail with the code fault-drill until the row is removed.';
comment on column app.fault_drills.worker_type is 'Name of the worker.';
comment on column app.fault_drills.from_height is 'First height that fails.';
comment on column app.fault_drills.to_height is 'End of the heights that fail, exclusive.';
comment on column app.fault_drills.reason is 'What for, as the operator gave it.';
comment on column app.fault_drills.created_at is 'When it was set.';
