-- Exchanges of tokens: pairs, swaps, liquidity.

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

comment on table app.defi_events is 'Swaps, liquidity and flash loans of pairs of tokens.';
comment on column app.defi_events.block_height is 'Height of the block.';
comment on column app.defi_events.tx_index is 'Position of the transaction in the block.';
comment on column app.defi_events.event_index is 'Position of the event in the transaction.';
comment on column app.defi_events.pair is 'A.<address>.<contract> of the pair; with the 16 hex digits of the pool''s account where one contract has many.';
comment on column app.defi_events.event_type is 'Swap, AddLiquidity, RemoveLiquidity, Flashloan, ProtocolFee (liquidity tokens minted for nothing, for the exchange).';
comment on column app.defi_events.maker is 'Account that authorized the transaction first, else who paid for it; 0x and 16 hex digits. Null: the chain itself.';
comment on column app.defi_events.asset0 is 'Token, A.<address>.<name>: of a swap the first of the pair, of liquidity the first that moved, of a flash loan the one lent. Null: no move of tokens tells.';
comment on column app.defi_events.asset1 is 'The other token.';
comment on column app.defi_events.asset0_in is 'Whole tokens that went into the pair. Of a BloctoSwap swap without its fee, as the event tells.';
comment on column app.defi_events.asset0_out is 'Whole tokens that went out of the pair.';
comment on column app.defi_events.asset1_in is 'As asset0_in, of the other token.';
comment on column app.defi_events.asset1_out is 'As asset0_out, of the other token.';
comment on column app.defi_events.lp_amount is 'Liquidity tokens minted or burned.';
comment on column app.defi_events.price is 'Of a swap: asset1 for 1 asset0, cut at 18 decimals.';
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

comment on table app.defi_pair_changes is 'What events tell of pairs themselves: that they were made, and of which tokens; their fee.';
comment on column app.defi_pair_changes.block_height is 'Height of the block.';
comment on column app.defi_pair_changes.tx_index is 'Position of the transaction in the block.';
comment on column app.defi_pair_changes.event_index is 'Position of the event in the transaction.';
comment on column app.defi_pair_changes.pair is 'As in app.defi_events.';
comment on column app.defi_pair_changes.asset0 is 'First token of a new pair, A.<address>.<name>.';
comment on column app.defi_pair_changes.asset1 is 'Second token of a new pair.';
comment on column app.defi_pair_changes.is_stable is 'Whether a new pair is for tokens of equal worth; null where it is not told.';
comment on column app.defi_pair_changes.fee is 'New fee, a part of a swap: 0.003 is 30 basis points.';

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

comment on table app.defi_pairs is 'Pairs of tokens, by the event that made them or by their swaps. What they hold is in app.ft_holdings of their account.';
comment on column app.defi_pairs.pair is 'As in app.defi_events.';
comment on column app.defi_pairs.dex is 'incrementfi, bloctoswap, metapier: by the contract.';
comment on column app.defi_pairs.address is 'Account that holds its tokens, 0x and 16 hex digits.';
comment on column app.defi_pairs.asset0 is 'First token, A.<address>.<name>; null while nothing told.';
comment on column app.defi_pairs.asset1 is 'Second token.';
comment on column app.defi_pairs.is_stable is 'Whether it is for tokens of equal worth; null while nothing told.';
comment on column app.defi_pairs.fee is 'Part of a swap, as it was told last: 0.003 is 30 basis points.';
comment on column app.defi_pairs.created_height is 'Block with the event that made it; null while that block is not indexed, or where there is no such event.';
comment on column app.defi_pairs.created_tx_index is 'Transaction of that event, by its position in that block.';
comment on column app.defi_pairs.price is 'Asset1 for 1 asset0 in the last swap.';
comment on column app.defi_pairs.last_height is 'Block of the last event.';
comment on column app.defi_pairs.last_tx_index is 'Transaction of it, by its position in the block.';
comment on column app.defi_pairs.last_event_index is 'Event, by its position in the transaction.';

create table app.defi_pair_days (
  pair text not null,
  day date not null,
  swap_count bigint not null,
  volume0 numeric not null,
  volume1 numeric not null,
  primary key (pair, day)
);

create index defi_pair_days_day on app.defi_pair_days (day, pair);

comment on table app.defi_pair_days is 'Swaps of each pair by day.';
comment on column app.defi_pair_days.pair is 'As in app.defi_events.';
comment on column app.defi_pair_days.day is 'Day, UTC.';
comment on column app.defi_pair_days.swap_count is 'Swaps; without any there is no row.';
comment on column app.defi_pair_days.volume0 is 'Whole tokens of asset0 that were swapped, in and out together.';
comment on column app.defi_pair_days.volume1 is 'The same of asset1.';
