-- Each commit adds the changes of its blocks to the sums by hour and day. Accounts, contracts and tokens, which are
-- counted once a day, are arrays in the row of a block: a row for each would take three times the space.

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

comment on table app.block_stats is 'Counts of each block, summed in app.hourly_stats.';
comment on column app.block_stats.gas_used is 'Computation used, from results or, where these have 0, from fees.';
comment on column app.block_stats.day is 'Day of the block, UTC.';
comment on column app.block_stats.tx_count is 'Transactions, including system transactions.';
comment on column app.block_stats.system_tx_count is 'System transactions, including scheduled ones: those in no collection.';
comment on column app.block_stats.failed_tx_count is 'Failed user transactions.';
comment on column app.block_stats.evm_tx_count is 'Transactions with an EVM.TransactionExecuted event.';
comment on column app.block_stats.ft_transfer_count is 'Fungible token transfers, as in app.ft_transfers, without fees.';
comment on column app.block_stats.nft_transfer_count is 'NFT transfers, as in app.nft_transfers.';
comment on column app.block_stats.new_account_count is 'Accounts created: flow.AccountCreated events.';
comment on column app.block_stats.new_coa_count is 'COAs created: EVM.CadenceOwnedAccountCreated events.';
comment on column app.block_stats.new_contract_count is 'Contracts deployed: flow.AccountContractAdded events.';
comment on column app.block_stats.contract_update_count is 'Contracts updated: flow.AccountContractUpdated events.';
comment on column app.block_stats.hour is 'Hour of the block, 0 to 23, UTC.';
comment on column app.block_stats.fees is 'Fees in FLOW, as in app.tx_metrics.';
comment on column app.block_stats.accounts is 'Proposers, payers and authorizers of user transactions, distinct.';

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

comment on table app.hourly_stats is 'Hourly sums of app.block_stats.';
comment on column app.hourly_stats.day is 'Day, UTC.';
comment on column app.hourly_stats.hour is '0 to 23, UTC.';
comment on column app.hourly_stats.block_count is 'Indexed blocks.';
comment on column app.hourly_stats.tx_count is 'Transactions, including system transactions.';
comment on column app.hourly_stats.system_tx_count is 'System transactions, including scheduled ones.';
comment on column app.hourly_stats.failed_tx_count is 'Failed user transactions.';
comment on column app.hourly_stats.evm_tx_count is 'Transactions that executed EVM transactions.';
comment on column app.hourly_stats.gas_used is 'Computation used.';
comment on column app.hourly_stats.fees is 'Fees in FLOW.';
comment on column app.hourly_stats.ft_transfer_count is 'Fungible token transfers, without fees.';
comment on column app.hourly_stats.nft_transfer_count is 'NFT transfers.';
comment on column app.hourly_stats.new_coa_count is 'COAs created.';

create table app.daily_active_accounts (
  day date not null,
  address text not null,
  block_count bigint not null,
  primary key (day, address)
);

comment on table app.daily_active_accounts is 'Proposers, payers and authorizers by day, to count each once.';
comment on column app.daily_active_accounts.day is 'Day, UTC.';
comment on column app.daily_active_accounts.address is 'Account, 0x and 16 hex digits.';
comment on column app.daily_active_accounts.block_count is 'Blocks of the day with such a transaction.';

create table app.daily_account_counts (
  day date not null,
  active_account_count bigint not null,
  primary key (day)
) with (fillfactor = 50);

comment on table app.daily_account_counts is 'Active accounts by day: rows of app.daily_active_accounts. Days without any have no row.';
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

comment on view app.daily_stats is 'Daily sums of app.hourly_stats, with active accounts. The sums over all days are the totals of the indexed range.';
comment on column app.daily_stats.fees is 'Fees in FLOW.';

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

comment on table app.block_analytics is 'Further counts of each block: EVM, swaps, bridge, staking, contracts, tokens. Blocks without any have no row.';
comment on column app.block_analytics.evm_gas_used is 'Gas used by EVM transactions.';
comment on column app.block_analytics.day is 'Day of the block, UTC.';
comment on column app.block_analytics.evm_execution_count is 'EVM transactions executed: EVM.TransactionExecuted events. A Flow transaction can have many.';
comment on column app.block_analytics.evm_failed_count is 'Failed EVM transactions.';
comment on column app.block_analytics.swap_count is 'Swaps, as in app.defi_events.';
comment on column app.block_analytics.bridge_to_evm_tx_count is 'Transactions that moved FLOW, tokens or NFTs into the EVM.';
comment on column app.block_analytics.bridge_from_evm_tx_count is 'Transactions that moved FLOW, tokens or NFTs out of the EVM.';
comment on column app.block_analytics.hour is 'Hour of the block, 0 to 23, UTC.';
comment on column app.block_analytics.epoch_payout is 'Epoch rewards paid, in FLOW: FlowIDTableStaking.EpochTotalRewardsPaid events.';
comment on column app.block_analytics.evm_addresses is 'Senders and receivers of EVM transactions, 40 hex digits, distinct.';
comment on column app.block_analytics.traders is 'Makers of swaps, as in app.defi_events, distinct.';
comment on column app.block_analytics.contracts is 'Contracts imported by user transactions, as in app.tx_contracts.';
comment on column app.block_analytics.contract_tx_counts is 'Transactions for each of contracts.';
comment on column app.block_analytics.tokens is 'Fungible tokens transferred, as in app.ft_transfers.';
comment on column app.block_analytics.token_transfer_counts is 'Transfers for each of tokens, without fees and bridge escrow.';
comment on column app.block_analytics.token_amounts is 'Sum of those transfers for each of tokens, in whole tokens.';
comment on column app.block_analytics.collections is 'Collections with NFT transfers, as in app.nft_transfers.';
comment on column app.block_analytics.collection_transfer_counts is 'Transfers for each of collections, without bridge escrow.';

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

