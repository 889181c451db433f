-- Keys with which developers ask the API more often than others may.

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

comment on table app.developer_keys is 'Keys with which developers ask the API more often than others may. The admin routes of the API make and revoke them.';
comment on column app.developer_keys.id is 'Number of the row.';
comment on column app.developer_keys.key_hash is 'SHA-256 of the key, 32 bytes. The key itself is kept nowhere.';
comment on column app.developer_keys.prefix is 'First 12 characters of the key, by which its owner knows it.';
comment on column app.developer_keys.name is 'Whose it is, or what for.';
comment on column app.developer_keys.tier is 'free, pro, enterprise or unlimited: how often it may ask.';
comment on column app.developer_keys.created_at is 'When it was made.';
comment on column app.developer_keys.last_used_at is 'When it was last used, to the minute; null: never.';
comment on column app.developer_keys.revoked_at is 'When it was revoked, for good; null: it is good.';
comment on column app.developer_keys.user_id is 'Of an account: the person of the authentication service whose it is (sub). No key leads to an account itself; it has the tier and owns the webhooks.';
comment on column app.developer_keys.account_id is 'The account whose key it is: a key that a person made. Null: an administrator made it, and it stands for itself.';

-- Webhooks: who is told of what on the chain, what is to be told, and what became of it.

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

comment on table app.webhook_endpoints is 'Addresses on the web to which webhooks are sent.';
comment on column app.webhook_endpoints.id is 'Number of the row.';
comment on column app.webhook_endpoints.key_id is 'The developer key that owns it. While that is revoked nothing is sent.';
comment on column app.webhook_endpoints.url is 'Where deliveries are posted.';
comment on column app.webhook_endpoints.description is 'What its owner calls it.';
comment on column app.webhook_endpoints.secret is 'Key of the HMAC-SHA256 that signs what is sent.';
comment on column app.webhook_endpoints.previous_secret is 'The key before the last rotation; null: none.';
comment on column app.webhook_endpoints.previous_secret_until is 'Until when what is sent is signed with the previous key too.';
comment on column app.webhook_endpoints.failures is 'Attempts that failed since the last that did not.';
comment on column app.webhook_endpoints.paused_at is 'Since when nothing is sent and nothing made to be sent; null: it is not paused.';
comment on column app.webhook_endpoints.paused_reason is 'owner, failures (too many in a row) or gone (it answered 410).';

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

comment on table app.webhook_subscriptions is 'Which events are sent to which endpoint.';
comment on column app.webhook_subscriptions.id is 'Number of the row.';
comment on column app.webhook_subscriptions.endpoint_id is 'Where they are sent.';
comment on column app.webhook_subscriptions.event_types is 'Types of the events, such as ft.transfer.';
comment on column app.webhook_subscriptions.conditions is 'What else must be true of an event: addresses, tokens, contracts, min_amount and the like; those that are absent are not asked for.';
comment on column app.webhook_subscriptions.is_enabled is 'False: its owner has switched it off.';
comment on column app.webhook_subscriptions.next_height is 'Deliveries of all blocks below are made. It moves in the transaction that makes them, and back in that of a rollback. Null: no block was stored yet, and it begins with the first.';
comment on column app.webhook_subscriptions.last_sequence is 'Number of the last delivery that was made.';
comment on column app.webhook_subscriptions.created_at is 'When it was made.';
comment on column app.webhook_subscriptions.changed_at is 'When its owner last changed it.';
comment on column app.webhook_endpoints.created_at is 'When it was made.';

create table app.webhook_usage (
  key_id bigint not null references app.developer_keys (id),
  hour timestamptz not null,
  events bigint not null,
  primary key (key_id, hour)
) with (fillfactor = 50);
create index webhook_usage_hour on app.webhook_usage (hour);

comment on table app.webhook_usage is 'How many events developer keys were told of, by the hour: a key that had as many as its tier allows is told of the next ones when the hour is over.';
comment on column app.webhook_usage.key_id is 'The developer key.';
comment on column app.webhook_usage.hour is 'Beginning of the hour, in UTC.';
comment on column app.webhook_usage.events is 'Deliveries that were made of events. Tests, rollbacks and what is sent again are not counted.';

create table app.webhook_turns (
  subscription_id bigint primary key references app.webhook_subscriptions (id) on delete cascade,
  key_id bigint not null,
  due_at timestamptz,
  generation bigint not null default 0,
  is_held boolean not null default false,
  check (not is_held or due_at is not null)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
create index webhook_turns_due on app.webhook_turns (due_at) where due_at is not null;

comment on table app.webhook_turns is 'Which subscriptions are to be sent to, and which are being sent to: by one process at a time, so that the order is kept.';
comment on column app.webhook_turns.subscription_id is 'The subscription.';
comment on column app.webhook_turns.key_id is 'The developer key that owns it: one key cannot have all that is sent at a time.';
comment on column app.webhook_turns.due_at is 'From when on it may be taken to be sent to: at once, after a failure later, while it is held when the lease ends. Null: nothing waits to be sent.';
comment on column app.webhook_turns.generation is 'Counts how often it was taken. Whoever took it writes down what became of it only while this is as it was then.';
comment on column app.webhook_turns.is_held is 'A process has it, until due_at unless it renews that.';

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

comment on table app.webhook_deliveries is 'What is to be sent and what was sent, with what the last attempt met. In the order of the chain by subscription.';
comment on column app.webhook_deliveries.subscription_id is 'The subscription.';
comment on column app.webhook_deliveries.sequence is 'Counts up from 1 for each subscription; with it the id that the receiver sees.';
comment on column app.webhook_deliveries.block_height is 'Block of the event; of a rollback the lowest block that was taken back.';
comment on column app.webhook_deliveries.created_at is 'When it was made.';
comment on column app.webhook_deliveries.finished_at is 'When it was delivered or given up.';
comment on column app.webhook_deliveries.attempt_count is 'How often it was posted.';
comment on column app.webhook_deliveries.latency_ms is 'How long the last attempt took.';
comment on column app.webhook_deliveries.response_status is 'HTTP status of the last attempt; null where none came.';
comment on column app.webhook_deliveries.status is 'pending, delivered, or dead: given up after too many attempts, and not tried again unless somebody asks.';
comment on column app.webhook_deliveries.event_type is 'Type of the event.';
comment on column app.webhook_deliveries.body is 'The text that is posted, to the byte.';
comment on column app.webhook_deliveries.response_excerpt is 'The beginning of the answer to the last attempt.';
comment on column app.webhook_deliveries.error is 'Why the last attempt failed; null where it did not.';

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

comment on table app.webhook_failures is 'Attempts to deliver that failed.';
comment on column app.webhook_failures.subscription_id is 'As in app.webhook_deliveries.';
comment on column app.webhook_failures.sequence is 'As in app.webhook_deliveries.';
comment on column app.webhook_failures.attempt is 'Counts the attempts from 1.';
comment on column app.webhook_failures.failed_at is 'When it had failed.';
comment on column app.webhook_failures.latency_ms is 'How long it took.';
comment on column app.webhook_failures.response_status is 'HTTP status; null where none came.';
comment on column app.webhook_failures.error is 'Why it failed.';
comment on column app.webhook_failures.response_excerpt is 'The beginning of the answer.';
