/**
 * What people may ask of the indexer's database: chain data, and what follows from it. Migrations grant the same to the role
 * flowfarm_reader; a test walks all tables and fails on one that is neither here nor known to be nobody's business.
 */

/** Schemas in which names without one are looked for, in this order. */
export const indexerSchemas: readonly string[] = ['app', 'raw', 'analytics']

const raw = [
  'block_lookup', 'blocks', 'event_chunks', 'event_shapes', 'events', 'events_with_id', 'indexing_errors', 'scripts', 'transactions',
  'tx_lookup', 'unavailable',
]

const app = [
  'account_key_changes', 'account_keys', 'account_labels', 'accounts', 'address_stats', 'address_transactions', 'balance_changes',
  'big_transfers', 'block_analytics', 'block_event_types', 'block_stats', 'chain', 'coa_accounts', 'contract_code', 'contract_dependents',
  'contract_versions', 'contracts', 'coverage', 'daily_account_counts', 'daily_active_accounts', 'daily_actor_counts', 'daily_actors',
  'daily_analytics', 'daily_balance_changes', 'daily_stats', 'defi_events', 'defi_pair_changes', 'defi_pair_days', 'defi_pairs',
  'epoch_events', 'epoch_nodes', 'epoch_stats', 'event_type_pieces', 'event_types', 'evm_token_holdings', 'evm_token_items',
  'evm_token_transfers', 'evm_tokens', 'evm_transactions', 'evm_tx_hashes', 'ft_balance_changes', 'ft_holdings', 'ft_token_holders',
  'ft_token_metadata', 'ft_token_totals', 'ft_tokens', 'ft_transfers', 'ft_vault_balances', 'hourly_activity', 'hourly_stats',
  'network_state', 'nft_collection_metadata', 'nft_collection_stats', 'nft_collection_totals', 'nft_collections', 'nft_holdings',
  'nft_items', 'nft_owners', 'nft_ownership', 'nft_ownership_corrections', 'nft_transfers', 'prices', 'scheduled_transaction_changes',
  'scheduled_transactions', 'smart_contracts', 'staking_delegators', 'staking_events', 'staking_node_info', 'staking_nodes',
  'staking_sums', 'tx_contracts', 'tx_metrics', 'tx_tags',
]

const analytics = ['daily_metrics']

/** `schema.table` of every table and view that may be read. */
export const indexerTables: readonly string[] = [
  ...raw.map((name) => `raw.${name}`), ...app.map((name) => `app.${name}`), ...analytics.map((name) => `analytics.${name}`),
]
