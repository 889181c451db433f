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
