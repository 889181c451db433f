-- Height-owned tables are partitioned by the height, the first key column, so that a range is deleted and copied as
-- a unit. Folded tables hold the current state of a key, computed from height-owned history. Partitions of
-- transfers hold a million heights (3 to 9 million rows on mainnet today, three times as many in its busiest year),
-- those of items five million. Lists by account, token or contract each have an index that ends with the position,
-- so that pages need no sort. Transfer indexes end with the height: the entries of one block and token share one,
-- which makes the index a fifth as large. Fees are in no index: nearly every transaction pays one.

-- Four-byte heights keep primary key entries within PostgreSQL's minimum tuple size, and pages of rising keys are
-- filled completely.
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

comment on table app.ft_transfers is 'Transfers of fungible tokens between accounts, including fees.';
comment on column app.ft_transfers.event_index is 'Deposit event; without one, the withdrawal event.';
comment on column app.ft_transfers.leg is 'Number of the transfer within the event, from 0. A deposit can combine tokens of several accounts.';
comment on column app.ft_transfers.token is 'A.<address>.<name> of the contract, with a further part for vaults not named Vault.';
comment on column app.ft_transfers.from_address is 'Sender, 0x and 16 hex digits (40 for an EVM account); null if none.';
comment on column app.ft_transfers.to_address is 'Receiver, as from_address; null if none.';
comment on column app.ft_transfers.amount is 'Amount in whole tokens, 8 decimals.';
comment on column app.ft_transfers.transfer_type is 'transfer; fee (of the transaction); mint; burn; bridge (to or from the EVM: that side has 40 digits); escrow (locked or released by the bridge account); stake, unstake (FLOW, or between buckets of the staking account); reward (of staking, withdrawn or paid from fees; newly issued rewards are mint); deposit (no event shows the source); withdrawal (no event shows the destination: stored in a resource or destroyed without an event).';

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

comment on table app.nft_transfers is 'Transfers of NFTs between accounts.';
comment on column app.nft_transfers.event_index is 'Deposit event; without one, the withdrawal event.';
comment on column app.nft_transfers.leg is 'Number of the transfer within the event, from 0.';
comment on column app.nft_transfers.token is 'A.<address>.<name> of the contract, with a further part for items not named NFT. Null for a destroyed item known by id and uuid only.';
comment on column app.nft_transfers.nft_id is 'Id within the collection.';
comment on column app.nft_transfers.nft_uuid is 'Uuid of the resource; null before Cadence 1.0. Items of the earliest collections share uuids.';
comment on column app.nft_transfers.from_address is 'Sender, 0x and 16 hex digits (40 for an EVM account); null if none.';
comment on column app.nft_transfers.to_address is 'Receiver, as from_address; null if none.';
comment on column app.nft_transfers.transfer_type is 'transfer, mint, burn, bridge (to or from the EVM), escrow (locked or released by the bridge), deposit (no event shows the source), withdrawal (no event shows the destination).';

-- The largest table, read only by the fold of app.ft_holdings. Four-byte heights and eight-byte owners save a third
-- of a row and a quarter of its key.
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

comment on table app.ft_vault_balances is 'Balance of each vault after each block that changed it, from events. Cadence 1.0 and later.';
comment on column app.ft_vault_balances.vault_uuid is 'Uuid of the vault, unique together with token; 0 for vaults that share it.';
comment on column app.ft_vault_balances.nth is 'Number among vaults of different tokens with the same uuid in the block, nearly always 0. The token instead would double the key.';
comment on column app.ft_vault_balances.owner is 'Account that stores the vault, 8 bytes; empty if none or destroyed.';
comment on column app.ft_vault_balances.balance is 'Balance after the last event of the block, in whole tokens.';

create table app.ft_balance_changes (
  block_height bigint not null,
  address text not null,
  token text not null,
  change numeric not null,
  primary key (block_height, address, token)
) partition by range (block_height);

comment on table app.ft_balance_changes is 'Balance changes of accounts by block before Cadence 1.0, where events do not identify vaults.';
comment on column app.ft_balance_changes.address is 'Account, 0x and 16 hex digits.';
comment on column app.ft_balance_changes.change is 'Received minus sent, in whole tokens.';

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

comment on table app.ft_holdings is 'Balance of each account and token, including former holders and vaults inside contracts and resources.';
comment on column app.ft_holdings.address is 'Account, 0x and 16 hex digits.';
comment on column app.ft_holdings.vault_balance is 'Sum of the balances of vaults last seen in the account, in whole tokens.';
comment on column app.ft_holdings.vault_count is 'Number of those vaults, including empty ones.';
comment on column app.ft_holdings.vault_rows is 'Rows of app.ft_vault_balances for it.';
comment on column app.ft_holdings.change_balance is 'Sum of app.ft_balance_changes, in whole tokens; negative if history is incomplete.';
comment on column app.ft_holdings.history_rows is 'Rows of app.ft_vault_balances and app.ft_balance_changes for it, at least 1.';
comment on column app.ft_holdings.balance is 'Balance in whole tokens: vault_balance if a vault was ever seen, else change_balance.';
comment on column app.ft_holdings.is_complete is 'True if the balance of every vault comes from an event; false for sums of transfers before Cadence 1.0, which omit history that is not indexed.';

-- Transfers of an account in one token. A hash of both names halves the key.
create index nft_transfers_from_token on app.nft_transfers (hashtextextended(from_address || token, 0), block_height)
  where from_address is not null and token is not null;
create index nft_transfers_to_token on app.nft_transfers (hashtextextended(to_address || token, 0), block_height)
  where to_address is not null and token is not null;

-- Tokens and collections folded from transfers. Enrichment workers query their display metadata, stored in other
-- tables by the same `token`.

