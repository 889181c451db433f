-- Numbers of blocks, summed up by hour and day. A day is never counted again: each commit adds what its blocks change.
-- What has to be told apart within a day (accounts, contracts, tokens) stands in its block's row as arrays: a row of its
-- own for each would take three times the room, and nobody looks for it by block.

create table app.block_stats (
  block_height bigint not null,
  gas_used bigint not null,
  day date not null,
  tx_count integer not null,
  system_tx_count integer not null,
  failed_tx_count integer not null,
  evm_tx_count integer not null,
  event_count integer not null,
  ft_transfer_count integer not null,
  nft_transfer_count integer not null,
  new_account_count integer not null,
  new_coa_count integer not null,
  new_contract_count integer not null,
  contract_update_count integer not null,
  hour smallint not null,
  fees numeric not null,
  accounts text[] not null,
  primary key (block_height) with (fillfactor = 100)
) partition by range (block_height);

comment on table app.block_stats is 'What each block adds to the numbers of its day and hour.';
comment on column app.block_stats.block_height is 'Height of the block.';
comment on column app.block_stats.gas_used is 'Computation that its transactions used: as the results tell, or where these say 0, as the fees tell.';
comment on column app.block_stats.day is 'Day of the block''s timestamp, UTC.';
comment on column app.block_stats.tx_count is 'Transactions, system transactions included.';
comment on column app.block_stats.system_tx_count is 'Those that the chain made itself, scheduled ones included: they are in no collection.';
comment on column app.block_stats.failed_tx_count is 'Transactions of users that failed.';
comment on column app.block_stats.evm_tx_count is 'Transactions that executed EVM transactions: event EVM.TransactionExecuted.';
comment on column app.block_stats.event_count is 'Events of all transactions.';
comment on column app.block_stats.ft_transfer_count is 'Movements of fungible tokens, as in app.ft_transfers, without fees.';
comment on column app.block_stats.nft_transfer_count is 'Movements of items, as in app.nft_transfers.';
comment on column app.block_stats.new_account_count is 'Accounts that were created: event flow.AccountCreated.';
comment on column app.block_stats.new_coa_count is 'EVM accounts that Flow accounts made for themselves: event EVM.CadenceOwnedAccountCreated.';
comment on column app.block_stats.new_contract_count is 'Contracts that were deployed: event flow.AccountContractAdded.';
comment on column app.block_stats.contract_update_count is 'Contracts that were replaced by a new version: event flow.AccountContractUpdated.';
comment on column app.block_stats.hour is 'Hour of the block''s timestamp, 0 to 23, UTC.';
comment on column app.block_stats.fees is 'Fees that were deducted, in FLOW, as in app.tx_metrics.';
comment on column app.block_stats.accounts is 'Accounts that proposed, paid for or authorized a transaction of a user, each once.';

create table app.hourly_stats (
  day date not null,
  hour smallint not null,
  block_count bigint not null,
  tx_count bigint not null,
  system_tx_count bigint not null,
  failed_tx_count bigint not null,
  evm_tx_count bigint not null,
  event_count bigint not null,
  gas_used bigint not null,
  fees numeric not null,
  ft_transfer_count bigint not null,
  nft_transfer_count bigint not null,
  new_account_count bigint not null,
  new_coa_count bigint not null,
  new_contract_count bigint not null,
  contract_update_count bigint not null,
  primary key (day, hour)
) with (fillfactor = 50);

