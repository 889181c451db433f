-- What the workers derive from the raw tables. Two kinds of tables:
-- Height-owned ones carry the height in front of their key and are partitioned by it, so that a range is deleted and
-- written as one piece. Folded ones hold the present state of a key, computed from height-owned history.
-- Partitions hold a million heights: at 3 to 9 rows a height, as the main network makes them now, that is 3 to 9
-- million rows; in its busiest year it was three times as many. Items move far less: five million heights.
-- Keys go by position, so that lists of a block or transaction and the newest rows of all need no further index. Lists
-- of an account, a token or a contract have one each, with the position behind, so that a page is read in its order and
-- nothing is sorted. Those of transfers have only the height behind: what moved in one block is put in order when it is
-- read, and the entries of a block for one token share one, which makes the index a fifth as large. Fees are in none of
-- them: nearly every transaction pays one, and among millions of fees a list would have to search for its rows; who wants
-- the fees of an account finds them by its transactions.

-- Heights take four bytes: with them an entry of the primary key is no wider than what PostgreSQL takes for a sequence, and
-- pages of rising runs are filled instead of left half empty.
create table app.ft_transfers (
  block_height integer not null,
  tx_index integer not null,
  event_index integer not null,
  leg smallint not null,
  token text not null,
  from_address text,
  to_address text,
  amount numeric not null,
  transfer_type text not null,
  primary key (block_height, tx_index, event_index, leg)
) partition by range (block_height);

create index ft_transfers_from on app.ft_transfers (from_address, block_height)
  where from_address is not null and transfer_type <> 'fee';
create index ft_transfers_to on app.ft_transfers (to_address, block_height)
  where to_address is not null and transfer_type <> 'fee';
create index ft_transfers_token on app.ft_transfers (token, block_height)
  where transfer_type <> 'fee';
create index ft_transfers_from_token on app.ft_transfers (hashtextextended(from_address || token, 0), block_height)
  where from_address is not null and transfer_type <> 'fee';
create index ft_transfers_to_token on app.ft_transfers (hashtextextended(to_address || token, 0), block_height)
  where to_address is not null and transfer_type <> 'fee';

comment on table app.ft_transfers is 'Movements of fungible tokens from account to account, fees included.';
comment on column app.ft_transfers.block_height is 'Height of the block.';
comment on column app.ft_transfers.tx_index is 'Position of the transaction in the block.';
comment on column app.ft_transfers.event_index is 'The event by which it arrived; the one by which it left where it did not arrive.';
comment on column app.ft_transfers.leg is 'Counts from 0 the transfers that one event made: a deposit may hold what several accounts gave.';
comment on column app.ft_transfers.token is 'A.<address>.<name> of the contract; a further part for a vault not named Vault.';
comment on column app.ft_transfers.from_address is 'Account that gave, 0x and 16 hex digits, or 40 for an EVM account; null: no account.';
comment on column app.ft_transfers.to_address is 'Account that got, written like from_address; null: no account.';
comment on column app.ft_transfers.amount is 'Amount in whole tokens, 8 decimals.';
comment on column app.ft_transfers.transfer_type is 'transfer; fee (of the transaction); mint; burn; bridge (into EVM or out of it: that side has 40 digits); escrow (locked up by the bridge in its account, without a giver, or given out of it, without a receiver, while the tokens are in EVM); stake and unstake (FLOW into stake and out of it, also from bucket to bucket of the staking account); reward (of stake, taken out or paid from fees; what is paid anew is a mint); deposit (from where no event tells); withdrawal (to where no event tells: kept in a resource, stored, or destroyed without an event).';

create table app.nft_transfers (
  block_height bigint not null,
  tx_index integer not null,
  event_index integer not null,
  leg smallint not null,
  token text,
  nft_id numeric(20) not null,
  nft_uuid bigint,
  from_address text,
  to_address text,
  transfer_type text not null,
  primary key (block_height, tx_index, event_index, leg)
) partition by range (block_height);

create index nft_transfers_from on app.nft_transfers (from_address, block_height)
  where from_address is not null;
