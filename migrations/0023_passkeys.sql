-- Passkeys of those who sign in to the wallet. Nothing here has to do with blocks: neither a rollback nor a rebuild touches it, and the
-- role that reads for strangers does not see it. Users may be kept by an auth server elsewhere, so nothing refers to wallet_auth.users.

create schema wallet;
comment on schema wallet is 'Passkeys of people, and what they are good for on the chain.';

create table wallet.user_handles (
  user_id uuid primary key,
  handle bytea not null unique check (octet_length(handle) = 32),
  created_at timestamptz not null default now()
);

comment on table wallet.user_handles is 'How authenticators know people: a name that never changes, so that each account is one entry in a password manager.';
comment on column wallet.user_handles.user_id is 'The person, as the auth server names them (sub).';
comment on column wallet.user_handles.handle is 'Random, and tells nothing of the person.';
comment on column wallet.user_handles.created_at is 'When the person first began to make a passkey.';

create table wallet.passkeys (
  credential_id text primary key check (credential_id ~ '^[A-Za-z0-9_-]+$' and length(credential_id) between 22 and 1364),
  user_id uuid not null references wallet.user_handles (user_id),
  rp_id text not null,
  public_key bytea not null,
  public_key_sec1 bytea not null unique check (octet_length(public_key_sec1) = 65),
  counter bigint not null check (counter between 0 and 4294967295),
  device_type text not null check (device_type in ('singleDevice', 'multiDevice')),
  is_backed_up boolean not null check (device_type = 'multiDevice' or not is_backed_up),
  transports text[] not null default '{}',
  aaguid uuid not null,
  name text not null,
  created_at timestamptz not null default now(),
  last_used_at timestamptz,
  removed_at timestamptz
);
create index passkeys_user on wallet.passkeys (user_id, created_at);

comment on table wallet.passkeys is 'Passkeys. Those that were removed stay, since accounts on the chain may have their keys; nobody signs in by them.';
comment on column wallet.passkeys.credential_id is 'As its authenticator names it, base64url.';
comment on column wallet.passkeys.user_id is 'Whose it is.';
comment on column wallet.passkeys.rp_id is 'The relying party that it was made for; it is good for no other.';
comment on column wallet.passkeys.public_key is 'Its key as the authenticator wrote it: COSE, ES256.';
comment on column wallet.passkeys.public_key_sec1 is 'The same as accounts on the chain have it: 04, x and y. Authenticators make one for each passkey; a second time it is somebody else''s, read on the chain.';
comment on column wallet.passkeys.counter is 'The highest signature counter that was seen; 0: it does not count. One that does not grow is a copy.';
comment on column wallet.passkeys.device_type is 'singleDevice or multiDevice: whether it may be on several devices. It never changes.';
comment on column wallet.passkeys.is_backed_up is 'Whether it was backed up when it was last used.';
comment on column wallet.passkeys.transports is 'How browsers reach its authenticator, such as internal, hybrid or usb.';
comment on column wallet.passkeys.aaguid is 'Kind of the authenticator, as it says itself.';
comment on column wallet.passkeys.name is 'What its owner calls it.';
comment on column wallet.passkeys.created_at is 'When it was made.';
comment on column wallet.passkeys.last_used_at is 'When its owner last signed in or confirmed something by it; null: never.';
comment on column wallet.passkeys.removed_at is 'When its owner removed it; null: it is good.';

-- What is lost in a crash is asked for anew.
create unlogged table wallet.challenges (
  id uuid primary key default gen_random_uuid(),
  challenge_hash bytea not null check (octet_length(challenge_hash) = 32),
  kind text not null check (kind in ('registration', 'sign-in', 'confirmation')),
  user_id uuid,
  email_hash bytea check (octet_length(email_hash) = 32),
  rp_id text not null,
  expires_at timestamptz not null,
  check ((kind = 'sign-in') = (user_id is null)),
  check (kind = 'sign-in' or email_hash is null)
);
create index challenges_end on wallet.challenges (expires_at);

comment on table wallet.challenges is 'What authenticators are to sign. Each is deleted by whoever answers it, so that it is answered once.';
comment on column wallet.challenges.id is 'Names it towards whoever asked for it.';
comment on column wallet.challenges.challenge_hash is 'SHA-256 of the challenge, which only its receiver has.';
comment on column wallet.challenges.kind is 'registration: of a new passkey; sign-in; confirmation: of a change by somebody who is signed in.';
comment on column wallet.challenges.user_id is 'Who may answer it; of sign-in null.';
comment on column wallet.challenges.email_hash is 'Of sign-in: SHA-256 of the e-mail address whose account is meant, lower case; null: whichever account the passkey is of.';
comment on column wallet.challenges.rp_id is 'The relying party.';
comment on column wallet.challenges.expires_at is 'From when on it is no longer good.';

create table wallet.audit_log (
  id bigint generated always as identity primary key,
  at timestamptz not null default now(),
  event text not null check (event in (
    'registration_started', 'registration_completed', 'registration_failed', 'authentication_started', 'authentication_completed',
    'authentication_failed', 'passkey_removed', 'passkey_updated', 'rate_limit_exceeded', 'challenge_expired', 'counter_mismatch')),
  is_done boolean not null,
  user_id uuid,
  credential_id text,
  ip inet,
  origin text,
  user_agent text,
  reason text
);
create index audit_log_user on wallet.audit_log (user_id, id);
create index audit_log_nobody on wallet.audit_log (at) where user_id is null;

comment on table wallet.audit_log is 'What happened to passkeys, whether it was done or refused. Lines of no user are kept 90 days, the others for good.';
comment on column wallet.audit_log.id is 'Number of the row.';
comment on column wallet.audit_log.at is 'When.';
comment on column wallet.audit_log.event is 'What.';
comment on column wallet.audit_log.is_done is 'False: it was refused.';
comment on column wallet.audit_log.user_id is 'Of whom; null: nobody knows.';
comment on column wallet.audit_log.credential_id is 'Which passkey; null: none.';
comment on column wallet.audit_log.ip is 'From where; proxies are believed as far as TRUSTED_PROXIES says.';
comment on column wallet.audit_log.origin is 'Origin of the page, as the browser says; null: it was no page.';
comment on column wallet.audit_log.user_agent is 'What the browser calls itself, the first 400 characters.';
comment on column wallet.audit_log.reason is 'Why it was refused, or what it was for; a word or two, and never a secret.';
