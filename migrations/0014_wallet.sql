-- Independent of blocks: rollbacks and rebuilds leave it unchanged, and flowfarm_reader has no access. An external
-- auth server can hold the users, so no foreign key refers to wallet_auth.users.

create schema wallet;
comment on schema wallet is 'Passkeys and the Flow accounts that they sign for.';

create table wallet.user_handles (
  user_id uuid primary key,
  handle bytea not null unique check (octet_length(handle) = 32),
  created_at timestamptz not null default now()
);

comment on table wallet.user_handles is 'WebAuthn user handles. They never change, so that a user is one entry in a password manager.';
comment on column wallet.user_handles.user_id is 'User id (sub) at the auth server.';
comment on column wallet.user_handles.handle is 'Random bytes.';

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

comment on table wallet.passkeys is 'Passkeys, including removed ones, whose keys accounts can still have.';
comment on column wallet.passkeys.credential_id is 'WebAuthn credential id, base64url.';
comment on column wallet.passkeys.rp_id is 'Relying party id.';
comment on column wallet.passkeys.public_key is 'Public key from the authenticator: COSE, ES256.';
comment on column wallet.passkeys.public_key_sec1 is 'Uncompressed SEC 1 form (04, x, y), as in account keys. Unique: a second registration would copy a key seen on the chain.';
comment on column wallet.passkeys.counter is 'Highest signature counter seen; 0 if unsupported. A counter that does not increase indicates a cloned passkey.';
comment on column wallet.passkeys.device_type is 'singleDevice or multiDevice, fixed at registration.';
comment on column wallet.passkeys.is_backed_up is 'Backup state at the last use.';
comment on column wallet.passkeys.transports is 'WebAuthn transports, e.g. internal, hybrid or usb.';
comment on column wallet.passkeys.aaguid is 'Authenticator model (AAGUID).';
comment on column wallet.passkeys.name is 'Display name.';
comment on column wallet.passkeys.last_used_at is 'Last sign-in or confirmation; null if never used.';
comment on column wallet.passkeys.removed_at is 'Time of removal, or null.';

-- Unlogged: clients request a new challenge after a crash.
create unlogged table wallet.challenges (
  id uuid primary key default gen_random_uuid(),
  challenge_hash bytea not null check (octet_length(challenge_hash) = 32),
  kind text not null check (kind in ('registration', 'sign-in', 'confirmation')),
  user_id uuid,
  email_hash bytea check (octet_length(email_hash) = 32),
  rp_id text not null,
  expires_at timestamptz not null,
  action_hash bytea check (octet_length(action_hash) = 32),
  check ((kind = 'sign-in') = (user_id is null)),
  check (kind = 'sign-in' or email_hash is null)
);
create index challenges_end on wallet.challenges (expires_at);

comment on table wallet.challenges is 'Pending WebAuthn challenges. The statement that reads a challenge deletes it.';
comment on column wallet.challenges.challenge_hash is 'SHA-256 of the challenge.';
comment on column wallet.challenges.kind is 'registration, sign-in or confirmation (of a change by a signed-in user).';
comment on column wallet.challenges.user_id is 'User who must answer; null for sign-in.';
comment on column wallet.challenges.email_hash is 'SHA-256 of the lower-case e-mail address for sign-in to one account; null for any account.';
comment on column wallet.challenges.rp_id is 'Relying party id.';
comment on column wallet.challenges.action_hash is 'SHA-256 of the change and its object that the answer confirms; null for a sign-in or the first registration.';

