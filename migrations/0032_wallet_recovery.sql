-- Recoveries that began before have no passkey: they must begin again.
update wallet.recoveries set due_at = null where due_at is not null;
alter table wallet.recoveries
  add column passkey jsonb,
  add constraint recoveries_pending check ((due_at is null) = (passkey is null));
create index recoveries_due on wallet.recoveries (due_at) where due_at is not null;
-- Announced keys are public: other users must not register them.
create unique index recoveries_key on wallet.recoveries ((passkey ->> 'publicKeySec1')) where passkey is not null;

comment on table wallet.recoveries is 'Recovery by e-mail, of users who ever switched it on. Its passkey is registered 24 hours after it began.';
comment on column wallet.recoveries.due_at is 'When the passkey is registered; null if none began.';
comment on column wallet.recoveries.passkey is 'Passkey that is registered when due; null if none began.';

create table wallet.account_recoveries (
  user_id uuid not null,
  network text not null check (network in ('mainnet', 'testnet')),
  address text not null check (address ~ '^0x[0-9a-f]{16}$'),
  public_key bytea not null check (octet_length(public_key) = 64),
  state text not null check (state in ('announce', 'announced', 'ready', 'complete', 'cancel')),
  attempts integer not null default 0,
  next_at timestamptz not null default now(),
  transaction_id bytea,
  primary key (user_id, network, address)
);
create index account_recoveries_next on wallet.account_recoveries (next_at);

comment on table wallet.account_recoveries is 'Accounts of recoveries by e-mail that began, until the contract FlowfarmRecovery has the state that they need.';
comment on column wallet.account_recoveries.public_key is 'Key of the passkey, x and y of a P-256 point.';
comment on column wallet.account_recoveries.state is 'announce: to be announced; announced: waits for the delay; ready: delay passed; complete: key to be added; cancel: announcement to be ended.';
comment on column wallet.account_recoveries.attempts is 'Failed transactions since the last success.';
comment on column wallet.account_recoveries.next_at is 'Time of the next step; also the lease of a process.';
comment on column wallet.account_recoveries.transaction_id is 'Pending transaction, as in wallet.payer_transactions.';

alter table wallet.payer_transactions alter column credential_id drop not null;
comment on table wallet.payer_transactions is 'Transactions of the payer for accounts and recoveries, stored signed before they are sent.';
comment on column wallet.payer_transactions.credential_id is 'Passkey whose account it creates; null for a recovery.';
