import { accountsWorker } from './accounts-worker.ts'
import { analyticsDeriverWorker } from './analytics-deriver-worker.ts'
import { dailyBalanceWorker } from './daily-balance-worker.ts'
import { dailyStatsWorker } from './daily-stats-worker.ts'
import { defiWorker } from './defi-worker.ts'
import { evmWorker } from './evm-worker.ts'
import { ftHoldingsWorker } from './ft-holdings-worker.ts'
import { metaWorker } from './meta-worker.ts'
import { nftOwnershipWorker } from './nft-ownership-worker.ts'
import { scheduledWorker } from './scheduled-worker.ts'
import { stakingWorker } from './staking-worker.ts'
import { tokenWorker } from './token-worker.ts'
import { txContractsWorker } from './tx-contracts-worker.ts'
import { txMetricsWorker } from './tx-metrics-worker.ts'
import type { Worker } from './worker.ts'
import type { DerivingWorkerName } from './worker-names.ts'

/** The compiler finds a missing worker. */
const byName: Readonly<Record<DerivingWorkerName, Worker>> = {
  token_worker: tokenWorker,
  evm_worker: evmWorker,
  tx_contracts_worker: txContractsWorker,
  tx_metrics_worker: txMetricsWorker,
  scheduled_worker: scheduledWorker,
  accounts_worker: accountsWorker,
  meta_worker: metaWorker,
  staking_worker: stakingWorker,
  defi_worker: defiWorker,
  daily_stats_worker: dailyStatsWorker,
  analytics_deriver_worker: analyticsDeriverWorker,
  ft_holdings_worker: ftHoldingsWorker,
  nft_ownership_worker: nftOwnershipWorker,
  daily_balance_worker: dailyBalanceWorker,
}

/** In display order, each after those that it follows. */
export const workers: readonly Worker[] = Object.values(byName)
