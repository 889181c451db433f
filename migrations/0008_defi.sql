create table app.defi_events (
  block_height bigint not null,
  tx_index integer not null,
  event_index integer not null,
  pair text not null,
  event_type text not null,
  maker text,
  asset0 text,
  asset1 text,
  asset0_in numeric,
  asset0_out numeric,
  asset1_in numeric,
  asset1_out numeric,
  lp_amount numeric,
  price numeric,
  day date not null,
  primary key (block_height, tx_index, event_index)
) partition by range (block_height);

create index defi_events_pair on app.defi_events (pair, block_height, tx_index, event_index);
create index defi_events_pair_type on app.defi_events (pair, event_type, block_height, tx_index, event_index)
  where event_type <> 'Swap';
create index defi_events_type on app.defi_events (event_type, block_height, tx_index, event_index)
  where event_type <> 'Swap';

comment on table app.defi_events is 'Swaps, liquidity changes and flash loans of trading pairs.';
comment on column app.defi_events.pair is 'A.<address>.<contract> of the pair, with the 16 hex digits of the pool account if the contract has many pools.';
comment on column app.defi_events.event_type is 'Swap, AddLiquidity, RemoveLiquidity, Flashloan, ProtocolFee (liquidity tokens minted for the exchange).';
comment on column app.defi_events.maker is 'First authorizer of the transaction, else its payer, 0x and 16 hex digits; null for system transactions.';
comment on column app.defi_events.asset0 is 'Token, A.<address>.<name>: the pair''s first token for swaps, the first moved for liquidity, the lent one for flash loans. Null if no transfer shows it.';
comment on column app.defi_events.asset1 is 'The other token, as asset0.';
comment on column app.defi_events.asset0_in is 'Whole tokens paid into the pair. BloctoSwap swaps exclude the fee, as in the event.';
comment on column app.defi_events.asset0_out is 'Whole tokens paid out by the pair.';
comment on column app.defi_events.asset1_in is 'As asset0_in, for asset1.';
comment on column app.defi_events.asset1_out is 'As asset0_out, for asset1.';
comment on column app.defi_events.lp_amount is 'Liquidity tokens minted or burned.';
comment on column app.defi_events.price is 'asset1 per asset0 of a swap, truncated to 18 decimals.';
comment on column app.defi_events.day is 'Day of the block, UTC.';

create table app.defi_pair_changes (
  block_height bigint not null,
  tx_index integer not null,
  event_index integer not null,
  pair text not null,
  asset0 text,
  asset1 text,
  is_stable boolean,
  fee numeric,
  primary key (block_height, tx_index, event_index)
);

create index defi_pair_changes_pair on app.defi_pair_changes (pair, block_height, tx_index, event_index);

comment on table app.defi_pair_changes is 'Changes of trading pairs: creation with the tokens, and fee changes.';
comment on column app.defi_pair_changes.pair is 'As in app.defi_events.';
comment on column app.defi_pair_changes.asset0 is 'First token of a new pair, A.<address>.<name>.';
comment on column app.defi_pair_changes.asset1 is 'Second token of a new pair.';
comment on column app.defi_pair_changes.is_stable is 'Whether a new pair is a stable pair; null if unknown.';
comment on column app.defi_pair_changes.fee is 'New swap fee as a fraction: 0.003 is 30 basis points.';

create table app.defi_pairs (
  pair text primary key,
  dex text not null,
  address text not null,
  asset0 text,
  asset1 text,
  is_stable boolean,
  fee numeric,
  created_height bigint,
  created_tx_index integer,
  price numeric,
  last_height bigint not null,
  last_tx_index integer not null,
  last_event_index integer not null
);

create index defi_pairs_latest on app.defi_pairs (last_height, last_tx_index, last_event_index, pair);
create index defi_pairs_dex on app.defi_pairs (dex, last_height, last_tx_index, last_event_index, pair);
create index defi_pairs_asset0 on app.defi_pairs (asset0, last_height, last_tx_index, last_event_index, pair);
create index defi_pairs_asset1 on app.defi_pairs (asset1, last_height, last_tx_index, last_event_index, pair);

comment on table app.defi_pairs is 'Trading pairs, from creation events and swaps. Their reserves are in app.ft_holdings of their account.';
comment on column app.defi_pairs.pair is 'As in app.defi_events.';
comment on column app.defi_pairs.dex is 'incrementfi, bloctoswap or metapier.';
comment on column app.defi_pairs.address is 'Account that holds the reserves, 0x and 16 hex digits.';
comment on column app.defi_pairs.asset0 is 'First token, A.<address>.<name>; null if unknown.';
comment on column app.defi_pairs.asset1 is 'Second token.';
comment on column app.defi_pairs.is_stable is 'Whether it is a stable pair; null if unknown.';
comment on column app.defi_pairs.fee is 'Latest swap fee as a fraction: 0.003 is 30 basis points.';
comment on column app.defi_pairs.created_height is 'Height of the creation event; null if not indexed or absent.';
comment on column app.defi_pairs.created_tx_index is 'Position of that transaction in the block.';
comment on column app.defi_pairs.price is 'asset1 per asset0 in the last swap.';
comment on column app.defi_pairs.last_height is 'Height of the last event.';
comment on column app.defi_pairs.last_tx_index is 'Position of that transaction in the block.';
comment on column app.defi_pairs.last_event_index is 'Index of that event in the transaction.';

create table app.defi_pair_days (
  pair text not null,
  day date not null,
  swap_count bigint not null,
  volume0 numeric not null,
  volume1 numeric not null,
  primary key (pair, day)
);

create index defi_pair_days_day on app.defi_pair_days (day, pair);

comment on table app.defi_pair_days is 'Swaps by pair and day.';
comment on column app.defi_pair_days.pair is 'As in app.defi_events.';
comment on column app.defi_pair_days.day is 'Day, UTC.';
comment on column app.defi_pair_days.swap_count is 'Swaps, at least 1.';
comment on column app.defi_pair_days.volume0 is 'Whole tokens of asset0 swapped, in and out.';
comment on column app.defi_pair_days.volume1 is 'Whole tokens of asset1 swapped, in and out.';