comment on table app.hourly_stats is 'The sums of app.block_stats by hour.';
comment on column app.hourly_stats.day is 'Day, UTC.';
comment on column app.hourly_stats.hour is 'Hour of the day, 0 to 23, UTC.';
comment on column app.hourly_stats.block_count is 'Blocks; with fewer than there were the time is not indexed whole.';
comment on column app.hourly_stats.tx_count is 'Transactions, system transactions included.';
comment on column app.hourly_stats.system_tx_count is 'Those that the chain made itself, scheduled ones included.';
comment on column app.hourly_stats.failed_tx_count is 'Transactions of users that failed.';
comment on column app.hourly_stats.evm_tx_count is 'Transactions that executed EVM transactions.';
comment on column app.hourly_stats.event_count is 'Events of all transactions.';
comment on column app.hourly_stats.gas_used is 'Computation used.';
comment on column app.hourly_stats.fees is 'Fees deducted, in FLOW.';
comment on column app.hourly_stats.ft_transfer_count is 'Movements of fungible tokens without fees.';
comment on column app.hourly_stats.nft_transfer_count is 'Movements of items.';
comment on column app.hourly_stats.new_account_count is 'Accounts created.';
comment on column app.hourly_stats.new_coa_count is 'EVM accounts that Flow accounts made for themselves.';
comment on column app.hourly_stats.new_contract_count is 'Contracts deployed.';
comment on column app.hourly_stats.contract_update_count is 'Contracts replaced by a new version.';

create table app.daily_active_accounts (
  day date not null,
  address text not null,
  block_count bigint not null,
  primary key (day, address)
);

comment on table app.daily_active_accounts is 'Accounts that proposed, paid for or authorized a transaction on a day, so that each is counted once.';
comment on column app.daily_active_accounts.day is 'Day, UTC.';
comment on column app.daily_active_accounts.address is 'Account, 0x and 16 hex digits.';
comment on column app.daily_active_accounts.block_count is 'Blocks of the day with such a transaction.';

create table app.daily_account_counts (
  day date not null,
  active_account_count bigint not null,
  primary key (day)
) with (fillfactor = 50);

comment on table app.daily_account_counts is 'How many rows app.daily_active_accounts has of each day. A day without any has no row.';
comment on column app.daily_account_counts.day is 'Day, UTC.';
comment on column app.daily_account_counts.active_account_count is 'Accounts that proposed, paid for or authorized a transaction.';

create view app.daily_stats as
select h.day, sum(h.block_count)::bigint as block_count,
  sum(h.tx_count)::bigint as tx_count,
  sum(h.system_tx_count)::bigint as system_tx_count,
  sum(h.failed_tx_count)::bigint as failed_tx_count,
  sum(h.evm_tx_count)::bigint as evm_tx_count,
  sum(h.event_count)::bigint as event_count,
  sum(h.gas_used)::bigint as gas_used,
  sum(h.fees) as fees,
  sum(h.ft_transfer_count)::bigint as ft_transfer_count,
  sum(h.nft_transfer_count)::bigint as nft_transfer_count,
  sum(h.new_account_count)::bigint as new_account_count,
  sum(h.new_coa_count)::bigint as new_coa_count,
  sum(h.new_contract_count)::bigint as new_contract_count,
  sum(h.contract_update_count)::bigint as contract_update_count,
  coalesce(c.active_account_count, 0) as active_account_count
from app.hourly_stats h left join app.daily_account_counts c on c.day = h.day
group by h.day, c.active_account_count;

comment on view app.daily_stats is 'app.hourly_stats by day, with the accounts of app.daily_account_counts. The sums over all days are the totals of what is indexed.';
comment on column app.daily_stats.fees is 'Fees deducted, in FLOW.';

create table app.block_analytics (
  block_height bigint not null,
  evm_gas_used bigint not null,
  day date not null,
  evm_execution_count integer not null,
  evm_failed_count integer not null,
  swap_count integer not null,
  bridge_to_evm_tx_count integer not null,
  bridge_from_evm_tx_count integer not null,
  hour smallint not null,
  epoch_payout numeric not null,
  evm_addresses text[] not null,
  traders text[] not null,
  contracts text[] not null,
  contract_tx_counts integer[] not null,
  tokens text[] not null,
  token_transfer_counts integer[] not null,
  token_amounts numeric[] not null,
  collections text[] not null,
  collection_transfer_counts integer[] not null,
  primary key (block_height) with (fillfactor = 100)
) partition by range (block_height);

