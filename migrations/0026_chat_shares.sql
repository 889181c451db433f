-- Shared conversations of the chat. Independent of blocks; flowfarm_reader has no access.

create table app.chat_shares (
  token_hash bytea primary key,
  revoke_hash bytea not null,
  owner text not null,
  snapshot text not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null
);

create index chat_shares_owner on app.chat_shares (owner, expires_at);
create index chat_shares_expiry on app.chat_shares (expires_at);

comment on table app.chat_shares is 'Conversations of the chat that users shared by link.';
comment on column app.chat_shares.token_hash is 'SHA-256 of the token in the link.';
comment on column app.chat_shares.revoke_hash is 'SHA-256 of the key that revokes the link.';
comment on column app.chat_shares.owner is 'SHA-256 of API_TOKEN and of the network of the client, hex.';
comment on column app.chat_shares.snapshot is 'Title and messages, JSON.';
comment on column app.chat_shares.expires_at is 'Expired links are not served, and deleted when a chat is shared.';
