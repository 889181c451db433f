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
comment on column app.block_stats.gas_used is 'Computation that its transactions used, as raw.transactions.gas_used.';
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
comment on column app.block_stats.fees is 'Fees that were deducted, in FLOW: event FlowFees.FeesDeducted, which there is since March 2022.';
comment on column app.block_stats.accounts is 'Accounts that proposed, paid for or authorized a transaction of a user, each once.';

create table app.daily_stats (
  day date not null,
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
  primary key (day)
) with (fillfactor = 50);

comment on table app.daily_stats is 'The sums of app.block_stats by day. The sums over all days are the totals of what is indexed.';
comment on column app.daily_stats.day is 'Day, UTC.';
comment on column app.daily_stats.block_count is 'Blocks; a day with fewer than there were is not indexed whole.';
comment on column app.daily_stats.tx_count is 'Transactions, system transactions included.';
comment on column app.daily_stats.system_tx_count is 'Those that the chain made itself, scheduled ones included.';
comment on column app.daily_stats.failed_tx_count is 'Transactions of users that failed.';
comment on column app.daily_stats.evm_tx_count is 'Transactions that executed EVM transactions.';
comment on column app.daily_stats.event_count is 'Events of all transactions.';
comment on column app.daily_stats.gas_used is 'Computation used.';
comment on column app.daily_stats.fees is 'Fees deducted, in FLOW.';
comment on column app.daily_stats.ft_transfer_count is 'Movements of fungible tokens without fees.';
comment on column app.daily_stats.nft_transfer_count is 'Movements of items.';
comment on column app.daily_stats.new_account_count is 'Accounts created.';
comment on column app.daily_stats.new_coa_count is 'EVM accounts that Flow accounts made for themselves.';
comment on column app.daily_stats.new_contract_count is 'Contracts deployed.';
comment on column app.daily_stats.contract_update_count is 'Contracts replaced by a new version.';

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
comment on column app.hourly_stats.block_count is 'As in app.daily_stats.';
comment on column app.hourly_stats.tx_count is 'As in app.daily_stats.';
comment on column app.hourly_stats.system_tx_count is 'As in app.daily_stats.';
comment on column app.hourly_stats.failed_tx_count is 'As in app.daily_stats.';
comment on column app.hourly_stats.evm_tx_count is 'As in app.daily_stats.';
comment on column app.hourly_stats.event_count is 'As in app.daily_stats.';
comment on column app.hourly_stats.gas_used is 'As in app.daily_stats.';
comment on column app.hourly_stats.fees is 'As in app.daily_stats, in FLOW.';
comment on column app.hourly_stats.ft_transfer_count is 'As in app.daily_stats.';
comment on column app.hourly_stats.nft_transfer_count is 'As in app.daily_stats.';
comment on column app.hourly_stats.new_account_count is 'As in app.daily_stats.';
comment on column app.hourly_stats.new_coa_count is 'As in app.daily_stats.';
comment on column app.hourly_stats.new_contract_count is 'As in app.daily_stats.';
comment on column app.hourly_stats.contract_update_count is 'As in app.daily_stats.';

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
