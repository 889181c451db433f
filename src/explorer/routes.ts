import { answerCoaOwner } from './accounts/coa-owner.ts'
import { counterpartyRoutes } from './accounts/counterparties.ts'
import { portfolioRoutes } from './accounts/portfolio.ts'
import { accountContractRoutes, accountLookupRoutes, accountRoutes } from './accounts/routes.ts'
import { accountStorageRoutes } from './accounts/storage.ts'
import { taxReportRoutes } from './accounts/tax-report.ts'
import { accountTransferRoutes } from './accounts/transfers.ts'
import { authRoutes, developerKeyRoutes } from './admin/developer-keys.ts'
import { errorRoutes } from './admin/errors.ts'
import { labelRoutes } from './admin/label-routes.ts'
import { reprocessRoutes } from './admin/reprocess.ts'
import { templateRoutes } from './admin/templates.ts'
import { apiInfo } from './api-info.ts'
import { blockRoutes } from './blocks/routes.ts'
import { contractDependencyRoutes } from './contracts/dependencies.ts'
import { contractVersionRoutes, contractRoutes } from './contracts/routes.ts'
import { contractUseRoutes } from './contracts/uses.ts'
import { defiRoutes } from './defi/routes.ts'
import { evmAddressRoutes } from './evm/address-routes.ts'
import { evmBlockRoutes } from './evm/blocks.ts'
import { evmGasRoutes } from './evm/gas.ts'
import { evmTransactionRoutes } from './evm/routes.ts'
import { evmSearchRoutes } from './evm/search.ts'
import { describeApi, documentRoutes } from '../platform/http/openapi.ts'
import type { ApiDescription } from '../platform/http/openapi.ts'
import { evmReadRoutes } from './evm/contract-reads.ts'
import { evmVerificationRoutes } from './evm/verification/routes.ts'
import { evmTokenRoutes } from './evm/token-routes.ts'
import { accountNftRoutes, nftItemRoutes, nftRoutes } from './nfts/routes.ts'
import { nftSearchRoutes } from './nfts/search.ts'
import { nftTransferRoutes } from './nfts/transfers.ts'
import { ownRoutes } from './own/routes.ts'
import type { Route } from './route.ts'
import { scheduledTransactionRoutes } from './scheduled/routes.ts'
import { searchRoutes } from './search/routes.ts'
import { epochRoutes } from './staking/epochs.ts'
import { networkNodeRoutes } from './staking/network-nodes.ts'
import { nodeRoutes, stakingRoutes } from './staking/routes.ts'
import { activityRoutes } from './stats/activity.ts'
import { dailyMoveRoutes, statisticsRoutes } from './stats/routes.ts'
import { insightRoutes } from './stats/insights.ts'
import { metricRoutes } from './stats/metrics.ts'
import { pageRoutes, serviceRoutes } from './status/routes.ts'
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

/** For Flow explorer SDKs; same endpoints and subscriptions as `/webhooks/…`. */
const webhookClientRoutes = [
  ...clientEndpointRoutes,
  ...clientSubscriptionRoutes,
  ...clientKeyRoutes,
  ...clientLogRoutes,
]

const adminRoutes = [
  ...labelRoutes,
  ...templateRoutes,
  ...errorRoutes,
  ...reprocessRoutes,
  ...developerKeyRoutes,
  ...webhookAdminRoutes,
]

export function describeExplorer(described: readonly Route[]): ApiDescription {
  return describeApi(described, apiInfo)
}

/** In the order of the API reference. */
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
  ...counterpartyRoutes,
  ...portfolioRoutes,
  ...taxReportRoutes,
  ...nftTransferRoutes,
  ...nftSearchRoutes,
  ...nftRoutes,
  ...nftItemRoutes,
  ...accountNftRoutes,
  ...evmTransactionRoutes,
  ...evmBlockRoutes,
  ...evmGasRoutes,
  ...evmTokenRoutes,
  ...evmAddressRoutes,
  ...evmSearchRoutes,
  ...evmVerificationRoutes,
  ...evmReadRoutes,
  ...insightRoutes,
  ...metricRoutes,
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
  ...ownRoutes,
  ...webhookEndpointRoutes,
  ...webhookSubscriptionRoutes,
  ...webhookUsageRoutes,
  ...webhookClientRoutes,
  ...serviceRoutes,
  ...pageRoutes,
  ...documentRoutes(() => routes, apiInfo, { caching: 'static' }),
  ...adminRoutes,
].map(answerCoaOwner)
