export const derivingWorkers = [
  'TOKEN_WORKER',
  'EVM_WORKER',
  'META_WORKER',
  'ACCOUNTS_WORKER',
  'FT_HOLDINGS_WORKER',
  'NFT_OWNERSHIP_WORKER',
  'TX_CONTRACTS_WORKER',
  'TX_METRICS_WORKER',
  'SCHEDULED_WORKER',
  'STAKING_WORKER',
  'DEFI_WORKER',
  'DAILY_STATS_WORKER',
  'DAILY_BALANCE_WORKER',
  'ANALYTICS_DERIVER_WORKER',
] as const

/** As in `Worker.name`. */
export type DerivingWorkerName = Lowercase<(typeof derivingWorkers)[number]>

/** Enrichment workers of the specification. */
export const enrichmentWorkers = [
  'TOKEN_METADATA_WORKER',
  'NFT_ITEM_METADATA_WORKER',
  'NFT_OWNERSHIP_RECONCILER',
] as const

export const otherEnrichmentWorkers = ['CONTRACT_CODE_WORKER', 'NETWORK_STATE_WORKER', 'EVM_METADATA_WORKER'] as const
