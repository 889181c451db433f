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

/** Every worker of the farm, in the order in which they are shown. */
export const workers: readonly Worker[] = [tokenWorker, evmWorker, txContractsWorker, txMetricsWorker, scheduledWorker, accountsWorker, metaWorker, stakingWorker, defiWorker, dailyStatsWorker, analyticsDeriverWorker, ftHoldingsWorker, nftOwnershipWorker, dailyBalanceWorker]
