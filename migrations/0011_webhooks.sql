create table app.developer_keys (
  id bigint generated always as identity primary key,
  key_hash bytea not null unique check (octet_length(key_hash) = 32),
  prefix text not null,
  name text not null,
  tier text not null check (tier in ('free', 'pro', 'enterprise', 'unlimited')),
  created_at timestamptz not null default now(),
  last_used_at timestamptz,
  revoked_at timestamptz,
  user_id text unique,
  account_id bigint references app.developer_keys (id),
  check (user_id is null or account_id is null)
);

create index developer_keys_account on app.developer_keys (account_id) where account_id is not null;

comment on table app.developer_keys is 'API keys for developers, managed through the admin routes.';
comment on column app.developer_keys.key_hash is 'SHA-256 of the key, 32 bytes. The key itself is not stored.';
comment on column app.developer_keys.prefix is 'First 12 characters of the key, shown to its owner.';
comment on column app.developer_keys.name is 'Owner or purpose.';
comment on column app.developer_keys.tier is 'free, pro, enterprise or unlimited: selects the rate limits.';
comment on column app.developer_keys.last_used_at is 'Last use, to the minute; null if never used.';
comment on column app.developer_keys.revoked_at is 'Time of revocation, or null.';
comment on column app.developer_keys.user_id is 'For an account: user id (sub) in the authentication service. An account row has no key; it holds the tier and owns the webhooks.';
comment on column app.developer_keys.account_id is 'Account that created the key; null for a key created by an administrator.';

create table app.webhook_endpoints (
  id bigint generated always as identity primary key,
  key_id bigint not null references app.developer_keys (id),
  url text not null,
  description text not null default '',
  secret bytea not null check (octet_length(secret) between 24 and 64),
  previous_secret bytea check (octet_length(previous_secret) between 24 and 64),
  previous_secret_until timestamptz,
  failures integer not null default 0,
  paused_at timestamptz,
  paused_reason text,
  created_at timestamptz not null default now(),
  check ((previous_secret is null) = (previous_secret_until is null)),
  check ((paused_at is null) = (paused_reason is null))
);
create index webhook_endpoints_key on app.webhook_endpoints (key_id, id);

comment on table app.webhook_endpoints is 'Webhook endpoints.';
comment on column app.webhook_endpoints.key_id is 'Owner. While the key is revoked, nothing is sent.';
comment on column app.webhook_endpoints.secret is 'HMAC-SHA256 key that signs deliveries.';
comment on column app.webhook_endpoints.previous_secret is 'Key before the last rotation, or null.';
comment on column app.webhook_endpoints.previous_secret_until is 'End of the time in which deliveries are also signed with the previous key.';
comment on column app.webhook_endpoints.failures is 'Consecutive failed attempts.';
comment on column app.webhook_endpoints.paused_at is 'Since when deliveries are neither created nor sent; null if active.';
comment on column app.webhook_endpoints.paused_reason is 'owner, failures (too many in a row) or gone (HTTP 410).';

create table app.webhook_subscriptions (
  id bigint generated always as identity primary key,
  endpoint_id bigint not null references app.webhook_endpoints (id) on delete cascade,
  event_types text[] not null check (cardinality(event_types) > 0),
  conditions jsonb not null default '{}',
  is_enabled boolean not null default true,
  next_height bigint check (next_height >= 0),
  last_sequence bigint not null default 0,
  created_at timestamptz not null default now(),
  changed_at timestamptz not null default now()
);
create index webhook_subscriptions_endpoint on app.webhook_subscriptions (endpoint_id, id);

comment on table app.webhook_subscriptions is 'Event subscriptions of endpoints.';
comment on column app.webhook_subscriptions.event_types is 'Event types, e.g. ft.transfer.';
comment on column app.webhook_subscriptions.conditions is 'Filters, such as addresses, tokens, contracts, min_amount. Absent ones do not filter.';
comment on column app.webhook_subscriptions.is_enabled is 'Whether the owner enabled it.';
comment on column app.webhook_subscriptions.next_height is 'Deliveries are created for all blocks below. Advances in the transaction that creates them and moves back in that of a rollback. Null until the first block is stored.';
comment on column app.webhook_subscriptions.last_sequence is 'Sequence of the last delivery created.';
comment on column app.webhook_subscriptions.changed_at is 'Last change by the owner.';