comment on table app.block_analytics is 'What each block adds to the numbers of parts of the chain: EVM, swaps, bridge, staking, contracts, tokens. Blocks that add nothing have no row.';
comment on column app.block_analytics.block_height is 'Height of the block.';
comment on column app.block_analytics.evm_gas_used is 'Gas of the EVM transactions.';
comment on column app.block_analytics.day is 'Day of the block''s timestamp, UTC.';
comment on column app.block_analytics.evm_execution_count is 'EVM transactions that were executed: event EVM.TransactionExecuted. A Flow transaction can hold many.';
comment on column app.block_analytics.evm_failed_count is 'Those of them that failed.';
comment on column app.block_analytics.swap_count is 'Swaps, as in app.defi_events.';
comment on column app.block_analytics.bridge_to_evm_tx_count is 'Transactions that moved FLOW, tokens or items into EVM.';
comment on column app.block_analytics.bridge_from_evm_tx_count is 'Transactions that moved some out of EVM.';
comment on column app.block_analytics.hour is 'Hour of the block''s timestamp, 0 to 23, UTC.';
comment on column app.block_analytics.epoch_payout is 'Rewards of an epoch that were paid, in FLOW: event FlowIDTableStaking.EpochTotalRewardsPaid.';
comment on column app.block_analytics.evm_addresses is 'Senders and receivers of the EVM transactions, 40 hex digits as in app.evm_tx_hashes, each once.';
comment on column app.block_analytics.traders is 'Makers of the swaps, as in app.defi_events, each once.';
comment on column app.block_analytics.contracts is 'Contracts that scripts of users'' transactions import, as in app.tx_contracts.';
comment on column app.block_analytics.contract_tx_counts is 'Transactions for each of contracts.';
comment on column app.block_analytics.tokens is 'Fungible tokens that moved, as in app.ft_transfers.';
comment on column app.block_analytics.token_transfer_counts is 'Movements for each of tokens, without fees and without what the bridge locks up and gives back.';
comment on column app.block_analytics.token_amounts is 'Sum of those movements for each of tokens, in whole tokens.';
comment on column app.block_analytics.collections is 'Collections whose items moved, as in app.nft_transfers.';
comment on column app.block_analytics.collection_transfer_counts is 'Movements for each of collections, without what the bridge locks up and gives back.';

create table app.daily_analytics (
  day date not null,
  block_count bigint not null,
  evm_execution_count bigint not null,
  evm_failed_count bigint not null,
  evm_gas_used bigint not null,
  swap_count bigint not null,
  bridge_to_evm_tx_count bigint not null,
  bridge_from_evm_tx_count bigint not null,
  epoch_payout numeric not null,
  primary key (day)
) with (fillfactor = 50);

comment on table app.daily_analytics is 'The sums of app.block_analytics by day.';
comment on column app.daily_analytics.day is 'Day, UTC.';
comment on column app.daily_analytics.block_count is 'Blocks that add something.';
comment on column app.daily_analytics.evm_execution_count is 'EVM transactions executed.';
comment on column app.daily_analytics.evm_failed_count is 'Those of them that failed.';
comment on column app.daily_analytics.evm_gas_used is 'Gas of the EVM transactions.';
comment on column app.daily_analytics.swap_count is 'Swaps.';
comment on column app.daily_analytics.bridge_to_evm_tx_count is 'Transactions that moved FLOW, tokens or items into EVM.';
comment on column app.daily_analytics.bridge_from_evm_tx_count is 'Transactions that moved some out of EVM.';
comment on column app.daily_analytics.epoch_payout is 'Rewards of epochs that were paid, in FLOW.';

create table app.daily_actors (
  day date not null,
  kind text not null,
  address text not null,
  block_count bigint not null,
  primary key (day, kind, address)
);

comment on table app.daily_actors is 'EVM accounts and traders of a day, so that each is counted once.';
comment on column app.daily_actors.day is 'Day, UTC.';
comment on column app.daily_actors.kind is 'evm: sent or received an EVM transaction; trader: swapped.';
comment on column app.daily_actors.address is 'For evm 40 hex digits, as in app.evm_tx_hashes; for trader 0x and 16 hex digits.';
comment on column app.daily_actors.block_count is 'Blocks of the day in which it did.';

