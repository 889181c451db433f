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

create table app.ft_transfers (
  block_height bigint not null,
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

create table app.accounts (
  address text primary key,
  first_seen_height bigint not null,
  last_seen_height bigint not null,
  created_height bigint,
  created_tx_index integer
);

create index accounts_newest on app.accounts (first_seen_height desc, address);
create index accounts_active on app.accounts (last_seen_height desc, address);

comment on table app.accounts is 'Accounts that were created or took part in a transaction.';
comment on column app.accounts.address is '0x and 16 hex digits.';
comment on column app.accounts.first_seen_height is 'First block with it.';
comment on column app.accounts.last_seen_height is 'Last block with it.';
comment on column app.accounts.created_height is 'Block that created it; null while that block is not indexed.';
comment on column app.accounts.created_tx_index is 'Transaction that created it, by its position in that block.';
