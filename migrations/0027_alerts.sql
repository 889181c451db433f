-- Alerts of the query service. Independent of blocks; flowfarm_reader has no access.

create table app.alerts (
  id text primary key,
  owner text not null,
  name text not null,
  target text not null,
  question text not null,
  sql text not null,
  condition jsonb not null,
  interval_seconds integer not null check (interval_seconds >= 60),
  repeat_hours integer check (repeat_hours > 0),
  url text not null,
  subscription_id bigint not null,
  paused_at timestamptz,
  paused_reason text check (paused_reason in ('owner', 'failures', 'webhook')),
  is_met boolean,
  last_value text,
  last_run_at timestamptz,
  last_fired_at timestamptz,
  last_error text,
  failures integer not null default 0,
  next_run_at timestamptz not null default now(),
  leased_until timestamptz,
  generation bigint not null default 0,
  created_at timestamptz not null default now(),
  check ((paused_at is null) = (paused_reason is null))
);

create index alerts_owner on app.alerts (owner, created_at);
create index alerts_due on app.alerts (next_run_at) where paused_at is null;

comment on table app.alerts is 'Statements that the query service runs on a schedule, and the condition to report.';
comment on column app.alerts.id is '16 hex digits.';
comment on column app.alerts.owner is 'SHA-256 of API_TOKEN, hex, or "everybody" without one.';
comment on column app.alerts.target is '"indexer" or "evm".';
comment on column app.alerts.question is 'Question that it answers; may be empty.';
comment on column app.alerts.condition is 'kind: rows, no_rows, compare (with operator and number) or changed.';
comment on column app.alerts.interval_seconds is 'Time from the end of a run to the next one.';
comment on column app.alerts.repeat_hours is 'Repeat while the condition holds; null: report only when it becomes true.';
comment on column app.alerts.url is 'Receiver of the webhook.';
comment on column app.alerts.subscription_id is 'Row of app.webhook_subscriptions that delivers it. The operator may have deleted it.';
comment on column app.alerts.paused_reason is 'owner, failures (too many in a row) or webhook (the endpoint was deleted).';
comment on column app.alerts.is_met is 'Whether the condition held at the last run without an error; null before it.';
comment on column app.alerts.last_value is 'First column of the first row of that run, as text; null without a row.';
comment on column app.alerts.failures is 'Consecutive runs that failed because of the statement.';
comment on column app.alerts.leased_until is 'Time after which another process may take over a run; null if none runs.';
comment on column app.alerts.generation is 'Number of runs started. A process stores its result only while this is unchanged.';

create table app.alert_runs (
  alert_id text not null references app.alerts (id) on delete cascade,
  run bigint not null,
  finished_at timestamptz not null default now(),
  duration_ms integer not null,
  is_met boolean,
  has_fired boolean not null,
  row_count integer,
  value text,
  error text,
  primary key (alert_id, run)
);

comment on table app.alert_runs is 'Newest 50 runs of each alert.';
comment on column app.alert_runs.run is 'Generation of the alert.';
comment on column app.alert_runs.is_met is 'Whether the condition held; null if the run failed.';
comment on column app.alert_runs.has_fired is 'Whether a delivery was created.';
comment on column app.alert_runs.row_count is 'Rows of the result, counted up to 20; null if the run failed.';
comment on column app.alert_runs.value is 'First column of the first row, as text.';
comment on column app.alert_runs.error is 'Why the run failed.';
