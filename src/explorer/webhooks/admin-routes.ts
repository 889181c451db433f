import { z } from 'zod'
import { ApiError } from '../../platform/errors.ts'
import type { OverviewStore } from '../../webhooks/webhook-stores.ts'
import { idParameter, limitParameter } from '../parameters.ts'
import { listOf, page } from '../paging/pages.ts'
import {
  deliverySchema,
  exampleEndpoint,
  numberBefore,
  numberCursor,
  ownedEndpointSchema,
  presentDelivery,
  presentOwnedEndpoint,
  presentSubscriptionState,
  subscriptionStateSchema,
} from './schema.ts'
import { defineRoute } from '../route.ts'
import type { Services } from '../route.ts'

const tag = 'Administration'
const paging = { limit: limitParameter({ default: 50, max: 500 }), cursor: numberCursor.parameter }
const problems = { 503: 'Webhooks are not available on this server.' } as const

function overviewOf({ webhooks }: Services): OverviewStore {
  if (webhooks === undefined) throw new ApiError(503, 'not-served-here', 'Webhooks are not available on this server.')
  return webhooks.overview
}

const pageOf = ({
  limit,
  cursor,
}: {
  limit: number
  cursor?: string | undefined
}): { before: number | undefined; limit: number } => ({
  before: numberBefore(cursor),
  limit: limit + 1,
})

const listEndpoints = defineRoute({
  path: '/admin/webhooks/endpoints',
  operationId: 'adminListWebhookEndpoints',
  tag,
  access: 'admin',
  summary: 'List webhook endpoints of all keys, newest first',
  query: z.object({
    ...paging,
    key_id: idParameter('Developer key id.').optional(),
    is_paused: z.enum(['true', 'false'], 'must be true or false').describe('Paused or active endpoints.').optional(),
  }),
  response: listOf(ownedEndpointSchema, 'OwnedWebhookEndpoint'),
  example: {
    data: [{ ...exampleEndpoint, key_id: 12 }],
    has_more: false,
    cursor: '',
    _meta: { limit: 50, count: 1 },
  },
  problems,
  handler: async ({ query }, services) => {
    const isPaused = query.is_paused === undefined ? undefined : query.is_paused === 'true'
    const rows = await overviewOf(services).endpoints(pageOf(query), { keyId: query.key_id, isPaused })
    return { body: page(rows, query.limit, presentOwnedEndpoint, ({ id }) => String(id)) }
  },
})

const listSubscriptions = defineRoute({
  path: '/admin/webhooks/subscriptions',
  operationId: 'adminListWebhookSubscriptions',
  tag,
  access: 'admin',
  summary: 'List webhook subscriptions of all keys with pending deliveries, newest first',
  query: z.object({ ...paging, endpoint_id: idParameter('Endpoint id.').optional() }),
  response: listOf(subscriptionStateSchema, 'WebhookSubscriptionState'),
  example: {
    data: [
      {
        id: 21,
        endpoint_id: 7,
        event_types: ['ft.transfer'],
        conditions: { addresses: ['0xe467b9dd11fa00df'] },
        is_enabled: true,
        next_height: 123_456_790,
        delivery_count: 3,
        created_at: '2025-07-01T12:00:01.250Z',
        changed_at: '2025-07-01T12:00:01.250Z',
        key_id: 12,
        waiting: 1,
        oldest_waiting_at: '2025-07-01T12:00:05.100Z',
        next_attempt_at: '2025-07-01T12:00:09.800Z',
        is_being_sent: false,
        is_over_limit: false,
      },
    ],
    has_more: false,
    cursor: '',
    _meta: { limit: 50, count: 1 },
  },
  problems,
  handler: async ({ query }, services) => {
    const rows = await overviewOf(services).subscriptions(pageOf(query), query.endpoint_id)
    return { body: page(rows, query.limit, presentSubscriptionState, ({ id }) => String(id)) }
  },
})

const listDeliveries = defineRoute({
  path: '/admin/webhooks/subscriptions/{id}/deliveries',
  operationId: 'adminListWebhookDeliveries',
  tag,
  access: 'admin',
  summary: 'List deliveries of any subscription, newest first',
  params: z.object({ id: idParameter('Subscription id.') }),
  query: z.object({
    ...paging,
    status: z
      .enum(['pending', 'delivered', 'dead'], 'must be pending, delivered or dead')
      .describe('Delivery status.')
      .optional(),
  }),
  response: listOf(deliverySchema, 'WebhookDelivery'),
  example: {
    data: [
      {
        sequence: 3,
        message_id: 'msg_21_3',
        subscription_id: 21,
        event_type: 'ft.transfer',
        block_height: 123_456_789,
        status: 'pending',
        attempt_count: 2,
        response_status: 500,
        latency_ms: 41,
        error: 'answered 500',
        response_excerpt: 'out of order',
        created_at: '2025-07-01T12:00:01.250Z',
        finished_at: null,
      },
    ],
    has_more: true,
    cursor: '3',
    _meta: { limit: 1, count: 1 },
  },
  problems,
  handler: async ({ params: { id }, query }, services) => {
    const rows = await overviewOf(services).deliveries(pageOf(query), id, query.status)
    return { body: page(rows, query.limit, presentDelivery, ({ sequence }) => String(sequence)) }
  },
})

export const webhookAdminRoutes = [listEndpoints, listSubscriptions, listDeliveries]
