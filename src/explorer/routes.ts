import { accountContractRoutes, accountLookupRoutes, accountRoutes } from './accounts/routes.ts'
import { accountStorageRoutes } from './accounts/storage.ts'
import { taxReportRoutes } from './accounts/tax-report.ts'
import { accountTransferRoutes } from './accounts/transfers.ts'
import { authRoutes, developerKeyRoutes } from './admin/developer-keys.ts'
import { errorRoutes } from './admin/errors.ts'
import { labelRoutes } from './admin/labels.ts'
import { reprocessRoutes } from './admin/reprocess.ts'
import { templateRoutes } from './admin/templates.ts'
import { blockRoutes } from './blocks/routes.ts'
import { contractDependencyRoutes } from './contracts/dependencies.ts'
import { contractVersionRoutes, contractRoutes } from './contracts/routes.ts'
import { contractUseRoutes } from './contracts/uses.ts'
import { defiRoutes } from './defi/routes.ts'
import { evmAddressRoutes, evmTransactionRoutes } from './evm/routes.ts'
import { evmTokenRoutes } from './evm/token-routes.ts'
import { accountNftRoutes, nftItemRoutes, nftRoutes } from './nfts/routes.ts'
import { nftSearchRoutes } from './nfts/search.ts'
import { nftTransferRoutes } from './nfts/transfers.ts'
import type { Route } from './route.ts'
import { scheduledTransactionRoutes } from './scheduled/routes.ts'
import { searchRoutes } from './search/routes.ts'
import { epochRoutes } from './staking/epochs.ts'
import { networkNodeRoutes } from './staking/network-nodes.ts'
import { nodeRoutes, stakingRoutes } from './staking/routes.ts'
import { activityRoutes } from './stats/activity.ts'
import { dailyMoveRoutes } from './stats/daily-moves.ts'
import { insightRoutes } from './stats/insights.ts'
import { statisticsRoutes } from './stats/routes.ts'
import { documentRoutes, serviceRoutes } from './status/routes.ts'
import { priceRoutes } from './tokens/prices.ts'
import { ftAccountRoutes, fungibleTokenRoutes } from './tokens/routes.ts'
import { ftTransferRoutes } from './tokens/transfers.ts'
import { eventRoutes } from './transactions/events.ts'
import { transactionListRoutes, transactionRoutes } from './transactions/routes.ts'
import { scriptRoutes } from './transactions/scripts.ts'
import { webhookAdminRoutes } from './webhooks/admin-routes.ts'
import { clientEndpointRoutes, clientKeyRoutes, clientLogRoutes } from './webhooks/client-routes.ts'
import { clientSubscriptionRoutes } from './webhooks/client-subscriptions.ts'
import { webhookEndpointRoutes, webhookUsageRoutes } from './webhooks/endpoint-routes.ts'
import { webhookSubscriptionRoutes } from './webhooks/subscription-routes.ts'

/**
 * Webhooks at the paths and in the shapes of the Flow explorer's webhook API, so that clients of it (its SDK for one) work as they
 * are. They manage the same endpoints and subscriptions as `/webhooks/…`.
 */
const webhookClientRoutes = [
  ...clientEndpointRoutes,
  ...clientSubscriptionRoutes,
  ...clientKeyRoutes,
  ...clientLogRoutes,
]

/** What administrators can do by the API. */
const adminRoutes = [
  ...labelRoutes,
  ...templateRoutes,
  ...errorRoutes,
  ...reprocessRoutes,
  ...developerKeyRoutes,
  ...webhookAdminRoutes,
]

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
