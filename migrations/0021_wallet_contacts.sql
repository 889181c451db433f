-- Independent of blocks: rollbacks and rebuilds leave it unchanged, and flowfarm_reader has no access.

create table wallet.contacts (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null,
  name text not null check (length(name) between 1 and 100),
  address text not null check (address ~ '^0x([0-9a-f]{16}|[0-9a-f]{40})$'),
  created_at timestamptz not null default now()
);
create unique index contacts_name on wallet.contacts (user_id, lower(name));

comment on table wallet.contacts is 'Address books of users. Rows are inserted and deleted, never changed.';
comment on column wallet.contacts.user_id is 'User id (sub) at the auth server.';
comment on column wallet.contacts.name is 'Name that the user chose; unique per user, ignoring case.';
comment on column wallet.contacts.address is 'Flow or EVM address, lower case.';
comment on column wallet.contacts.created_at is 'Shown when the user sends to the contact.';
