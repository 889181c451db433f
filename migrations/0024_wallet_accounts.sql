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