create table wallet.audit_log (
  id bigint generated always as identity primary key,
  at timestamptz not null default now(),
  event text not null check (event in (
    'registration_started', 'registration_completed', 'registration_failed', 'authentication_started', 'authentication_completed',
    'authentication_failed', 'passkey_removed', 'passkey_restored', 'passkey_updated', 'rate_limit_exceeded', 'challenge_expired', 'counter_mismatch')),
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

comment on table wallet.audit_log is 'Passkey events, including refused ones. Retention: 90 days for rows without a user, permanent for others.';
comment on column wallet.audit_log.is_done is 'False if refused.';
comment on column wallet.audit_log.user_id is 'User, or null if unknown.';
comment on column wallet.audit_log.credential_id is 'Passkey, or null.';
comment on column wallet.audit_log.ip is 'Client address; proxies are trusted as set by TRUSTED_PROXIES.';
comment on column wallet.audit_log.origin is 'Origin header of the page, or null.';
comment on column wallet.audit_log.user_agent is 'First 400 characters.';
comment on column wallet.audit_log.reason is 'Reason for refusal, or purpose. Never a secret.';

-- Not derived from the chain: rollbacks and rebuilds leave it unchanged.

create table wallet.accounts (
  credential_id text not null check (length(credential_id) <= 1400 and credential_id ~ '^[A-Za-z0-9_-]+$'),
  network text not null check (network in ('mainnet', 'testnet')),
  user_id uuid not null,
  public_key bytea not null check (length(public_key) = 64),
  state text not null check (state in ('wanted', 'sent', 'sealed', 'failed')),
  is_imported boolean not null default false,
  address text check (address ~ '^0x[0-9a-f]{16}$'),
  key_index integer check (key_index >= 0),
  transaction_id bytea check (length(transaction_id) = 32),
  attempts integer not null default 0 check (attempts >= 0),
  failure_code text,
  failure text,
  may_retry boolean,
  created_at timestamptz not null default now(),
  changed_at timestamptz not null default now(),
  asked_by bytea[] not null default '{}',
  primary key (credential_id, network),
  check ((state = 'sealed') = (address is not null) and (address is null) = (key_index is null)),
  check (state <> 'sent' or transaction_id is not null),
  check ((state = 'failed') = (failure_code is not null) and (failure_code is null) = (failure is null) and (failure is null) = (may_retry is null))
);
create index accounts_user on wallet.accounts (user_id, network);
create index accounts_open on wallet.accounts (network, changed_at) where state in ('wanted', 'sent');

comment on table wallet.accounts is 'Flow account of each passkey and network, and the state of its creation.';
comment on column wallet.accounts.credential_id is 'Passkey, base64url.';
comment on column wallet.accounts.network is 'mainnet or testnet; an emulator is recorded as testnet.';
comment on column wallet.accounts.user_id is 'Owner of the passkey at the last request.';
comment on column wallet.accounts.public_key is 'Passkey''s public key, x and y. The account is valid for this key only.';
comment on column wallet.accounts.state is 'wanted (awaiting a transaction), sent (transaction pending), sealed (the chain has the account with the key), failed (given up).';
comment on column wallet.accounts.is_imported is 'True for an existing account that the owner imported.';
comment on column wallet.accounts.address is 'Address, once the chain has the key there.';
comment on column wallet.accounts.key_index is 'Index of the passkey''s key in the account.';
comment on column wallet.accounts.transaction_id is 'Last creating transaction, or null.';
comment on column wallet.accounts.attempts is 'Transactions created since the last request.';
comment on column wallet.accounts.failure_code is 'Machine-readable reason for failure.';
comment on column wallet.accounts.failure is 'Message for the user; can contain text from the chain.';
comment on column wallet.accounts.may_retry is 'Whether a new request may create another transaction. False while the outcome of the last one is unknown.';
comment on column wallet.accounts.changed_at is 'Last change of state.';
comment on column wallet.accounts.asked_by is 'SHA-256 of the e-mail address and network of the last requesting client, for limits.';

create table wallet.payer_transactions (
  id bytea primary key check (length(id) = 32),
  credential_id text not null,
  network text not null,
  user_id uuid not null,
  payer text not null check (payer ~ '^0x[0-9a-f]{16}$'),
  key_index integer not null,
  sequence_number bigint not null,
  reference_height bigint not null,
  submission bytea,
  outcome text check (outcome in ('succeeded', 'failed', 'out-of-turn', 'refused', 'expired', 'lost')),
  detail text,
  made_at timestamptz not null default now(),
  ended_at timestamptz,
  asked_by bytea[] not null default '{}',
  foreign key (credential_id, network) references wallet.accounts (credential_id, network),
  check ((outcome is null) = (ended_at is null) and (outcome is null) = (submission is not null))
);
-- At most one pending transaction per payer key and per account.
create unique index payer_transactions_key on wallet.payer_transactions (network, payer, key_index) where outcome is null;
create unique index payer_transactions_account on wallet.payer_transactions (credential_id, network) where outcome is null;
create index payer_transactions_made on wallet.payer_transactions (network, made_at);
create index payer_transactions_user on wallet.payer_transactions (user_id, network, made_at);
create index payer_transactions_sequence on wallet.payer_transactions (network, payer, key_index, made_at desc) where outcome in ('succeeded', 'failed', 'out-of-turn');

comment on table wallet.payer_transactions is 'Account creation transactions, stored signed before they are sent.';
comment on column wallet.payer_transactions.id is 'Transaction id.';
comment on column wallet.payer_transactions.credential_id is 'Passkey whose account it creates.';
comment on column wallet.payer_transactions.network is 'As in wallet.accounts.';
comment on column wallet.payer_transactions.user_id is 'User who requested the account.';
comment on column wallet.payer_transactions.payer is 'Payer address.';
comment on column wallet.payer_transactions.key_index is 'Payer key index. A key has at most one pending transaction.';
comment on column wallet.payer_transactions.sequence_number is 'Sequence number of the payer key.';
comment on column wallet.payer_transactions.reference_height is 'Height of the reference block. The transaction expires about 600 blocks later.';
comment on column wallet.payer_transactions.submission is 'Signed transaction for resending; null once the outcome is known.';
comment on column wallet.payer_transactions.outcome is 'succeeded, failed (executed with an error), out-of-turn (wrong sequence number), refused (by the node), expired (in no block), lost (outcome cannot be determined). Null while pending.';
comment on column wallet.payer_transactions.detail is 'Error message from the chain.';
comment on column wallet.payer_transactions.asked_by is 'As in wallet.accounts.';

create table wallet.further_accounts (
  user_id uuid not null,
  network text not null check (network in ('mainnet', 'testnet')),
  address text not null check (address ~ '^0x[0-9a-f]{16}$'),
  credential_id text not null check (length(credential_id) <= 1400 and credential_id ~ '^[A-Za-z0-9_-]+$'),
  public_key bytea not null check (length(public_key) = 64),
  key_index integer not null check (key_index >= 0),
  is_imported boolean not null,
  added_at timestamptz not null default now(),
  changed_at timestamptz not null default now(),
  primary key (user_id, network, address)
);

comment on table wallet.further_accounts is 'Other accounts of a user: imported ones, and those of a removed passkey while another passkey has a key. A passkey of the user has been seen as a key of each.';
comment on column wallet.further_accounts.network is 'As in wallet.accounts.';
comment on column wallet.further_accounts.credential_id is 'Passkey last seen as a key.';
comment on column wallet.further_accounts.public_key is 'Public key of that passkey, x and y.';
comment on column wallet.further_accounts.key_index is 'Index of that key in the account.';
comment on column wallet.further_accounts.is_imported is 'True if imported by the owner; false if kept from a removed passkey.';
comment on column wallet.further_accounts.changed_at is 'Last change of its passkey.';
