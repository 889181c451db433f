-- Sign-in of other programs of the operator (clients), such as the editor, at the wallet: authorization codes (RFC 6749) with PKCE (RFC 7636).

alter table wallet_auth.sessions
  add client_id text,
  add opened_by uuid references wallet_auth.sessions (id) on delete cascade,
  add check ((client_id is null) = (opened_by is null));
create index sessions_opened_by on wallet_auth.sessions (opened_by) where opened_by is not null;
comment on column wallet_auth.sessions.client_id is 'The client that has the session, such as editor; null: the wallet itself. A session of a client changes neither passkeys nor the user.';
comment on column wallet_auth.sessions.opened_by is 'Of a client: the session of the wallet in which its user let it in. It ends with that.';

create table wallet_auth.client_codes (
  code_hash bytea primary key check (octet_length(code_hash) = 32),
  client_id text not null,
  redirect_uri text not null,
  code_challenge text not null,
  user_id uuid not null,
  session_id text not null,
  expires_at timestamptz not null
);
create index client_codes_end on wallet_auth.client_codes (expires_at);
create index client_codes_user on wallet_auth.client_codes (user_id);
comment on table wallet_auth.client_codes is 'Authorization codes that clients have not traded for a session yet. Each is deleted by the statement that reads it.';
comment on column wallet_auth.client_codes.code_hash is 'SHA-256 of the code.';
comment on column wallet_auth.client_codes.client_id is 'The client that may trade it.';
comment on column wallet_auth.client_codes.redirect_uri is 'The page that it was sent to; the client has to repeat it.';
comment on column wallet_auth.client_codes.code_challenge is 'SHA-256 of the code verifier of the page that began, base64url (PKCE, S256).';
comment on column wallet_auth.client_codes.user_id is 'Who signs in, as the auth server names them (sub).';
comment on column wallet_auth.client_codes.session_id is 'The session of the wallet in which they let the client in, as the auth server names it.';
comment on column wallet_auth.client_codes.expires_at is 'When it expires, a minute after it was made.';
