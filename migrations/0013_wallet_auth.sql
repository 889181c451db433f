-- Independent of blocks: rollbacks and rebuilds leave it unchanged, and flowfarm_reader has no access.

create schema wallet_auth;
comment on schema wallet_auth is 'Wallet users and their sessions.';

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

comment on table wallet_auth.users is 'Users of the wallet.';
comment on column wallet_auth.users.id is 'User id, sub in tokens.';
comment on column wallet_auth.users.email is 'Lower case, ASCII; null if none.';
comment on column wallet_auth.users.email_confirmed_at is 'First confirmation of the e-mail address, or null.';
comment on column wallet_auth.users.app_metadata is 'Attributes set by the operator, such as roles.';
comment on column wallet_auth.users.user_metadata is 'Attributes set by the user, without rights.';
comment on column wallet_auth.users.banned_until is 'Until then sign-ins and sessions are refused. Set by the operator; null if not banned.';

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

comment on table wallet_auth.identities is 'Sign-in identities: GitHub and Google accounts and e-mail addresses.';
comment on column wallet_auth.identities.provider is 'email, github or google.';
comment on column wallet_auth.identities.provider_id is 'Permanent account id at the provider; for email the user id.';
comment on column wallet_auth.identities.identity_data is 'Data from the provider: e-mail address, name, picture.';
comment on column wallet_auth.identities.created_at is 'First sign-in.';

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

comment on table wallet_auth.sessions is 'Sessions, one per sign-in, until sign-out or expiry.';
comment on column wallet_auth.sessions.id is 'Session id, session_id in access tokens.';
comment on column wallet_auth.sessions.method is 'otp (e-mail), oauth or webauthn (passkey).';
comment on column wallet_auth.sessions.authenticated_at is 'Time of the authentication.';
comment on column wallet_auth.sessions.refreshed_at is 'Last issue of an access token.';
comment on column wallet_auth.sessions.not_after is 'Expiry, regardless of refreshes.';
comment on column wallet_auth.sessions.ip is 'IP address at sign-in.';
comment on column wallet_auth.sessions.user_agent is 'User agent at sign-in.';
comment on column wallet_auth.sessions.client_id is 'Client that holds the session, e.g. editor; null for the wallet. A client session cannot change passkeys or the user.';
comment on column wallet_auth.sessions.opened_by is 'Wallet session in which the user authorized the client. The client session ends with it.';
create index sessions_opened_by on wallet_auth.sessions (opened_by) where opened_by is not null;

create table wallet_auth.refresh_tokens (
  token_hash bytea primary key check (octet_length(token_hash) = 32),
  session_id uuid not null references wallet_auth.sessions (id) on delete cascade,
  created_at timestamptz not null default now(),
  used_at timestamptz
);
create index refresh_tokens_session on wallet_auth.refresh_tokens (session_id);

comment on table wallet_auth.refresh_tokens is 'Single-use refresh tokens. Reuse of one ends its session.';
comment on column wallet_auth.refresh_tokens.token_hash is 'SHA-256 of the token. The token itself is not stored.';
comment on column wallet_auth.refresh_tokens.used_at is 'Time of use; null for the valid token.';

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

comment on table wallet_auth.one_time_tokens is 'Single-use tokens that are exchanged for a session and then deleted.';
comment on column wallet_auth.one_time_tokens.token_hash is 'SHA-256 of the token.';
comment on column wallet_auth.one_time_tokens.kind is 'email (sent by e-mail, the latest per address), session (after a passkey sign-in), code (issued to a page after an external or link sign-in; requires the page''s code verifier).';
comment on column wallet_auth.one_time_tokens.user_id is 'Owner; null for an e-mail address whose user is created when the token is used.';
comment on column wallet_auth.one_time_tokens.email is 'Recipient, for kind email.';
comment on column wallet_auth.one_time_tokens.code_hash is 'HMAC-SHA256 of the six-digit code for kind email, with a key that is not in this table.';
comment on column wallet_auth.one_time_tokens.code_salt is 'Salt of the code hash.';
comment on column wallet_auth.one_time_tokens.code_attempts is 'Wrong codes so far. Five disable the code, but not the link.';
comment on column wallet_auth.one_time_tokens.method is 'Authentication method: otp, oauth or webauthn.';
comment on column wallet_auth.one_time_tokens.redirect_to is 'Final redirect of the link; null for the wallet.';
comment on column wallet_auth.one_time_tokens.code_challenge is 'SHA-256 of the code verifier of the initiating page, base64url (PKCE S256), or null.';
comment on column wallet_auth.one_time_tokens.user_metadata is 'Attributes of a user that the token creates.';
comment on column wallet_auth.one_time_tokens.asked_by is 'SHA-256 of the requesting client''s network, for kind email; null for a program of the operator.';
comment on column wallet_auth.one_time_tokens.attempts_elsewhere is 'Wrong codes from networks other than asked_by; included in code_attempts.';

