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
