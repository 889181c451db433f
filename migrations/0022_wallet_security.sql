-- Independent of blocks: rollbacks and rebuilds leave it unchanged, and flowfarm_reader has no access.

create table wallet.signatures (
  id bigint generated always as identity primary key,
  at timestamptz not null default now(),
  user_id uuid not null,
  kind text not null check (kind in ('transaction', 'message', 'proof')),
  origin text,
  network text not null check (network in ('mainnet', 'testnet')),
  address text not null check (address ~ '^0x[0-9a-f]{16}$'),
  credential_id text not null,
  summary text not null check (length(summary) <= 300),
  client cidr not null
);
create index signatures_user on wallet.signatures (user_id, at);
create index signatures_at on wallet.signatures (at);
create index audit_log_user_shown on wallet.audit_log (user_id, at)
  where event not in ('registration_started', 'authentication_started');
create index audit_log_user_at on wallet_auth.audit_log (user_id, at);

comment on table wallet.signatures is 'Signatures that pages of the wallet reported, kept for 90 days and at most 300 a day per user.';
comment on column wallet.signatures.kind is 'transaction, message, or proof (of ownership of the account).';
comment on column wallet.signatures.origin is 'Origin of the application that asked for it; null for the wallet itself.';
comment on column wallet.signatures.address is 'Account that signed.';
comment on column wallet.signatures.credential_id is 'Passkey that signed, base64url.';
comment on column wallet.signatures.summary is 'What was signed, in words.';
comment on column wallet.signatures.client is 'Network of the client: /24, or /48 for IPv6.';

-- Unlogged: users request a new code after a crash.
create unlogged table wallet.device_requests (
  user_id uuid primary key,
  code_hash bytea not null unique check (octet_length(code_hash) = 32),
  expires_at timestamptz not null,
  passkey jsonb,
  client text,
  check ((passkey is null) = (client is null))
);

comment on table wallet.device_requests is 'Requests to add a passkey of another device, one per user.';
comment on column wallet.device_requests.code_hash is 'SHA-256 of the code that the other device enters.';
comment on column wallet.device_requests.passkey is 'Passkey that the other device proposes; null until it joins. Added only after an assertion for it.';
comment on column wallet.device_requests.client is 'Network of the other device.';

create table wallet.recoveries (
  user_id uuid primary key,
  is_enabled boolean not null,
  due_at timestamptz,
  used_at timestamptz,
  check (is_enabled or due_at is null)
);

comment on table wallet.recoveries is 'Recovery by e-mail, of users who ever switched it on. It lets them register a passkey 24 hours after it began.';
comment on column wallet.recoveries.due_at is 'When a passkey can be registered, for 48 hours; null if none began.';
comment on column wallet.recoveries.used_at is 'First use. Passkeys registered since then cannot confirm that accounts are given up.';

alter table wallet.audit_log drop constraint audit_log_event_check;
alter table wallet.audit_log add constraint audit_log_event_check check (event in (
  'registration_started', 'registration_completed', 'registration_failed', 'authentication_started', 'authentication_completed',
  'authentication_failed', 'passkey_removed', 'passkey_restored', 'passkey_updated', 'rate_limit_exceeded', 'challenge_expired',
  'counter_mismatch', 'recovery_enabled', 'recovery_disabled', 'recovery_started', 'recovery_cancelled', 'recovery_used')) not valid;