create table app.webhook_usage (
  key_id bigint not null references app.developer_keys (id),
  hour timestamptz not null,
  events bigint not null,
  primary key (key_id, hour)
) with (fillfactor = 50);
create index webhook_usage_hour on app.webhook_usage (hour);

comment on table app.webhook_usage is 'Deliveries created by key and hour. At the limit of its tier a key gets no more until the hour ends.';
comment on column app.webhook_usage.hour is 'Start of the hour, UTC.';
comment on column app.webhook_usage.events is 'Deliveries of events, without tests, rollbacks and resent ones.';

create table app.webhook_turns (
  subscription_id bigint primary key references app.webhook_subscriptions (id) on delete cascade,
  key_id bigint not null,
  due_at timestamptz,
  generation bigint not null default 0,
  is_held boolean not null default false,
  check (not is_held or due_at is not null)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
create index webhook_turns_due on app.webhook_turns (due_at) where due_at is not null;

comment on table app.webhook_turns is 'Delivery queue: one process at a time sends for a subscription, which keeps the order.';
comment on column app.webhook_turns.key_id is 'Owner, for the limit on concurrent deliveries per key.';
comment on column app.webhook_turns.due_at is 'Time when it can be claimed: now, after the back-off, or at the end of the lease. Null if nothing is pending.';
comment on column app.webhook_turns.generation is 'Number of claims. A process records results only while this is unchanged.';
comment on column app.webhook_turns.is_held is 'Whether a process holds the lease, until due_at unless renewed.';

create table app.webhook_deliveries (
  subscription_id bigint not null references app.webhook_subscriptions (id) on delete cascade,
  sequence bigint not null,
  block_height bigint not null,
  created_at timestamptz not null default now(),
  finished_at timestamptz,
  attempt_count integer not null default 0,
  latency_ms integer,
  response_status smallint,
  status text not null default 'pending' check (status in ('pending', 'delivered', 'dead')),
  event_type text not null,
  body text not null,
  response_excerpt text,
  error text,
  primary key (subscription_id, sequence)
);
create index webhook_deliveries_pending on app.webhook_deliveries (subscription_id, sequence) where status = 'pending';
create index webhook_deliveries_dead on app.webhook_deliveries (subscription_id, sequence) where status = 'dead';
create index webhook_deliveries_height on app.webhook_deliveries (subscription_id, block_height);
create index webhook_deliveries_finished on app.webhook_deliveries (finished_at) where finished_at is not null;

comment on table app.webhook_deliveries is 'Webhook deliveries with their last attempt, in chain order per subscription.';
comment on column app.webhook_deliveries.sequence is 'Counts from 1 per subscription; part of the id in the delivery.';
comment on column app.webhook_deliveries.block_height is 'Height of the event; for a rollback the lowest height removed.';
comment on column app.webhook_deliveries.finished_at is 'Time when it was delivered or given up.';
comment on column app.webhook_deliveries.attempt_count is 'Number of attempts.';
comment on column app.webhook_deliveries.latency_ms is 'Duration of the last attempt.';
comment on column app.webhook_deliveries.response_status is 'HTTP status of the last attempt, or null.';
comment on column app.webhook_deliveries.status is 'pending, delivered or dead (given up after too many attempts; retried only on request).';
comment on column app.webhook_deliveries.body is 'Request body, exact bytes.';
comment on column app.webhook_deliveries.response_excerpt is 'Start of the last response body.';
comment on column app.webhook_deliveries.error is 'Why the last attempt failed, or null.';

create table app.webhook_failures (
  subscription_id bigint not null,
  sequence bigint not null,
  attempt integer not null,
  failed_at timestamptz not null default now(),
  latency_ms integer not null,
  response_status smallint,
  error text not null,
  response_excerpt text,
  primary key (subscription_id, sequence, attempt),
  foreign key (subscription_id, sequence) references app.webhook_deliveries on delete cascade
);

comment on table app.webhook_failures is 'Failed delivery attempts.';
comment on column app.webhook_failures.sequence is 'As in app.webhook_deliveries.';
comment on column app.webhook_failures.attempt is 'Number of the attempt, from 1.';
comment on column app.webhook_failures.latency_ms is 'Duration of the attempt.';
comment on column app.webhook_failures.response_status is 'HTTP status, or null.';
comment on column app.webhook_failures.response_excerpt is 'Start of the response body.';
