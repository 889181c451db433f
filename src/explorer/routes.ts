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
import { describeApi, documentRoutes } from '../platform/http/openapi.ts'
import type { ApiDescription, ApiInfo } from '../platform/http/openapi.ts'
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
import { dailyMoveRoutes, statisticsRoutes } from './stats/routes.ts'
import { insightRoutes } from './stats/insights.ts'
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

/**
 * Webhooks at the paths and in the shapes of the Flow explorer's webhook API, so that clients of it (its SDK for one)
 * work as they are. They manage the same endpoints and subscriptions as `/webhooks/…`.
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

const apiInfo: ApiInfo = {
  title: 'flowfarm explorer API',
  description: [
    'Blocks, transactions and events of the Flow chain, as flowfarm has indexed them.',
    'Every path is served as written here, under `/chain/v1/` and under `/api/v1/chain/v1/`.',
    'Lists are paged by `cursor`: ask again with the `cursor` of the answer while `has_more` is true. ' +
      'Amounts are decimal text, times are ISO 8601 in UTC, errors are problems as in RFC 9457.',
    'Clients that existed before find routes by their second names too: `/flow/address/…` for `/flow/account/…`, ' +
      '`/accounting/account/…` and `/accounting/transaction/…` for those below `/flow`, `/analytics/…` for ' +
      '`/insights/…`.',
    'How often one may ask is told by the headers `RateLimit` and `RateLimit-Policy`, and by `Retry-After` with a ' +
      '429. With a developer key in `X-API-Key` it is more often.',
    'Live feeds are WebSockets at `/ws` (new blocks and transactions) and `/ws/status` (the indexing status ' +
      'every 3 seconds). A client of `/ws` may ask for certain accounts, tags, contracts and templates, ' +
      'and goes on after a break without a gap.',
  ].join('\n\n'),
  servers: ['/', '/chain/v1', '/api/v1/chain/v1'],
  securitySchemes: {
    key: {
      type: 'apiKey',
      in: 'header',
      name: 'X-API-Key',
      description: 'A developer key; it lets its owner ask more often, and manages webhooks.',
    },
    person: {
      type: 'http',
      scheme: 'bearer',
      description: 'The JWT of a person of the authentication service, or a developer key.',
    },
    admin: { type: 'http', scheme: 'bearer', description: 'ADMIN_TOKEN, or the JWT of an administrator.' },
  },
  securityOf: ({ access, isLimited }) => {
    if (access === 'admin') return [{ admin: [] }]
    if (access === 'owner') return [{ key: [] }, { person: [] }]
    return isLimited ? [{}, { key: [] }] : []
  },
  sharedErrors: {
    UnknownKey: 'There is no such `X-API-Key`, or it was revoked.',
    TooManyRequests: 'Too many requests; `Retry-After` tells when to try again.',
    InternalError: 'Something went wrong here.',
  },
  sharedErrorsOf: ({ isLimited, errorForm }) =>
    errorForm === undefined
      ? { ...(isLimited ? { 401: 'UnknownKey', 429: 'TooManyRequests' } : {}), 500: 'InternalError' }
      : {},
  errorsOf: ({ access, errorForm }) => ({
    ...(access === 'admin'
      ? {
          401: 'Credentials are missing, wrong or expired.',
          403: 'The bearer is no administrator, or the admin routes are off.',
        }
      : {}),
    // Errors of another form cannot refer to the shared ones.
    ...(errorForm === undefined
      ? {}
      : {
          429: 'Too many requests; `Retry-After` tells when to try again.',
          500: 'Something went wrong here.',
        }),
  }),
}

/** The OpenAPI document of routes of the explorer. */
export function describeExplorer(described: readonly Route[]): ApiDescription {
  return describeApi(described, apiInfo)
}

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
  ...pageRoutes,
  ...documentRoutes(() => routes, apiInfo, { caching: 'static' }),
  ...adminRoutes,
]
