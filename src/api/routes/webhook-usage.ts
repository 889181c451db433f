import { noParameters } from '../parameters/parameters.ts'
import { singleOf } from '../paging/envelope.ts'
import { presentUsage, usageSchema } from '../presenters/webhooks.ts'
import { defineRoute } from '../route.ts'
import { ownerProblems, webhooksOf } from './webhook-owner.ts'

export const usageExample = {
  tier: 'free' as const,
  endpoints: 1,
  endpoints_limit: 10,
  subscriptions: 2,
  subscriptions_limit: 10,
  events_this_hour: 318,
  events_per_hour_limit: 5000,
  hour_ends_at: '2025-07-01T13:00:00.000Z',
}

const usage = defineRoute({
  path: '/webhooks/usage',
  operationId: 'getWebhookUsage',
  tag: 'Webhooks',
  access: 'owner',
  summary: 'What your key has, of what its tier allows',
  params: noParameters,
  query: noParameters,
  response: singleOf(usageSchema, 'WebhookUsage'),
  example: { data: [usageExample] },
  problems: ownerProblems,
  handler: async ({ apiKey, bearer }, services) => {
    const { owner, stores } = await webhooksOf({ apiKey, bearer }, services)
    return { body: { data: [presentUsage(await stores.overview.usage(owner), owner.tier)] }, caching: 'never' }
  },
})

/** Limits, and what is left of them. */
export const webhookUsageRoutes = [usage]
