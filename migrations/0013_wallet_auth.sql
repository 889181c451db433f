-- Who signs in to the wallet: people, how they prove who they are, and their sessions. Nothing here has to do with blocks: neither a
-- rollback nor a rebuild touches it, and the role that reads for strangers does not see it.

create schema wallet_auth;
comment on schema wallet_auth is 'People who sign in to the wallet, and their sessions.';

create table wallet_auth.users (
  id uuid primary key default gen_random_uuid(),
  email text unique check (email = lower(email)),
  email_confirmed_at timestamptz,
  app_metadata jsonb not null default '{}' check (jsonb_typeof(app_metadata) = 'object'),
  user_metadata jsonb not null default '{}' check (jsonb_typeof(user_metadata) = 'object'),
  banned_until timestamptz,
  last_sign_in_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

comment on table wallet_auth.users is 'People who sign in.';
comment on column wallet_auth.users.id is 'Names the person, in tokens too (sub).';
comment on column wallet_auth.users.email is 'E-mail address, lower case, ASCII; null: there is none.';
comment on column wallet_auth.users.email_confirmed_at is 'When the person first showed that mail to the address is theirs; null: not yet.';
comment on column wallet_auth.users.app_metadata is 'What the operator says of the person, such as roles; they cannot change it.';
comment on column wallet_auth.users.user_metadata is 'What the person says of themselves. Gives no rights.';
comment on column wallet_auth.users.banned_until is 'Until then they cannot sign in, and their sessions are refused; null: they can. Set by the operator.';
comment on column wallet_auth.users.last_sign_in_at is 'When a session was last opened.';
comment on column wallet_auth.users.created_at is 'When the row was made.';
comment on column wallet_auth.users.updated_at is 'When the row was last changed.';

create table wallet_auth.identities (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references wallet_auth.users (id) on delete cascade,
  provider text not null,
  provider_id text not null,
  identity_data jsonb not null default '{}',
  last_sign_in_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (provider, provider_id)
);
create index identities_user on wallet_auth.identities (user_id);

comment on table wallet_auth.identities is 'Accounts elsewhere by which people sign in; their own mailbox is one too.';
comment on column wallet_auth.identities.id is 'Names the row.';
comment on column wallet_auth.identities.user_id is 'Whose it is.';
comment on column wallet_auth.identities.provider is 'email, github or google.';
comment on column wallet_auth.identities.provider_id is 'What the provider calls the account, for good; of email the id of the user.';
comment on column wallet_auth.identities.identity_data is 'What the provider said of the account: e-mail address, name, picture.';
comment on column wallet_auth.identities.last_sign_in_at is 'When the person last signed in by it.';
comment on column wallet_auth.identities.created_at is 'When the person first signed in by it.';
comment on column wallet_auth.identities.updated_at is 'When the row was last changed.';

create table wallet_auth.sessions (
  id uuid primary key,
  user_id uuid not null references wallet_auth.users (id) on delete cascade,
  method text not null,
  authenticated_at timestamptz not null default now(),
  refreshed_at timestamptz not null default now(),
  not_after timestamptz not null,
  ip inet,
  user_agent text,
  client_id text,
  opened_by uuid references wallet_auth.sessions (id) on delete cascade,
  check ((client_id is null) = (opened_by is null))
);
create index sessions_user on wallet_auth.sessions (user_id);
create index sessions_end on wallet_auth.sessions (not_after);

comment on table wallet_auth.sessions is 'Sessions: one for each time that somebody signed in, until they sign out or it ends.';
comment on column wallet_auth.sessions.id is 'Names the session, in access tokens too (session_id).';
comment on column wallet_auth.sessions.user_id is 'Whose it is.';
comment on column wallet_auth.sessions.method is 'How they proved who they are: otp (e-mail), oauth or webauthn (passkey).';
comment on column wallet_auth.sessions.authenticated_at is 'When they proved it.';
comment on column wallet_auth.sessions.refreshed_at is 'When an access token was last given.';
comment on column wallet_auth.sessions.not_after is 'When it ends, however often it is refreshed.';
comment on column wallet_auth.sessions.ip is 'From where they signed in.';
comment on column wallet_auth.sessions.user_agent is 'What their browser called itself then.';
comment on column wallet_auth.sessions.client_id is 'The client that has the session, such as editor; null: the wallet itself. A session of a client changes neither passkeys nor the user.';
comment on column wallet_auth.sessions.opened_by is 'Of a client: the session of the wallet in which its user let it in. It ends with that.';
create index sessions_opened_by on wallet_auth.sessions (opened_by) where opened_by is not null;

create table wallet_auth.refresh_tokens (
  token_hash bytea primary key check (octet_length(token_hash) = 32),
  session_id uuid not null references wallet_auth.sessions (id) on delete cascade,
  created_at timestamptz not null default now(),
  used_at timestamptz
);
create index refresh_tokens_session on wallet_auth.refresh_tokens (session_id);

comment on table wallet_auth.refresh_tokens is 'Refresh tokens: each is used once and followed by the next. One that comes a second time ends its session.';
comment on column wallet_auth.refresh_tokens.token_hash is 'SHA-256 of the token, which is kept nowhere.';
comment on column wallet_auth.refresh_tokens.session_id is 'The session that it keeps up.';
comment on column wallet_auth.refresh_tokens.created_at is 'When it was given.';
comment on column wallet_auth.refresh_tokens.used_at is 'When it was traded for the next; null: it is the one that is good.';

create table wallet_auth.one_time_tokens (
  id bigint generated always as identity primary key,
  token_hash bytea not null unique check (octet_length(token_hash) = 32),
  kind text not null check (kind in ('email', 'session', 'code')),
  user_id uuid references wallet_auth.users (id) on delete cascade,
  email text,
  code_hash bytea check (octet_length(code_hash) = 32),
  code_salt bytea,
  code_attempts smallint not null default 0,
  method text not null,
  redirect_to text,
  code_challenge text,
  user_metadata jsonb not null default '{}',
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  asked_by bytea check (octet_length(asked_by) = 32),
  attempts_elsewhere smallint not null default 0,
  check ((kind = 'email') = (email is not null)),
  check (kind = 'email' or user_id is not null),
  check ((code_hash is null) = (code_salt is null))
);
create unique index one_time_tokens_email on wallet_auth.one_time_tokens (email) where kind = 'email';
create index one_time_tokens_end on wallet_auth.one_time_tokens (expires_at);
create index one_time_tokens_user on wallet_auth.one_time_tokens (user_id);

comment on table wallet_auth.one_time_tokens is 'What is traded once for a session, and then deleted.';
comment on column wallet_auth.one_time_tokens.id is 'Number of the row.';
comment on column wallet_auth.one_time_tokens.token_hash is 'SHA-256 of the token, which only its receiver has.';
comment on column wallet_auth.one_time_tokens.kind is 'email: sent by e-mail, the last for each address; session: after a sign-in by passkey; code: given to a page after a sign-in elsewhere or by a link, and good only with the code verifier of that page.';
comment on column wallet_auth.one_time_tokens.user_id is 'Whose it is. Null: of the address, which gets a user when the token is used.';
comment on column wallet_auth.one_time_tokens.email is 'Of email: the address that it was sent to.';
comment on column wallet_auth.one_time_tokens.code_hash is 'Of email: HMAC-SHA256 of the code of six digits, with a key that is not in this table.';
comment on column wallet_auth.one_time_tokens.code_salt is 'What is hashed with the code.';
comment on column wallet_auth.one_time_tokens.code_attempts is 'Wrong codes so far. After five the code is dead; the link is not.';
comment on column wallet_auth.one_time_tokens.method is 'How the person proves who they are by it: otp, oauth or webauthn.';
comment on column wallet_auth.one_time_tokens.redirect_to is 'Where the link leads in the end; null: to the wallet.';
comment on column wallet_auth.one_time_tokens.code_challenge is 'SHA-256 of the code verifier of the page that began, base64url (PKCE, S256); null: it had none.';
comment on column wallet_auth.one_time_tokens.user_metadata is 'What a user that is made by it says of themselves.';
comment on column wallet_auth.one_time_tokens.created_at is 'When it was made.';
comment on column wallet_auth.one_time_tokens.expires_at is 'From when on it is no longer good.';
comment on column wallet_auth.one_time_tokens.asked_by is 'Of email: SHA-256 of the network of the client that asked for it; null: a program of the operator.';
comment on column wallet_auth.one_time_tokens.attempts_elsewhere is 'Wrong codes from other networks than asked_by; part of code_attempts.';

create table wallet_auth.flow_states (
  state_hash bytea primary key check (octet_length(state_hash) = 32),
  browser_hash bytea not null check (octet_length(browser_hash) = 32),
  provider text not null,
  redirect_to text not null,
  code_challenge text not null,
  expires_at timestamptz not null
);
create index flow_states_end on wallet_auth.flow_states (expires_at);

comment on table wallet_auth.flow_states is 'Sign-ins at GitHub or Google that were begun and have not come back.';
comment on column wallet_auth.flow_states.state_hash is 'SHA-256 of the state that goes there and back.';
comment on column wallet_auth.flow_states.browser_hash is 'SHA-256 of the cookie of the browser that began: none other can end it.';
comment on column wallet_auth.flow_states.provider is 'github or google.';
comment on column wallet_auth.flow_states.redirect_to is 'The page that is gone back to in the end.';
comment on column wallet_auth.flow_states.code_challenge is 'Of that page, as in wallet_auth.one_time_tokens.';
comment on column wallet_auth.flow_states.expires_at is 'From when on it is no longer good.';

create table wallet_auth.signing_keys (
  id integer primary key default 1 check (id = 1),
  private_key text not null,
  created_at timestamptz not null default now()
);

comment on table wallet_auth.signing_keys is 'The key that signs access tokens where the operator has set none.';
comment on column wallet_auth.signing_keys.id is 'Always 1.';
comment on column wallet_auth.signing_keys.private_key is 'PKCS #8 (PEM), ES256. Whoever reads it can be everybody: back it up as a secret.';
comment on column wallet_auth.signing_keys.created_at is 'When it was made.';

create unlogged table wallet_auth.rate_limits (
  action text not null,
  subject bytea not null,
  full_at timestamptz not null,
  primary key (action, subject)
) with (fillfactor = 50);
create index rate_limits_end on wallet_auth.rate_limits (full_at);

comment on table wallet_auth.rate_limits is 'How often somebody did something lately. A crash of the server empties it.';
comment on column wallet_auth.rate_limits.action is 'What, such as verify or mail.';
comment on column wallet_auth.rate_limits.subject is 'SHA-256 of who: an address on the net, an e-mail address or a user.';
comment on column wallet_auth.rate_limits.full_at is 'When they may do it as often as ever again; each time moves it on. Later than the period of the limit from now: not now.';

create table wallet_auth.audit_log (
  id bigint generated always as identity primary key,
  at timestamptz not null default now(),
  event text not null,
  user_id uuid,
  session_id uuid,
  ip inet,
  user_agent text,
  detail jsonb not null default '{}'
);
create index audit_log_user on wallet_auth.audit_log (user_id, id);
create index audit_log_at on wallet_auth.audit_log (at);

comment on table wallet_auth.audit_log is 'What happened to people''s accounts and sessions, for 90 days.';
comment on column wallet_auth.audit_log.id is 'Number of the row.';
comment on column wallet_auth.audit_log.at is 'When.';
comment on column wallet_auth.audit_log.event is 'user_created, identity_added, signed_in, signed_out, token_reused, code_failed, user_changed, link_made, email_change_asked, email_changed or user_removed.';
comment on column wallet_auth.audit_log.user_id is 'Of whom; null where it is of no user. Users that were removed are named here yet.';
comment on column wallet_auth.audit_log.session_id is 'In which session; null: in none.';
comment on column wallet_auth.audit_log.ip is 'From where.';
comment on column wallet_auth.audit_log.user_agent is 'What their browser called itself.';
comment on column wallet_auth.audit_log.detail is 'More: the method or provider, the scope of a sign-out. Never a secret.';

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
  expires_at timestamptz not null,
  is_confirmed boolean not null default false
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
comment on column wallet_auth.email_changes.is_confirmed is 'A passkey of the user confirmed it. A user with a passkey can change the address no other way.';

-- Sign-in of other programs of the operator (clients), such as the editor: authorization codes (RFC 6749) with PKCE (RFC 7636).
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

-- E-mails that report a change of a user or of their passkeys. Each is committed with its change, so that a killed process loses none.

create table wallet_auth.outgoing_mails (
  id bigint generated always as identity primary key,
  recipient text not null,
  subject text not null,
  text text not null,
  html text not null,
  attempts integer not null default 0,
  created_at timestamptz not null default now(),
  next_attempt_at timestamptz not null default now()
);
create index outgoing_mails_next on wallet_auth.outgoing_mails (next_attempt_at);
comment on table wallet_auth.outgoing_mails is 'E-mails that are not sent yet. A row is deleted when the mail server accepted the e-mail, or after a day. E-mails with codes and links are never stored.';
comment on column wallet_auth.outgoing_mails.id is 'Number of the row.';
comment on column wallet_auth.outgoing_mails.recipient is 'Address of the owner.';
comment on column wallet_auth.outgoing_mails.subject is 'Subject.';
comment on column wallet_auth.outgoing_mails.text is 'Body as plain text.';
comment on column wallet_auth.outgoing_mails.html is 'Body as HTML.';
comment on column wallet_auth.outgoing_mails.attempts is 'Attempts to send it, including one under way.';
comment on column wallet_auth.outgoing_mails.created_at is 'When the change was made.';
comment on column wallet_auth.outgoing_mails.next_attempt_at is 'When it is sent, or sent again; while a process sends it, when another process may take it over.';
