import type { Route } from './route.ts'
import { accountContractRoutes } from './routes/account-contracts.ts'
import { accountLookupRoutes } from './routes/account-lookups.ts'
import { accountNftRoutes } from './routes/account-nfts.ts'
import { accountStorageRoutes } from './routes/account-storage.ts'
import { accountTransferRoutes } from './routes/account-transfers.ts'
import { accountRoutes } from './routes/accounts.ts'
import { activityRoutes } from './routes/activity.ts'
import { adminRoutes } from './routes/admin/admin-routes.ts'
import { authRoutes } from './routes/auth.ts'
import { blockRoutes } from './routes/blocks.ts'
import { contractDependencyRoutes } from './routes/contract-dependencies.ts'
import { contractUseRoutes } from './routes/contract-uses.ts'
import { contractVersionRoutes } from './routes/contract-versions.ts'
import { contractRoutes } from './routes/contracts.ts'
import { documentRoutes } from './routes/documents.ts'
import { epochRoutes } from './routes/epochs.ts'
import { eventRoutes } from './routes/events.ts'
import { evmAddressRoutes } from './routes/evm-addresses.ts'
import { evmTokenRoutes } from './routes/evm-tokens.ts'
import { evmTransactionRoutes } from './routes/evm-transactions.ts'
import { ftAccountRoutes } from './routes/fungible-token-accounts.ts'
import { ftTransferRoutes } from './routes/fungible-token-transfers.ts'
import { fungibleTokenRoutes } from './routes/fungible-tokens.ts'
import { insightRoutes } from './routes/insights.ts'
import { networkNodeRoutes } from './routes/network-nodes.ts'
import { nftItemRoutes } from './routes/nft-items.ts'
import { nftSearchRoutes } from './routes/nft-search.ts'
import { nftTransferRoutes } from './routes/nft-transfers.ts'
import { nftRoutes } from './routes/nfts.ts'
import { priceRoutes } from './routes/prices.ts'
import { scriptRoutes } from './routes/scripts.ts'
import { searchRoutes } from './routes/search.ts'
import { serviceRoutes } from './routes/service.ts'
import { statisticsRoutes } from './routes/statistics.ts'
import { taxReportRoutes } from './routes/tax-report.ts'
import { transactionListRoutes } from './routes/transaction-lists.ts'
import { nodeRoutes } from './routes/nodes.ts'
import { stakingRoutes } from './routes/staking.ts'
import { dailyMoveRoutes } from './routes/daily-moves.ts'
import { defiRoutes } from './routes/defi.ts'
import { scheduledTransactionRoutes } from './routes/scheduled-transactions.ts'
import { webhookClientRoutes } from './routes/webhook-client/client-routes.ts'
import { webhookEndpointRoutes } from './routes/webhook-endpoints.ts'
import { webhookSubscriptionRoutes } from './routes/webhook-subscriptions.ts'
import { webhookUsageRoutes } from './routes/webhook-usage.ts'
import { transactionRoutes } from './routes/transactions.ts'

/** Every route of the API, in the order in which its description lists them. */
export const routes: readonly Route[] = [
  ...blockRoutes,
  ...transactionRoutes,
  ...transactionListRoutes,
  ...scriptRoutes,
  ...eventRoutes,
  ...ftTransferRoutes,
  ...fungibleTokenRoutes,
  ...dailyMoveRoutes,
  ...ftAccountRoutes,
  ...accountTransferRoutes,
  ...taxReportRoutes,
  ...nftTransferRoutes,
  ...nftSearchRoutes,
  ...nftRoutes,
  ...nftItemRoutes,
  ...accountNftRoutes,
  ...evmTransactionRoutes,
  ...evmTokenRoutes,
  ...evmAddressRoutes,
  ...insightRoutes,
  ...priceRoutes,
  ...statisticsRoutes,
  ...accountContractRoutes,
  ...accountLookupRoutes,
  ...accountStorageRoutes,
  ...accountRoutes,
  ...epochRoutes,
  ...authRoutes,
  ...networkNodeRoutes,
  ...activityRoutes,
  ...nodeRoutes,
  ...stakingRoutes,
  ...contractRoutes,
  ...contractVersionRoutes,
  ...contractDependencyRoutes,
  ...contractUseRoutes,
  ...defiRoutes,
  ...scheduledTransactionRoutes,
  ...searchRoutes,
  ...webhookEndpointRoutes,
  ...webhookSubscriptionRoutes,
  ...webhookUsageRoutes,
  ...webhookClientRoutes,
  ...serviceRoutes,
  ...documentRoutes,
  ...adminRoutes,
]
