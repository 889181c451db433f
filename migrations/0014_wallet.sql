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
  action_hash bytea check (octet_length(action_hash) = 32),
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
comment on column wallet.challenges.action_hash is 'SHA-256 of the change that the answer confirms, with its object; null: a sign-in, or the registration of a first passkey.';

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

-- Accounts on the chain that passkeys sign for, and the transactions by which a payer of ours made them. None of it is derived from the chain:
-- a rollback or a rebuild leaves it alone.

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

comment on table wallet.accounts is 'The account that a passkey has on each network, or how far it is made.';
comment on column wallet.accounts.credential_id is 'The passkey, base64url.';
comment on column wallet.accounts.network is 'mainnet or testnet; an emulator stands in for testnet.';
comment on column wallet.accounts.user_id is 'Whose passkey it was when the account was last asked for.';
comment on column wallet.accounts.public_key is 'Key of the passkey, x and y. The account counts only for a passkey with this key.';
comment on column wallet.accounts.state is 'wanted: a transaction is to be made; sent: one is under way; sealed: the chain shows the account with the key; failed: it was given up.';
comment on column wallet.accounts.is_imported is 'The account was there before; its owner named it.';
comment on column wallet.accounts.address is 'Its address, when the chain has shown the key there.';
comment on column wallet.accounts.key_index is 'Which key of the account that of the passkey is.';
comment on column wallet.accounts.transaction_id is 'The last transaction that was to make it; null: none was.';
comment on column wallet.accounts.attempts is 'Transactions that were made since somebody last asked for the account.';
comment on column wallet.accounts.failure_code is 'Why it was given up, for programs.';
comment on column wallet.accounts.failure is 'The same for people; it may have words of the chain.';
comment on column wallet.accounts.may_retry is 'Whether who asks again may be given another transaction: not where the fate of the last one is unknown.';
comment on column wallet.accounts.created_at is 'When it was first asked for.';
comment on column wallet.accounts.changed_at is 'When the state last changed.';
comment on column wallet.accounts.asked_by is 'SHA-256 of the mailbox and of the network of the client that last asked for it, which limits count.';

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
-- One at a time by each key of a payer, and for each account: whoever would send a second one is refused by the database.
create unique index payer_transactions_key on wallet.payer_transactions (network, payer, key_index) where outcome is null;
create unique index payer_transactions_account on wallet.payer_transactions (credential_id, network) where outcome is null;
create index payer_transactions_made on wallet.payer_transactions (network, made_at);
create index payer_transactions_user on wallet.payer_transactions (user_id, network, made_at);
create index payer_transactions_sequence on wallet.payer_transactions (network, payer, key_index, made_at desc) where outcome in ('succeeded', 'failed', 'out-of-turn');

comment on table wallet.payer_transactions is 'Transactions by which a payer makes accounts. Each is written here, signed, before it is sent.';
comment on column wallet.payer_transactions.id is 'Its id on the chain.';
comment on column wallet.payer_transactions.credential_id is 'The passkey whose account it makes.';
comment on column wallet.payer_transactions.network is 'As in wallet.accounts.';
comment on column wallet.payer_transactions.user_id is 'Who asked for the account.';
comment on column wallet.payer_transactions.payer is 'Who pays.';
comment on column wallet.payer_transactions.key_index is 'The key of the payer that signs. While one is under way the key signs no other.';
comment on column wallet.payer_transactions.sequence_number is 'Its sequence number.';
comment on column wallet.payer_transactions.reference_height is 'Height of the block that it names: some 600 blocks later none can hold it any more.';
comment on column wallet.payer_transactions.submission is 'What the access node is sent, so that the very same can be sent again; null when its fate is known.';
comment on column wallet.payer_transactions.outcome is 'succeeded, failed (it was run), out-of-turn (its sequence number was not the next), refused (by the node), expired (in no block), lost (its fate cannot be found out). Null: under way.';
comment on column wallet.payer_transactions.detail is 'What the chain said of a failure.';
comment on column wallet.payer_transactions.made_at is 'When it was made.';
comment on column wallet.payer_transactions.ended_at is 'When its fate was known.';
comment on column wallet.payer_transactions.asked_by is 'As in wallet.accounts.';

-- Accounts that people have in the wallet beside the one that each passkey has of its own on a network: those that they named, and those of a
-- passkey that was removed while another one was a key on the chain.

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

comment on table wallet.further_accounts is 'Accounts of people beside the one that each of their passkeys has in wallet.accounts. The chain has shown one of their passkeys as a key of each.';
comment on column wallet.further_accounts.user_id is 'Whose it is, as in wallet.passkeys.';
comment on column wallet.further_accounts.network is 'As in wallet.accounts.';
comment on column wallet.further_accounts.address is 'Its address.';
comment on column wallet.further_accounts.credential_id is 'The passkey that the chain showed as a key when it was last looked at.';
comment on column wallet.further_accounts.public_key is 'Key of that passkey, x and y.';
comment on column wallet.further_accounts.key_index is 'Which key of the account that is.';
comment on column wallet.further_accounts.is_imported is 'Its owner named it; otherwise it was that of a passkey that they removed.';
comment on column wallet.further_accounts.added_at is 'When it was added.';
comment on column wallet.further_accounts.changed_at is 'When its passkey last became another one.';
