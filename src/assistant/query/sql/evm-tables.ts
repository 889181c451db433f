/**
 * What people may ask of an EVM explorer's database (Blockscout): the chain. That database also holds accounts of people, keys of its API
 * and tables of its own work, and gains others with each release: so only these, as far as they are there.
 */

export const evmSchemas: readonly string[] = ['public']

const names = [
  'address_coin_balances',
  'address_coin_balances_daily',
  'address_current_token_balances',
  'address_ids_to_address_hashes',
  'address_names',
  'address_token_balances',
  'addresses',
  'block_rewards',
  'block_second_degree_relations',
  'blocks',
  'contract_methods',
  'emission_rewards',
  'internal_transactions',
  'logs',
  'market_history',
  'missing_block_ranges',
  'pending_block_operations',
  'proxy_implementations',
  'signed_authorizations',
  'smart_contracts',
  'smart_contracts_additional_sources',
  'token_instances',
  'token_transfers',
  'tokens',
  'transaction_actions',
  'transaction_errors',
  'transaction_forks',
  'transaction_stats',
  'transactions',
  'withdrawals',
]

/** `schema.table` of every table that may be read. */
export const evmTables: readonly string[] = names.map((name) => `public.${name}`)
