-- Keys with which developers ask the API more often than others may.

create table app.developer_keys (
  id bigint generated always as identity primary key,
  key_hash bytea not null unique check (octet_length(key_hash) = 32),
  prefix text not null,
  name text not null,
  tier text not null check (tier in ('free', 'pro', 'enterprise', 'unlimited')),
  created_at timestamptz not null default now(),
  last_used_at timestamptz,
  revoked_at timestamptz
);

comment on table app.developer_keys is 'Keys with which developers ask the API more often than others may. The admin routes of the API make and revoke them.';
comment on column app.developer_keys.id is 'Number of the row.';
comment on column app.developer_keys.key_hash is 'SHA-256 of the key, 32 bytes. The key itself is kept nowhere.';
comment on column app.developer_keys.prefix is 'First 12 characters of the key, by which its owner knows it.';
comment on column app.developer_keys.name is 'Whose it is, or what for.';
comment on column app.developer_keys.tier is 'free, pro, enterprise or unlimited: how often it may ask.';
comment on column app.developer_keys.created_at is 'When it was made.';
comment on column app.developer_keys.last_used_at is 'When it was last used, to the minute; null: never.';
comment on column app.developer_keys.revoked_at is 'When it was revoked, for good; null: it is good.';
