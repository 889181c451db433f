-- Who owns which item, and balances by day.

-- Few: items that were destroyed inside of a collection, of which the chain tells no more than id and uuid.
create index nft_transfers_destroyed on app.nft_transfers (nft_uuid, nft_id, block_height, tx_index, event_index)
  where token is null;

create table app.nft_ownership (
  token text not null,
  nft_id numeric(20) not null,
  nft_uuid bigint,
  block_height bigint not null,
  tx_index integer not null,
  event_index integer not null,
  leg smallint not null,
  is_burned boolean not null,
  owner text,
  primary key (token, nft_id)
);

create index nft_ownership_owner on app.nft_ownership (owner, token, nft_id) where owner is not null;
create index nft_ownership_uuid on app.nft_ownership (nft_uuid, nft_id) where nft_uuid is not null;

comment on table app.nft_ownership is 'Where each item is by its last move, also those that are no more: one row each.';
comment on column app.nft_ownership.token is 'Collection, as in app.nft_transfers.';
comment on column app.nft_ownership.nft_id is 'Id within the collection.';
comment on column app.nft_ownership.nft_uuid is 'Uuid of the resource; null where it did not move since Cadence 1.0. Items of the first collections share uuids.';
comment on column app.nft_ownership.block_height is 'Height of the block of its last move, or of its end.';
comment on column app.nft_ownership.tx_index is 'Position of the transaction in that block.';
comment on column app.nft_ownership.event_index is 'The event of that transaction.';
comment on column app.nft_ownership.leg is 'As in app.nft_transfers, where this position is a row.';
comment on column app.nft_ownership.is_burned is 'Whether it was destroyed.';
comment on column app.nft_ownership.owner is 'Account in whose collection it is, written like app.nft_transfers.to_address; null: in none, since it was destroyed, or taken out to where no event tells.';

create table app.nft_holdings (
  address text not null,
  token text not null,
  item_count bigint not null,
  primary key (address, token)
);

create index nft_holdings_holders on app.nft_holdings (token, item_count desc, address);

comment on table app.nft_holdings is 'How many items of each collection an account has: app.nft_ownership counted by owner.';
comment on column app.nft_holdings.address is 'Account, 0x and 16 hex digits, or 40 for an EVM account.';
comment on column app.nft_holdings.token is 'Collection, as in app.nft_transfers.';
comment on column app.nft_holdings.item_count is 'Items that it owns; without any there is no row.';

create table app.nft_collection_stats (
  token text primary key,
  item_count bigint not null,
  holder_count bigint not null,
  seen_count bigint not null
);

create index nft_collection_stats_largest on app.nft_collection_stats (holder_count desc, token);

comment on table app.nft_collection_stats is 'Items and holders of each collection: app.nft_ownership counted by collection.';
comment on column app.nft_collection_stats.token is 'Collection, as in app.nft_transfers.';
comment on column app.nft_collection_stats.item_count is 'Items that are in somebody''s collection.';
comment on column app.nft_collection_stats.holder_count is 'Accounts that own at least one.';
comment on column app.nft_collection_stats.seen_count is 'Items that ever moved, those that are no more included; without any there is no row.';

create table app.ft_token_holders (
  token text primary key,
  holder_count bigint not null
);

create index ft_token_holders_most on app.ft_token_holders (holder_count desc, token);

comment on table app.ft_token_holders is 'Holders of each fungible token: app.ft_holdings counted.';
comment on column app.ft_token_holders.token is 'As in app.ft_transfers.';
comment on column app.ft_token_holders.holder_count is 'Accounts with a balance above zero; without any there is no row.';

create table app.balance_changes (
  block_height bigint not null,
  day date not null,
  nth smallint not null,
  token text not null,
  addresses bytea[] not null,
  changes numeric[] not null,
  primary key (block_height, nth) with (fillfactor = 100)
) partition by range (block_height);

comment on table app.balance_changes is 'What each block changed of what accounts have of a token, fees included. One row a block and token: a row for each account would take nearly four times the room, and nobody looks for it by block.';
comment on column app.balance_changes.block_height is 'Height of the block.';
comment on column app.balance_changes.day is 'Day of the block''s timestamp, UTC.';
comment on column app.balance_changes.nth is 'Counts from 0 the tokens of the block. The token in its place would make the key twice as large, and its pages half empty.';
comment on column app.balance_changes.token is 'As in app.ft_transfers.';
comment on column app.balance_changes.addresses is 'Accounts, 8 bytes each, each once. EVM accounts are left out.';
comment on column app.balance_changes.changes is 'What came to each of them less what left it, in whole tokens, never zero; in the order of addresses.';

create table app.daily_balance_changes (
  address text not null,
  token text not null,
  day date not null,
  change numeric not null,
  block_count bigint not null,
  primary key (address, token, day)
);

comment on table app.daily_balance_changes is 'The sums of app.balance_changes by day. What an account had at the end of a day is app.ft_holdings.balance less the changes of all later days, which holds also where history before that day is not indexed. Of a vault that left an account as a whole, without a withdrawal, no change tells.';
comment on column app.daily_balance_changes.address is 'Account, 0x and 16 hex digits.';
comment on column app.daily_balance_changes.token is 'As in app.ft_transfers.';
comment on column app.daily_balance_changes.day is 'Day, UTC.';
comment on column app.daily_balance_changes.change is 'What came to the account less what left it, in whole tokens, fees included.';
comment on column app.daily_balance_changes.block_count is 'Blocks that changed it; without any there is no row.';
