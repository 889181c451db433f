-- Changes of passkeys and users are confirmed by an assertion for that very change, limits count mailboxes and networks, and other programs of
-- the operator sign people in by authorization codes.

alter table wallet_auth.one_time_tokens
  add asked_by bytea check (octet_length(asked_by) = 32),
  add attempts_elsewhere smallint not null default 0;
comment on column wallet_auth.one_time_tokens.asked_by is 'Of email: SHA-256 of the network of the client that asked for it; null: a program of the operator.';
comment on column wallet_auth.one_time_tokens.attempts_elsewhere is 'Wrong codes from other networks than asked_by; part of code_attempts.';

alter table wallet.challenges add action_hash bytea check (octet_length(action_hash) = 32);
comment on column wallet.challenges.action_hash is 'SHA-256 of the change that the answer confirms, with its object; null: a sign-in, or the registration of a first passkey.';

alter table wallet.audit_log drop constraint audit_log_event_check;
alter table wallet.audit_log add constraint audit_log_event_check check (event in (
  'registration_started', 'registration_completed', 'registration_failed', 'authentication_started', 'authentication_completed',
  'authentication_failed', 'passkey_removed', 'passkey_restored', 'passkey_updated', 'rate_limit_exceeded', 'challenge_expired', 'counter_mismatch'));

alter table wallet.accounts add asked_by bytea[] not null default '{}';
comment on column wallet.accounts.asked_by is 'SHA-256 of the mailbox and of the network of the client that last asked for it, which limits count.';
alter table wallet.payer_transactions add asked_by bytea[] not null default '{}';
comment on column wallet.payer_transactions.asked_by is 'As in wallet.accounts.';

alter table wallet_auth.email_changes add is_confirmed boolean not null default false;
comment on column wallet_auth.email_changes.is_confirmed is 'A passkey of the user confirmed it. A user with a passkey can change the address no other way.';
