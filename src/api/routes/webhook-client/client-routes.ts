import { clientEndpointRoutes } from './endpoints.ts'
import { clientKeyRoutes } from './keys.ts'
import { clientLogRoutes } from './logs.ts'
import { clientSubscriptionRoutes } from './subscriptions.ts'

/**
 * Webhooks at the paths and in the shapes of the Flow explorer's webhook API, so that clients of it (its SDK for one) work as they
 * are. They manage the same endpoints and subscriptions as `/webhooks/…`.
 */
export const webhookClientRoutes = [
  ...clientEndpointRoutes,
  ...clientSubscriptionRoutes,
  ...clientKeyRoutes,
  ...clientLogRoutes,
]
