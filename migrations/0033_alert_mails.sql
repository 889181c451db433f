-- E-mail alerts of the query service. flowfarm_reader has no access.

alter table app.alerts
  alter column url drop not null,
  alter column subscription_id drop not null,
  add column email text check (email = lower(email)),
  add constraint alerts_receiver_check check (
    num_nonnulls(url, email) = 1 and (url is null) = (subscription_id is null)
  ),
  drop constraint alerts_paused_reason_check,
  add constraint alerts_paused_reason_check check (
    paused_reason in ('owner', 'failures', 'webhook', 'unconfirmed', 'unsubscribed', 'mail')
  );

create index alerts_email on app.alerts (email) where email is not null;
create index alerts_unconfirmed on app.alerts (paused_at) where paused_reason = 'unconfirmed';

comment on column app.alerts.url is 'Receiver of the webhook; null for an e-mail alert.';
comment on column app.alerts.subscription_id is 'Row of app.webhook_subscriptions that delivers it; null for an e-mail alert. The operator may have deleted it.';
comment on column app.alerts.email is 'Recipient, lower case, ASCII; null for a webhook.';
comment on column app.alerts.paused_reason is 'owner, failures (too many in a row), webhook (the endpoint was deleted), unconfirmed or unsubscribed (by the recipient), mail (an e-mail could not be sent).';

create table app.outgoing_mails (
  id bigint generated always as identity primary key,
  recipient text not null,
  subject text not null,
  text text not null,
  html text not null,
  attempts integer not null default 0,
  created_at timestamptz not null default now(),
  next_attempt_at timestamptz not null default now()
);

create index outgoing_mails_next on app.outgoing_mails (next_attempt_at);

comment on table app.outgoing_mails is 'Unsent e-mails of alerts, without their links to unsubscribe. A row is deleted when the server accepts or refuses it, or after a day.';

create table app.alert_mails (
  id bigint generated always as identity primary key,
  kind text not null check (kind in ('confirmation', 'suppressed', 'alert')),
  alert_id text references app.alerts (id) on delete set null,
  outgoing_id bigint,
  mailbox bytea not null check (octet_length(mailbox) = 32),
  requested_by bytea check (octet_length(requested_by) = 32),
  status text check (status in ('pending', 'delivered', 'dead')),
  attempt_count integer not null default 0,
  error text,
  created_at timestamptz not null default now(),
  check ((kind = 'alert') = (status is not null))
);

create index alert_mails_alert on app.alert_mails (alert_id, id);
create index alert_mails_created on app.alert_mails (created_at);
create index alert_mails_outgoing on app.alert_mails (outgoing_id) where outgoing_id is not null;

comment on table app.alert_mails is 'E-mails of alerts, for limits and the history of an alert, for 30 days.';
comment on column app.alert_mails.kind is 'confirmation (asks the recipient), suppressed (one that a limit or the recipient prevented) or alert.';
comment on column app.alert_mails.requested_by is 'SHA-256 of the network or developer key that asked for a confirmation; null for programs on this machine.';
comment on column app.alert_mails.status is 'pending, delivered (accepted by the mail server) or dead; null for a confirmation.';

create table app.alert_mail_tokens (
  token_hash bytea primary key check (octet_length(token_hash) = 32),
  alert_id text not null references app.alerts (id) on delete cascade,
  kind text not null check (kind in ('confirm', 'unsubscribe')),
  expires_at timestamptz not null
);

create index alert_mail_tokens_alert on app.alert_mail_tokens (alert_id);
create index alert_mail_tokens_end on app.alert_mail_tokens (expires_at);

comment on table app.alert_mail_tokens is 'Links in e-mails of alerts.';
comment on column app.alert_mail_tokens.token_hash is 'SHA-256 of the token in the link.';
comment on column app.alert_mail_tokens.kind is 'confirm (once, 24 hours) or unsubscribe (30 days).';

create table app.refused_mailboxes (
  mailbox bytea primary key check (octet_length(mailbox) = 32),
  refused_at timestamptz not null default now()
);

comment on table app.refused_mailboxes is 'Recipients who refuse all alerts. The operator can delete a row.';
comment on column app.refused_mailboxes.mailbox is 'SHA-256 of the address without +tag.';
