-- Independent of blocks: rollbacks and rebuilds leave it unchanged, and flowfarm_reader has no access.

create table wallet.app_policies (
  user_id uuid not null,
  origin text not null check (length(origin) <= 300),
  limits jsonb not null check (jsonb_typeof(limits) = 'array'),
  contracts text[] not null,
  other text not null check (other in ('ask', 'refuse')),
  updated_at timestamptz not null default now(),
  primary key (user_id, origin)
);

comment on table wallet.app_policies is 'Limits that users set for applications; the windows of the wallet apply them before they sign.';
comment on column wallet.app_policies.origin is 'Origin of the application, as browsers report it.';
comment on column wallet.app_policies.limits is 'Per day (UTC) and network: asset (FLOW, or the type of a vault) and units of 10^-8.';
comment on column wallet.app_policies.contracts is 'Contracts that other code may import, as A.<address>.<name>; empty: any.';
comment on column wallet.app_policies.other is 'Transactions without a limit: ask, or refuse.';

create table wallet.app_spending (
  user_id uuid not null,
  origin text not null,
  network text not null check (network in ('mainnet', 'testnet')),
  day date not null,
  asset text not null check (length(asset) <= 200),
  units numeric not null check (units >= 0),
  primary key (user_id, origin, network, day, asset)
);
create index app_spending_day on wallet.app_spending (day);

comment on table wallet.app_spending is 'Amounts signed for applications with limits, by day, for 30 days.';
comment on column wallet.app_spending.day is 'Day (UTC) of the signature.';
comment on column wallet.app_spending.units is 'Units of 10^-8, signed: the transaction may have failed or may never have been sent.';
