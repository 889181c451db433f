/**
 * Migrations grant the same tables to flowfarm_reader; a test fails on a table that is neither here
 * nor known to be private.
 */
export const indexerTables: readonly string[] = [
  ...tablesOf(
    'raw',
    `block_lookup blocks event_chunks event_shapes events events_with_id indexing_errors scripts transactions
    tx_lookup unavailable`,
  ),
  ...tablesOf(
    'app',
    `account_key_changes account_keys account_labels accounts address_stats address_transactions
    balance_changes big_transfers block_analytics block_event_types block_stats chain coa_accounts
    contract_code contract_dependents contract_versions contracts coverage daily_account_counts
    daily_active_accounts daily_actor_counts daily_actors daily_analytics daily_balance_changes daily_stats
    defi_events defi_pair_changes defi_pair_days defi_pairs epoch_events epoch_nodes epoch_stats
    event_type_pieces event_types evm_item_metadata evm_token_holdings evm_token_items evm_token_metadata
    evm_token_transfers evm_tokens evm_transactions evm_tx_hashes evm_verified_contracts evm_verified_signatures
    ft_balance_changes ft_holdings
    ft_token_holders ft_token_metadata ft_token_totals ft_tokens ft_transfers ft_vault_balances
    hourly_activity hourly_stats network_state
    nft_collection_metadata nft_collection_stats nft_collection_totals nft_collections nft_holdings
    nft_items nft_owners nft_ownership nft_ownership_corrections nft_transfers prices
    scheduled_transaction_changes scheduled_transactions smart_contracts staking_delegators staking_events
    staking_node_info staking_nodes staking_sums tx_contracts tx_metrics tx_tags`,
  ),
  'analytics.daily_metrics',
]

export const indexerSchemas: readonly string[] = ['app', 'raw', 'analytics']

/**
 * Blockscout's database also has user accounts and API keys, and new releases add tables, so only
 * these are readable.
 */
export const evmTables: readonly string[] = tablesOf(
  'public',
  `address_coin_balances address_coin_balances_daily address_current_token_balances
    address_ids_to_address_hashes address_names address_token_balances addresses block_rewards
    block_second_degree_relations blocks contract_methods emission_rewards internal_transactions logs
    market_history missing_block_ranges pending_block_operations proxy_implementations signed_authorizations
    smart_contracts smart_contracts_additional_sources token_instances token_transfers tokens
    transaction_actions transaction_errors transaction_forks transaction_stats transactions withdrawals`,
)

export const evmSchemas: readonly string[] = ['public']

function tablesOf(schema: string, names: string): string[] {
  return names.split(/\s+/).map((name) => `${schema}.${name}`)
}