create table app.ft_tokens (
  token text primary key,
  first_height bigint not null
);

create index ft_tokens_newest on app.ft_tokens (first_height desc, token);

comment on table app.ft_tokens is 'Fungible tokens with a transfer other than a fee.';
comment on column app.ft_tokens.first_height is 'Height of the first indexed transfer.';

create table app.ft_token_totals (
  token text primary key,
  transfer_count bigint not null,
  minted numeric not null,
  burned numeric not null
);

create index ft_token_totals_busiest on app.ft_token_totals (transfer_count desc, token);

comment on table app.ft_token_totals is 'Totals of indexed transfers by fungible token, without fees.';
comment on column app.ft_token_totals.minted is 'Sum of transfers of type mint, in whole tokens.';
comment on column app.ft_token_totals.burned is 'Sum of transfers of type burn, in whole tokens. minted - burned is the supply only if all of history is indexed and the contract emits an event for every mint and burn.';

create table app.nft_collections (
  token text primary key,
  first_height bigint not null
);

create index nft_collections_newest on app.nft_collections (first_height desc, token);

comment on table app.nft_collections is 'NFT collections with a transfer.';
comment on column app.nft_collections.first_height is 'Height of the first indexed transfer.';

create table app.nft_collection_totals (
  token text primary key,
  transfer_count bigint not null,
  mint_count bigint not null,
  burn_count bigint not null
);

create index nft_collection_totals_busiest on app.nft_collection_totals (transfer_count desc, token);

comment on table app.nft_collection_totals is 'Totals of indexed transfers by NFT collection.';
comment on column app.nft_collection_totals.burn_count is 'Transfers of type burn whose collection is known.';

-- Few rows: items destroyed inside a collection, of which events give only id and uuid.
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

comment on table app.nft_ownership is 'Owner of each NFT by its last event, including burned NFTs.';
comment on column app.nft_ownership.token is 'Collection, as in app.nft_transfers.';
comment on column app.nft_ownership.nft_id is 'Id within the collection.';
comment on column app.nft_ownership.nft_uuid is 'Uuid of the resource; null if it has not moved since Cadence 1.0. Items of the earliest collections share uuids.';
comment on column app.nft_ownership.block_height is 'Height of the last transfer or burn.';
comment on column app.nft_ownership.leg is 'As in app.nft_transfers, if this position has a row.';
comment on column app.nft_ownership.owner is 'Owner, as app.nft_transfers.to_address; null if burned or withdrawn to an unknown place.';

create table app.nft_holdings (
  address text not null,
  token text not null,
  item_count bigint not null,
  primary key (address, token)
);

create index nft_holdings_holders on app.nft_holdings (token, item_count desc, address);

comment on table app.nft_holdings is 'NFTs by account and collection: app.nft_ownership counted by owner.';
comment on column app.nft_holdings.address is 'Account, 0x and 16 hex digits (40 for an EVM account).';
comment on column app.nft_holdings.token is 'Collection, as in app.nft_transfers.';
comment on column app.nft_holdings.item_count is 'NFTs owned, at least 1.';

create table app.nft_collection_stats (
  token text primary key,
  item_count bigint not null,
  holder_count bigint not null,
  seen_count bigint not null
);

create index nft_collection_stats_largest on app.nft_collection_stats (holder_count desc, token);

comment on table app.nft_collection_stats is 'NFTs and holders by collection, from app.nft_ownership.';
comment on column app.nft_collection_stats.token is 'Collection, as in app.nft_transfers.';
comment on column app.nft_collection_stats.item_count is 'NFTs with an owner.';
comment on column app.nft_collection_stats.holder_count is 'Accounts that own at least one.';
comment on column app.nft_collection_stats.seen_count is 'NFTs ever seen, including burned ones, at least 1.';

create table app.ft_token_holders (
  token text primary key,
  holder_count bigint not null
);

create index ft_token_holders_most on app.ft_token_holders (holder_count desc, token);

comment on table app.ft_token_holders is 'Holders by fungible token, from app.ft_holdings.';
comment on column app.ft_token_holders.holder_count is 'Accounts with a balance above zero, at least 1.';

create table app.balance_changes (
  block_height bigint not null,
  day date not null,
  nth smallint not null,
  token text not null,
  addresses bytea[] not null,
  changes numeric[] not null,
  primary key (block_height, nth) with (fillfactor = 100)
) partition by range (block_height);

comment on table app.balance_changes is 'Balance changes by block and token, including fees. One row per block and token, because one per account would take nearly four times the space.';
comment on column app.balance_changes.day is 'Day of the block, UTC.';
comment on column app.balance_changes.nth is 'Number of the token in the block, from 0. The token instead would double the key and leave pages half empty.';
comment on column app.balance_changes.addresses is 'Accounts, 8 bytes each, without EVM accounts.';
comment on column app.balance_changes.changes is 'Received minus sent for each of addresses, in whole tokens, never zero.';

create table app.daily_balance_changes (
  address text not null,
  token text not null,
  day date not null,
  change numeric not null,
  block_count bigint not null,
  primary key (address, token, day)
);

comment on table app.daily_balance_changes is 'app.balance_changes by day. The balance at the end of a day is app.ft_holdings.balance minus the changes of all later days, which holds even if earlier history is not indexed. Vaults moved without a withdrawal are missing.';
comment on column app.daily_balance_changes.address is 'Account, 0x and 16 hex digits.';
comment on column app.daily_balance_changes.day is 'Day, UTC.';
comment on column app.daily_balance_changes.change is 'Received minus sent, in whole tokens, including fees.';
comment on column app.daily_balance_changes.block_count is 'Blocks that changed the balance, at least 1.';
