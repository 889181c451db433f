comment on schema app is 'Tables derived from schema raw, and the state of the program.';

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

comment on table app.indexing_checkpoints is 'Progress of each ingester and worker.';
comment on column app.indexing_checkpoints.service_name is 'main_ingester (forward), history_ingester (backward) or a worker name.';
comment on column app.indexing_checkpoints.last_height is 'Forward: highest height of the first contiguous range. Backward: lowest height reached. Computed from covered, for display.';
comment on column app.indexing_checkpoints.covered is 'Completed heights, half-open ranges.';
comment on column app.indexing_checkpoints.block_count is 'Blocks stored by the ingester, without rolled back ones.';
comment on column app.indexing_checkpoints.tx_count is 'Transactions in those blocks.';
comment on column app.indexing_checkpoints.event_count is 'Events in those blocks.';
comment on column app.indexing_checkpoints.generation is 'Incremented by each rollback. A commit names the value it started with, so that blocks of an abandoned fork are rejected.';
comment on column app.indexing_checkpoints.target_height is 'Lowest height for history_ingester: HISTORY_STOP_HEIGHT or the lowest height that the nodes serve. Null for others and until it is known.';
comment on column app.indexing_checkpoints.succeeded_at is 'Completion time of the newest folded lease of the worker; null for ingesters and before the first.';

create table app.chain (
  only_row boolean primary key default true check (only_row),
  chain_id text not null,
  latest_height bigint,
  latest_at timestamptz
);

comment on table app.chain is 'The chain in this database, one row.';
comment on column app.chain.only_row is 'Always true.';
comment on column app.chain.chain_id is 'flow-mainnet, flow-testnet or flow-emulator. Nodes of other chains are rejected.';
comment on column app.chain.latest_height is 'Latest sealed height reported by an access node.';
comment on column app.chain.latest_at is 'Time of that report.';

-- Values are never reused, so a claim made before a rollback cannot match a lease created after it.
create sequence app.lease_generation;

comment on sequence app.lease_generation is 'Lease generations.';

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

comment on table app.worker_leases is 'Leases: ranges of heights assigned to workers. A done lease counts as coverage until it is folded into app.indexing_checkpoints.';
comment on column app.worker_leases.worker_type is 'Worker name.';
comment on column app.worker_leases.to_height is 'End of the range, exclusive.';
comment on column app.worker_leases.generation is 'Claim that may complete the lease; 0 before the first. A commit must name it.';
comment on column app.worker_leases.status is 'queued, active, done, failed (retried after not_before), flagged (retries exhausted, operator action required), skipped (by the operator).';
comment on column app.worker_leases.attempt is 'Attempts started. The halves of a split range inherit it.';
comment on column app.worker_leases.expiries is 'Number of times the lease expired.';
comment on column app.worker_leases.leased_by is 'Process that holds the lease, host:pid:start.';
comment on column app.worker_leases.lease_expires_at is 'Time when the lease expires unless renewed.';
comment on column app.worker_leases.not_before is 'Earliest time of the next attempt.';
comment on column app.worker_leases.enqueued_at is 'Time of the last enqueue. A queued lease that no process claims is enqueued again.';
comment on column app.worker_leases.reason is 'Why the operator skipped it.';
comment on column app.worker_leases.failed_at is 'End of the last failed attempt; null before the first.';

create view app.coverage as
select c.service_name,
  c.covered + coalesce(
    (select range_agg(int8range(l.from_height, l.to_height)) from app.worker_leases l
     where l.worker_type = c.service_name and l.status = 'done'),
    '{}'::int8multirange) as covered
from app.indexing_checkpoints c;

comment on view app.coverage is 'Heights completed by each ingester and worker, in one snapshot: folded coverage and done leases.';
comment on column app.coverage.service_name is 'Ingester or worker.';
comment on column app.coverage.covered is 'Completed heights, half-open ranges.';

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

comment on table app.backfill_requests is 'Operator requests to derive ranges of heights before other history, even while history derivers are disabled.';
comment on column app.backfill_requests.workers is 'Requested workers and the workers that they depend on.';
comment on column app.backfill_requests.to_height is 'End of the range, exclusive.';
comment on column app.backfill_requests.workers_off is 'Workers that are disabled in the coordinator''s process.';
comment on column app.backfill_requests.finished_at is 'Time when all workers had completed or skipped all heights.';

create table app.fault_drills (
  worker_type text primary key,
  from_height bigint not null,
  to_height bigint not null,
  reason text,
  created_at timestamptz not null default now(),
  check (from_height >= 0 and from_height < to_height)
);

comment on table app.fault_drills is 'Faults injected by the operator to test failure handling: these ranges fail with code fault-drill until the row is deleted.';
comment on column app.fault_drills.worker_type is 'Worker name.';
comment on column app.fault_drills.to_height is 'End of the range, exclusive.';
comment on column app.fault_drills.reason is 'Purpose, from the operator.';
