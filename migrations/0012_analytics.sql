-- Grants for the role flowfarm_reader, which runs untrusted SQL of the query service and the MCP server. Roles
-- belong to the server, grants to a database. Without the right to create roles the migration only warns.

create schema analytics;
comment on schema analytics is 'Daily metrics for SQL users.';

create view analytics.daily_metrics as
select
  s.day, s.block_count, s.tx_count, s.system_tx_count, s.failed_tx_count, s.event_count, s.gas_used, s.fees, s.ft_transfer_count,
  s.nft_transfer_count, s.new_account_count, s.new_coa_count, s.new_contract_count, s.contract_update_count, s.active_account_count,
  s.evm_tx_count,
  coalesce(a.evm_execution_count, 0) as evm_execution_count,
  coalesce(a.evm_failed_count, 0) as evm_failed_count,
  coalesce(a.evm_gas_used, 0) as evm_gas_used,
  coalesce(a.swap_count, 0) as swap_count,
  coalesce(a.bridge_to_evm_tx_count, 0) as bridge_to_evm_tx_count,
  coalesce(a.bridge_from_evm_tx_count, 0) as bridge_from_evm_tx_count,
  coalesce(a.epoch_payout, 0) as epoch_payout
from app.daily_stats as s
left join app.daily_analytics as a on a.day = s.day;
comment on view analytics.daily_metrics is 'Daily metrics of the chain: app.daily_stats with app.daily_analytics. Days without a block have no row.';
comment on column analytics.daily_metrics.day is 'Day, UTC.';
comment on column analytics.daily_metrics.tx_count is 'Transactions, including system transactions.';
comment on column analytics.daily_metrics.gas_used is 'Computation used.';
comment on column analytics.daily_metrics.fees is 'Fees in FLOW.';
comment on column analytics.daily_metrics.ft_transfer_count is 'Fungible token transfers.';
comment on column analytics.daily_metrics.nft_transfer_count is 'NFT transfers.';
comment on column analytics.daily_metrics.new_coa_count is 'Cadence-owned accounts created.';
comment on column analytics.daily_metrics.active_account_count is 'Accounts that proposed, paid for or authorized a transaction.';
comment on column analytics.daily_metrics.evm_tx_count is 'Flow transactions with an EVM transaction.';
comment on column analytics.daily_metrics.evm_execution_count is 'EVM transactions executed.';
comment on column analytics.daily_metrics.evm_failed_count is 'Failed EVM transactions.';
comment on column analytics.daily_metrics.evm_gas_used is 'Gas used by EVM transactions.';
comment on column analytics.daily_metrics.bridge_to_evm_tx_count is 'Transactions that moved FLOW, tokens or NFTs into the EVM.';
comment on column analytics.daily_metrics.bridge_from_evm_tx_count is 'Transactions that moved FLOW, tokens or NFTs out of the EVM.';
comment on column analytics.daily_metrics.epoch_payout is 'Epoch rewards paid, in FLOW.';

do $$
begin
  create role flowfarm_reader nologin;
  -- Lets owners that are not superusers assume the role.
  grant flowfarm_reader to current_user;
exception
  -- The role exists, or another database of this server creates it concurrently.
  when duplicate_object or unique_violation then null;
  when insufficient_privilege then
    raise warning 'flowfarm_reader: this account may not make roles. As an administrator: CREATE ROLE flowfarm_reader NOLOGIN; GRANT flowfarm_reader TO %;', current_user;
end
$$;

do $$
begin
  if not exists (select from pg_catalog.pg_roles where rolname = 'flowfarm_reader') then
    return;
  end if;
  grant usage on schema raw, app, analytics to flowfarm_reader;
  grant select on
    raw.block_lookup, raw.blocks, raw.event_chunks, raw.event_shapes, raw.events, raw.events_with_id,
    raw.indexing_errors, raw.scripts, raw.transactions, raw.tx_lookup, raw.unavailable, app.account_key_changes,
    app.account_keys, app.account_labels, app.accounts, app.address_stats, app.address_transactions,
    app.balance_changes, app.big_transfers, app.block_analytics, app.block_event_types, app.block_stats, app.chain,
    app.coa_accounts, app.contract_code, app.contract_dependents, app.contract_versions, app.contracts, app.coverage,
    app.daily_account_counts, app.daily_active_accounts, app.daily_actor_counts, app.daily_actors,
    app.daily_analytics, app.daily_balance_changes, app.daily_stats, app.defi_events, app.defi_pair_changes,
    app.defi_pair_days, app.defi_pairs, app.epoch_events, app.epoch_nodes, app.epoch_stats, app.event_type_pieces,
    app.event_types, app.evm_token_holdings, app.evm_token_items, app.evm_token_transfers, app.evm_tokens,
    app.evm_transactions, app.evm_tx_hashes, app.ft_balance_changes, app.ft_holdings, app.ft_token_holders,
    app.ft_token_metadata, app.ft_token_totals, app.ft_tokens, app.ft_transfers, app.ft_vault_balances,
    app.hourly_activity, app.hourly_stats, app.network_state, app.nft_collection_metadata, app.nft_collection_stats,
    app.nft_collection_totals, app.nft_collections, app.nft_holdings, app.nft_items, app.nft_owners,
    app.nft_ownership, app.nft_ownership_corrections, app.nft_transfers, app.prices,
    app.scheduled_transaction_changes, app.scheduled_transactions, app.smart_contracts, app.staking_delegators,
    app.staking_events, app.staking_node_info, app.staking_nodes, app.staking_sums, app.tx_contracts, app.tx_metrics,
    app.tx_tags, analytics.daily_metrics
  to flowfarm_reader;
end
$$;