create index nft_transfers_to on app.nft_transfers (to_address, block_height)
  where to_address is not null;
create index nft_transfers_token on app.nft_transfers (token, block_height);
create index nft_transfers_item on app.nft_transfers (token, nft_id, block_height, tx_index, event_index, leg);

comment on table app.nft_transfers is 'Movements of items of collections from account to account.';
comment on column app.nft_transfers.block_height is 'Height of the block.';
comment on column app.nft_transfers.tx_index is 'Position of the transaction in the block.';
comment on column app.nft_transfers.event_index is 'The event by which it arrived; the one by which it left where it did not arrive.';
comment on column app.nft_transfers.leg is 'Counts from 0 the transfers that one event made.';
comment on column app.nft_transfers.token is 'A.<address>.<name> of the contract; a further part for an item not named NFT. Null: an item was destroyed of which only id and uuid are told.';
comment on column app.nft_transfers.nft_id is 'Id within the collection.';
comment on column app.nft_transfers.nft_uuid is 'Uuid of the resource; null before Cadence 1.0. Items of the first collections share uuids.';
comment on column app.nft_transfers.from_address is 'Account that gave, 0x and 16 hex digits, or 40 for an EVM account; null: no account.';
comment on column app.nft_transfers.to_address is 'Account that got, written like from_address; null: no account.';
comment on column app.nft_transfers.transfer_type is 'transfer, mint, burn, bridge (into EVM or out of it), escrow (locked up by the bridge, or given out again), deposit (from where no event tells), withdrawal (to where no event tells).';

-- The largest of all, a row for each side of each transfer, and read by nobody but the fold of app.ft_holdings: so heights
-- are of four bytes here and owners of eight, which takes a third off the row and a quarter off its key.
create table app.ft_vault_balances (
  vault_uuid bigint not null,
  block_height integer not null,
  nth smallint not null,
  owner bytea not null,
  token text not null,
  balance numeric not null,
  primary key (vault_uuid, block_height, nth)
) partition by range (block_height);

create index ft_vault_balances_height on app.ft_vault_balances (block_height);

comment on table app.ft_vault_balances is 'What each vault held after each block that moved something in or out of it, as the chain says. From Cadence 1.0 on.';
comment on column app.ft_vault_balances.vault_uuid is 'Uuid of the vault; 0 is one like others. With the token it tells the vault.';
comment on column app.ft_vault_balances.block_height is 'Height of the block.';
comment on column app.ft_vault_balances.nth is 'Counts from 0 the vaults of different tokens that share the uuid in this block. Nearly always 0; the token in its place would make the key twice as large.';
comment on column app.ft_vault_balances.owner is 'Account in which it lies, 8 bytes; empty: in none, or the vault is no more.';
comment on column app.ft_vault_balances.token is 'As in app.ft_transfers.';
comment on column app.ft_vault_balances.balance is 'Balance after the last event of the block, in whole tokens.';

create table app.ft_balance_changes (
  block_height bigint not null,
  address text not null,
  token text not null,
  change numeric not null,
  primary key (block_height, address, token)
) partition by range (block_height);

comment on table app.ft_balance_changes is 'How blocks of before Cadence 1.0 changed what accounts have, where events name no vaults.';
comment on column app.ft_balance_changes.block_height is 'Height of the block.';
comment on column app.ft_balance_changes.address is 'Account, 0x and 16 hex digits.';
comment on column app.ft_balance_changes.token is 'As in app.ft_transfers.';
comment on column app.ft_balance_changes.change is 'Sum of what came less what left, in whole tokens.';

create table app.ft_holdings (
  address text not null,
  token text not null,
  vault_balance numeric not null,
  vault_count bigint not null,
  vault_rows bigint not null,
  change_balance numeric not null,
  history_rows bigint not null,
  balance numeric not null generated always as (case when vault_rows > 0 then vault_balance else change_balance end) stored,
  is_complete boolean not null generated always as (vault_rows > 0) stored,
  primary key (address, token)
);

create index ft_holdings_holders on app.ft_holdings (token, balance desc, address) where balance > 0;