create table app.daily_actor_counts (
  day date not null,
  kind text not null,
  actor_count bigint not null,
  primary key (day, kind)
) with (fillfactor = 50);

comment on table app.daily_actor_counts is 'How many rows app.daily_actors has of each day and kind. Where there are none there is no row.';
comment on column app.daily_actor_counts.day is 'Day, UTC.';
comment on column app.daily_actor_counts.kind is 'evm or trader.';
comment on column app.daily_actor_counts.actor_count is 'Addresses.';

create table app.hourly_activity (
  kind text not null,
  day date not null,
  hour smallint not null,
  name text not null,
  activity_count bigint not null,
  amount numeric not null,
  primary key (kind, day, hour, name)
) with (fillfactor = 90);

comment on table app.hourly_activity is 'How often contracts were used and tokens and items moved, by hour. The sums of a time tell which most.';
comment on column app.hourly_activity.kind is 'contract, token (fungible) or collection (of items).';
comment on column app.hourly_activity.day is 'Day, UTC.';
comment on column app.hourly_activity.hour is 'Hour of the day, 0 to 23, UTC.';
comment on column app.hourly_activity.name is 'The contract as in app.tx_contracts, the token as in app.ft_transfers, the collection as in app.nft_transfers.';
comment on column app.hourly_activity.activity_count is 'Of a contract transactions of users whose script imports it; else movements, without fees and without what the bridge locks up and gives back.';
comment on column app.hourly_activity.amount is 'Of a fungible token the sum of those movements, in whole tokens; else 0.';

create table app.big_transfers (
  block_height bigint not null,
  tx_index integer not null,
  event_index integer not null,
  leg smallint not null,
  day date not null,
  token text not null,
  amount numeric not null,
  primary key (block_height, tx_index, event_index, leg)
) partition by range (block_height);

create index big_transfers_largest on app.big_transfers (token, day, amount);

comment on table app.big_transfers is 'Movements of 1,000 whole tokens and more, or of less where a token is known to be worth much. Without fees and without what the bridge locks up and gives back. The rest of each is in app.ft_transfers, by the same key.';
comment on column app.big_transfers.block_height is 'As in app.ft_transfers.';
comment on column app.big_transfers.tx_index is 'As in app.ft_transfers.';
comment on column app.big_transfers.event_index is 'As in app.ft_transfers.';
comment on column app.big_transfers.leg is 'As in app.ft_transfers.';
comment on column app.big_transfers.day is 'Day of the block''s timestamp, UTC: the largest of a token are found day by day.';
comment on column app.big_transfers.token is 'As in app.ft_transfers.';
comment on column app.big_transfers.amount is 'Amount in whole tokens.';

create table app.account_labels (
  address text not null,
  tag text not null,
  label text not null,
  category text not null default 'custom' check (category in ('whale', 'service', 'exchange', 'defi', 'nft', 'custom')),
  is_built_in boolean not null default false,
  primary key (address, tag)
);

comment on table app.account_labels is 'What accounts are known as. flowfarm itself knows the accounts of the core contracts; operators add others.';
comment on column app.account_labels.address is '0x and 16 hex digits, or 40 for an EVM account.';
comment on column app.account_labels.tag is 'Short name of the label, one of the account''s: lower case, digits, dashes.';
comment on column app.account_labels.label is 'The name to show.';
comment on column app.account_labels.category is 'whale, service, exchange, defi, nft or custom.';
comment on column app.account_labels.is_built_in is 'True: written by flowfarm at its start; false: added by an operator.';

-- Columns that earlier migrations left without a word.

comment on column raw.indexing_errors.id is 'Number of the row.';
comment on column raw.events_with_id.transaction_id is 'Transaction id, 32 bytes: SHA3-256 of the encoded body.';
