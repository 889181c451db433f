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