comment on table app.ft_holdings is 'What each account has of each token, or had, vaults inside of its contracts and resources included.';
comment on column app.ft_holdings.address is 'Account, 0x and 16 hex digits.';
comment on column app.ft_holdings.token is 'As in app.ft_transfers.';
comment on column app.ft_holdings.vault_balance is 'Sum over the vaults that were seen in it last, in whole tokens.';
comment on column app.ft_holdings.vault_count is 'Vaults that were seen in it last, empty ones included.';
comment on column app.ft_holdings.vault_rows is 'Rows of app.ft_vault_balances with it.';
comment on column app.ft_holdings.change_balance is 'Sum of app.ft_balance_changes, in whole tokens; below zero where not all of history is indexed.';
comment on column app.ft_holdings.history_rows is 'Rows of app.ft_vault_balances and app.ft_balance_changes with it; without any there is no row.';
comment on column app.ft_holdings.balance is 'Its balance, in whole tokens: of its vaults where one was ever seen, else of the changes.';
comment on column app.ft_holdings.is_complete is 'True: each vault''s balance is one that the chain told. False: a sum of movements of before Cadence 1.0, which lacks what was not indexed.';

-- Transfers of an account in one token. The key is a hash of both names, half as wide as they are.
create index nft_transfers_from_token on app.nft_transfers (hashtextextended(from_address || token, 0), block_height)
  where from_address is not null and token is not null;
create index nft_transfers_to_token on app.nft_transfers (hashtextextended(to_address || token, 0), block_height)
  where to_address is not null and token is not null;

-- Catalogues of tokens and collections, folded from app.ft_transfers and app.nft_transfers. What they are called and look
-- like is not in events: the chain is asked for it, and the answers are in tables of their own, by the same `token`.

create table app.ft_tokens (
  token text primary key,
  first_height bigint not null
);

create index ft_tokens_newest on app.ft_tokens (first_height desc, token);

comment on table app.ft_tokens is 'Fungible tokens that were seen to move, fees aside.';
comment on column app.ft_tokens.token is 'As in app.ft_transfers.';
comment on column app.ft_tokens.first_height is 'Height of the block of its first transfer, of those that are indexed.';

create table app.ft_token_totals (
  token text primary key,
  transfer_count bigint not null,
  minted numeric not null,
  burned numeric not null
);

create index ft_token_totals_busiest on app.ft_token_totals (transfer_count desc, token);

comment on table app.ft_token_totals is 'What adds up over the transfers of each fungible token that are indexed, fees aside.';
comment on column app.ft_token_totals.token is 'As in app.ft_transfers.';
comment on column app.ft_token_totals.transfer_count is 'Transfers of every type but fees.';
comment on column app.ft_token_totals.minted is 'Sum of the transfers of type mint, in whole tokens.';
comment on column app.ft_token_totals.burned is 'Sum of the transfers of type burn, in whole tokens. What was minted less what was burned is the supply only where all of history is indexed, and but for what its contract made or destroyed without a word.';

create table app.nft_collections (
  token text primary key,
  first_height bigint not null
);

create index nft_collections_newest on app.nft_collections (first_height desc, token);

comment on table app.nft_collections is 'Collections of which an item was seen to move.';
comment on column app.nft_collections.token is 'As in app.nft_transfers.';
comment on column app.nft_collections.first_height is 'Height of the block of its first transfer, of those that are indexed.';

create table app.nft_collection_totals (
  token text primary key,
  transfer_count bigint not null,
  mint_count bigint not null,
  burn_count bigint not null
);

create index nft_collection_totals_busiest on app.nft_collection_totals (transfer_count desc, token);

comment on table app.nft_collection_totals is 'What adds up over the transfers of each collection that are indexed.';
comment on column app.nft_collection_totals.token is 'As in app.nft_transfers.';
comment on column app.nft_collection_totals.transfer_count is 'Transfers of every type.';
comment on column app.nft_collection_totals.mint_count is 'Transfers of type mint.';
comment on column app.nft_collection_totals.burn_count is 'Transfers of type burn of which the collection is known.';

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