create table wallet_auth.flow_states (
  state_hash bytea primary key check (octet_length(state_hash) = 32),
  browser_hash bytea not null check (octet_length(browser_hash) = 32),
  provider text not null,
  redirect_to text not null,
  code_challenge text not null,
  expires_at timestamptz not null
);
create index flow_states_end on wallet_auth.flow_states (expires_at);

comment on table wallet_auth.flow_states is 'Pending sign-ins with GitHub or Google.';
comment on column wallet_auth.flow_states.state_hash is 'SHA-256 of the state parameter.';
comment on column wallet_auth.flow_states.browser_hash is 'SHA-256 of the cookie of the initiating browser, which must complete the sign-in.';
comment on column wallet_auth.flow_states.provider is 'github or google.';
comment on column wallet_auth.flow_states.redirect_to is 'Final redirect.';
comment on column wallet_auth.flow_states.code_challenge is 'As in wallet_auth.one_time_tokens.';

create table wallet_auth.signing_keys (
  id integer primary key default 1 check (id = 1),
  private_key text not null,
  created_at timestamptz not null default now()
);

comment on table wallet_auth.signing_keys is 'Key that signs access tokens, unless the operator configured one.';
comment on column wallet_auth.signing_keys.id is 'Always 1.';
comment on column wallet_auth.signing_keys.private_key is 'PKCS #8 (PEM), ES256. It can sign tokens for any user: protect backups.';

create unlogged table wallet_auth.rate_limits (
  action text not null,
  subject bytea not null,
  full_at timestamptz not null,
  primary key (action, subject)
) with (fillfactor = 50);
create index rate_limits_end on wallet_auth.rate_limits (full_at);

comment on table wallet_auth.rate_limits is 'Rate limits. Unlogged: a server crash empties the table.';
comment on column wallet_auth.rate_limits.action is 'Limited action, e.g. verify or mail.';
comment on column wallet_auth.rate_limits.subject is 'SHA-256 of the IP address, e-mail address or user.';
comment on column wallet_auth.rate_limits.full_at is 'Time when the full allowance is available again. Each use advances it; requests are refused while it is further away than the period of the limit.';

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

comment on table wallet_auth.audit_log is 'Account and session events, kept for 90 days.';
comment on column wallet_auth.audit_log.event is 'user_created, identity_added, signed_in, signed_out, token_reused, code_failed, user_changed, link_made, email_change_asked, email_changed or user_removed.';
comment on column wallet_auth.audit_log.user_id is 'User, possibly deleted; null if unknown.';
comment on column wallet_auth.audit_log.detail is 'Method, provider or scope of the sign-out. Never a secret.';

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

comment on table wallet_auth.email_changes is 'Requested e-mail changes that await confirmation, one per user.';
comment on column wallet_auth.email_changes.user_id is 'User, who alone can confirm it.';
comment on column wallet_auth.email_changes.email is 'New address, lower case, ASCII.';
comment on column wallet_auth.email_changes.token_hash is 'SHA-256 of the token in the link.';
comment on column wallet_auth.email_changes.code_hash is 'HMAC-SHA256 of the six-digit code, with a key that is not in this table.';
comment on column wallet_auth.email_changes.code_salt is 'Salt of the code hash.';
comment on column wallet_auth.email_changes.code_attempts is 'Wrong codes so far. Five disable the code.';
comment on column wallet_auth.email_changes.redirect_to is 'Final redirect of the link; null for the wallet.';
comment on column wallet_auth.email_changes.is_confirmed is 'Whether a passkey confirmed it, which is required if the user has one.';

-- Sign-in to other programs of the operator (clients): authorization codes (RFC 6749) with PKCE (RFC 7636).
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
comment on table wallet_auth.client_codes is 'Unused authorization codes of clients. The statement that reads a code deletes it.';
comment on column wallet_auth.client_codes.code_hash is 'SHA-256 of the code.';
comment on column wallet_auth.client_codes.client_id is 'Client that can exchange it.';
comment on column wallet_auth.client_codes.redirect_uri is 'Redirect URI, which the client must repeat.';
comment on column wallet_auth.client_codes.code_challenge is 'SHA-256 of the code verifier of the initiating page, base64url (PKCE S256).';
comment on column wallet_auth.client_codes.user_id is 'User id (sub) at the auth server.';
comment on column wallet_auth.client_codes.session_id is 'Wallet session that authorized the client.';
comment on column wallet_auth.client_codes.expires_at is 'One minute after creation.';

-- Committed together with the reported change, so that a killed process loses no e-mail.

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
comment on table wallet_auth.outgoing_mails is 'Unsent e-mails about changes to a user or its passkeys. A row is deleted when the mail server accepts the e-mail, or after a day. E-mails with codes and links are never stored.';
comment on column wallet_auth.outgoing_mails.text is 'Plain-text body.';
comment on column wallet_auth.outgoing_mails.html is 'HTML body.';
comment on column wallet_auth.outgoing_mails.attempts is 'Attempts, including one in progress.';
comment on column wallet_auth.outgoing_mails.created_at is 'Time of the change.';
comment on column wallet_auth.outgoing_mails.next_attempt_at is 'Time of the next attempt, or when another process can take over an attempt in progress.';