comment on table app.daily_analytics is 'Daily sums of app.block_analytics.';
comment on column app.daily_analytics.day is 'Day, UTC.';
comment on column app.daily_analytics.block_count is 'Blocks with a row in app.block_analytics.';
comment on column app.daily_analytics.evm_execution_count is 'EVM transactions executed.';
comment on column app.daily_analytics.evm_failed_count is 'Failed EVM transactions.';
comment on column app.daily_analytics.evm_gas_used is 'Gas used by EVM transactions.';
comment on column app.daily_analytics.bridge_to_evm_tx_count is 'Transactions that moved FLOW, tokens or NFTs into the EVM.';
comment on column app.daily_analytics.bridge_from_evm_tx_count is 'Transactions that moved FLOW, tokens or NFTs out of the EVM.';
comment on column app.daily_analytics.epoch_payout is 'Epoch rewards paid, in FLOW.';

create table app.daily_actors (
  day date not null,
  kind text not null,
  address text not null,
  block_count bigint not null,
  primary key (day, kind, address)
);

comment on table app.daily_actors is 'EVM addresses and traders by day, to count each once.';
comment on column app.daily_actors.day is 'Day, UTC.';
comment on column app.daily_actors.kind is 'evm (sent or received an EVM transaction) or trader (swapped).';
comment on column app.daily_actors.address is 'evm: 40 hex digits, as in app.evm_tx_hashes; trader: 0x and 16 hex digits.';
comment on column app.daily_actors.block_count is 'Blocks of the day with such activity.';

create table app.daily_actor_counts (
  day date not null,
  kind text not null,
  actor_count bigint not null,
  primary key (day, kind)
) with (fillfactor = 50);

comment on table app.daily_actor_counts is 'Rows of app.daily_actors by day and kind. Days without any have no row.';
comment on column app.daily_actor_counts.day is 'Day, UTC.';
comment on column app.daily_actor_counts.kind is 'evm or trader.';
comment on column app.daily_actor_counts.actor_count is 'Number of addresses.';

create table app.hourly_activity (
  kind text not null,
  day date not null,
  hour smallint not null,
  name text not null,
  activity_count bigint not null,
  amount numeric not null,
  primary key (kind, day, hour, name)
) with (fillfactor = 90);

comment on table app.hourly_activity is 'Hourly activity of contracts, tokens and NFT collections, for rankings.';
comment on column app.hourly_activity.kind is 'contract, token (fungible) or collection (NFT).';
comment on column app.hourly_activity.day is 'Day, UTC.';
comment on column app.hourly_activity.hour is '0 to 23, UTC.';
comment on column app.hourly_activity.name is 'Contract as in app.tx_contracts, token as in app.ft_transfers, collection as in app.nft_transfers.';
comment on column app.hourly_activity.activity_count is 'contract: user transactions whose script imports it; else transfers, without fees and bridge escrow.';
comment on column app.hourly_activity.amount is 'Sum of those transfers in whole tokens; 0 unless kind is token.';

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

comment on table app.big_transfers is 'Transfers of at least 1,000 whole tokens, or fewer of valuable tokens, without fees and bridge escrow. Other columns are in app.ft_transfers, by the same key.';
comment on column app.big_transfers.leg is 'As in app.ft_transfers.';
comment on column app.big_transfers.day is 'Day of the block, UTC. The largest transfers of a token are found day by day.';
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

comment on table app.account_labels is 'Account labels: core contracts (built in) and labels added by the operator.';
comment on column app.account_labels.address is '0x and 16 hex digits (40 for an EVM account).';
comment on column app.account_labels.tag is 'Short name, unique per account: lower case, digits, dashes.';
comment on column app.account_labels.label is 'Display name.';
comment on column app.account_labels.category is 'whale, service, exchange, defi, nft or custom.';
comment on column app.account_labels.is_built_in is 'True if written by flowfarm at startup; false if added by the operator.';

