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

-- Changes of e-mail addresses that wait for their new address to be shown.
create table wallet_auth.email_changes (
  user_id uuid primary key references wallet_auth.users (id) on delete cascade,
  email text not null check (email = lower(email)),
  token_hash bytea not null unique check (octet_length(token_hash) = 32),
  code_hash bytea not null check (octet_length(code_hash) = 32),
  code_salt bytea not null,
  code_attempts smallint not null default 0,
  redirect_to text,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null
);
create index email_changes_end on wallet_auth.email_changes (expires_at);

comment on table wallet_auth.email_changes is 'E-mail addresses that people want instead of theirs, until they have shown that mail to them is theirs; the last one of each.';
comment on column wallet_auth.email_changes.user_id is 'Who wants it. Nobody else can confirm it.';
comment on column wallet_auth.email_changes.email is 'The address that is wanted, lower case, ASCII.';
comment on column wallet_auth.email_changes.token_hash is 'SHA-256 of the token in the link that was sent there.';
comment on column wallet_auth.email_changes.code_hash is 'HMAC-SHA256 of the code of six digits, with a key that is not in this table.';
comment on column wallet_auth.email_changes.code_salt is 'What is hashed with the code.';
comment on column wallet_auth.email_changes.code_attempts is 'Wrong codes so far. After five the code is dead.';
comment on column wallet_auth.email_changes.redirect_to is 'The page that the link opens; null: that of the wallet.';
comment on column wallet_auth.email_changes.created_at is 'When it was asked for.';
comment on column wallet_auth.email_changes.expires_at is 'From when on it is no longer good.';

comment on column wallet_auth.audit_log.event is 'user_created, identity_added, signed_in, signed_out, token_reused, code_failed, user_changed, link_made, email_change_asked, email_changed or user_removed.';
