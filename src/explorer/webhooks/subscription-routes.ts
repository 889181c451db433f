import { z } from 'zod'
import { conditionsSchema } from '../../webhooks/conditions.ts'
import { eventTypeNames, eventTypes } from '../../webhooks/events.ts'
import { secretOf } from '../../webhooks/signature.ts'
import { idParameter, cursorParameter, limitParameter } from '../parameters.ts'
import { listOf, page, singleOf, wholeList } from '../paging/pages.ts'
import {
  deliveryDetailSchema,
  deliverySchema,
  newSubscriptionSchema,
  presentDelivery,
  presentDeliveryDetail,
  presentSubscription,
  subscriptionSchema,
} from './schema.ts'
import { defineRoute } from '../route.ts'
import { secretField, urlField, ownerProblems, webhooksOf } from './endpoint-routes.ts'

const tag = 'Webhooks'
const params = z.object({ id: idParameter('Number of the subscription.') })
const deliveryParams = z.object({
  id: idParameter('Number of the subscription.'),
  sequence: idParameter('Number of the delivery.'),
})
const problems = { ...ownerProblems, 404: 'The key has no such subscription.' } as const
const deliveryProblems = { ...ownerProblems, 404: 'The key has no such delivery.' } as const

const typesField = z
  .array(z.enum(eventTypeNames, 'must be one of those that /webhooks/event-types lists'), 'must be a list')
  .min(1, 'must not be empty')
  .max(eventTypeNames.length, 'has more entries than there are types')
const heightField = z.int('must be a height').min(0, 'must be a height').max(999_999_999_999_999, 'must be a height')
const idField = z.int('must be a number').min(1, 'must be a number').max(999_999_999_999_999, 'must be a number')

const example: z.output<typeof subscriptionSchema> = {
  id: 21,
  endpoint_id: 7,
  event_types: ['ft.transfer'],
  conditions: { addresses: ['0xe467b9dd11fa00df'], direction: 'in', min_amount: '100' },
  is_enabled: true,
  next_height: 123_456_790,
  delivery_count: 3,
  created_at: '2025-07-01T12:00:01.250Z',
  changed_at: '2025-07-01T12:00:01.250Z',
}
const deliveryExample: z.output<typeof deliverySchema> = {
  sequence: 3,
  message_id: 'msg_21_3',
  subscription_id: 21,
  event_type: 'ft.transfer',
  block_height: 123_456_789,
  status: 'delivered',
  attempt_count: 1,
  response_status: 200,
  latency_ms: 41,
  error: null,
  response_excerpt: 'ok',
  created_at: '2025-07-01T12:00:01.250Z',
  finished_at: '2025-07-01T12:00:01.310Z',
}

const listTypes = defineRoute({
  path: '/webhooks/event-types',
  operationId: 'listWebhookEventTypes',
  tag,
  summary: 'What can be subscribed to',
  response: listOf(
    z.strictObject({ type: z.string(), description: z.string() }).meta({ id: 'WebhookEventType' }),
    'WebhookEventType',
  ),
  example: {
    data: [{ type: 'block.sealed', description: 'A block was stored.' }],
    has_more: false,
    cursor: '',
    _meta: { count: 1 },
  },
  handler: () => ({
    body: wholeList(Object.entries(eventTypes).map(([type, description]) => ({ type, description }))),
    caching: 'static',
  }),
})

const list = defineRoute({
  path: '/webhooks/subscriptions',
  operationId: 'listWebhookSubscriptions',
  tag,
  access: 'owner',
  summary: 'Your subscriptions, the newest first',
  query: z.object({ endpoint_id: idParameter('Only those of this endpoint.').optional() }),
  response: listOf(subscriptionSchema, 'WebhookSubscription'),
  example: { data: [example], has_more: false, cursor: '', _meta: { count: 1 } },
  problems: ownerProblems,
  handler: async ({ apiKey, bearer, query }, services) => {
    const { owner, stores } = await webhooksOf({ apiKey, bearer }, services)
    return {
      body: wholeList((await stores.subscriptions.list(owner, query.endpoint_id)).map(presentSubscription)),
      caching: 'never',
    }
  },
})

const create = defineRoute({
  method: 'POST',
  path: '/webhooks/subscriptions',
  operationId: 'createWebhookSubscription',
  tag,
  access: 'owner',
  summary: 'Subscribes an endpoint to events',
  description:
    'The endpoint is there already (`endpoint_id`), or is made with it (`url`); then its `secret` is in the ' +
    'answer, and never again. Events come in the order of the chain, each at least once; `event_id` of the body ' +
    'and the header `webhook-id` tell repetitions.',
  body: z
    .strictObject(
      {
        endpoint_id: idField.optional(),
        url: urlField.describe('In place of `endpoint_id`: an endpoint is made.').optional(),
        secret: secretField.optional(),
        event_types: typesField,
        conditions: conditionsSchema.default({}),
        from_height: heightField
          .describe('The first block that is told of. Default: the next that is stored.')
          .optional(),
      },
      'must be an object',
    )
    .refine(({ endpoint_id: id, url }) => (id === undefined) !== (url === undefined), {
      path: ['endpoint_id'],
      message: 'or "url" must be given, and not both',
    })
    .refine(({ url, secret }) => url !== undefined || secret === undefined, {
      path: ['secret'],
      message: 'is taken only with "url"',
    }),
  bodyExample: {
    endpoint_id: 7,
    event_types: ['ft.transfer'],
    conditions: { addresses: ['0xe467b9dd11fa00df'], direction: 'in', min_amount: '100' },
  },
  response: singleOf(newSubscriptionSchema, 'NewWebhookSubscription'),
  example: { data: [example] },
  problems: {
    ...ownerProblems,
    403: 'The tier of the key allows no more subscriptions.',
    404: 'The key has no such endpoint.',
  },
  handler: async ({ apiKey, bearer, body }, services) => {
    const { owner, stores } = await webhooksOf({ apiKey, bearer }, services)
    const { subscription, secret } = await stores.subscriptions.create(owner, {
      endpoint: body.endpoint_id ?? {
        url: body.url ?? '',
        description: '',
        secret: body.secret === undefined ? undefined : secretOf(body.secret),
      },
      eventTypes: body.event_types,
      conditions: body.conditions,
      fromHeight: body.from_height,
    })
    return {
      body: { data: [{ ...presentSubscription(subscription), ...(secret === undefined ? {} : { secret }) }] },
      caching: 'never',
    }
  },
})

const get = defineRoute({
  path: '/webhooks/subscriptions/{id}',
  operationId: 'getWebhookSubscription',
  tag,
  access: 'owner',
  summary: 'A subscription',
  params,
  response: singleOf(subscriptionSchema, 'WebhookSubscription'),
  example: { data: [example] },
  problems,
  handler: async ({ apiKey, bearer, params: { id } }, services) => {
    const { owner, stores } = await webhooksOf({ apiKey, bearer }, services)
    return { body: { data: [presentSubscription(await stores.subscriptions.find(owner, id))] }, caching: 'never' }
  },
})

const change = defineRoute({
  method: 'PATCH',
  path: '/webhooks/subscriptions/{id}',
  operationId: 'changeWebhookSubscription',
  tag,
  access: 'owner',
  summary: 'Changes a subscription, switches it off or on, or has it told everything again from a height on',
  params,
  body: z.strictObject(
    {
      event_types: typesField.optional(),
      conditions: conditionsSchema.optional(),
      is_enabled: z.boolean('must be true or false').optional(),
      from_height: heightField
        .describe('Everything from this block on is told, what was told before by new deliveries.')
        .optional(),
    },
    'must be an object',
  ),
  bodyExample: { from_height: 123_456_000 },
  response: singleOf(subscriptionSchema, 'WebhookSubscription'),
  example: { data: [example] },
  problems,
  handler: async ({ apiKey, bearer, params: { id }, body }, services) => {
    const { owner, stores } = await webhooksOf({ apiKey, bearer }, services)
    const changed = await stores.subscriptions.change(owner, id, {
      eventTypes: body.event_types,
      conditions: body.conditions,
      isEnabled: body.is_enabled,
      fromHeight: body.from_height,
    })
    return { body: { data: [presentSubscription(changed)] }, caching: 'never' }
  },
})

const remove = defineRoute({
  method: 'DELETE',
  path: '/webhooks/subscriptions/{id}',
  operationId: 'removeWebhookSubscription',
  tag,
  access: 'owner',
  summary: 'Removes a subscription with its deliveries',
  params,
  response: singleOf(subscriptionSchema, 'WebhookSubscription'),
  example: { data: [example] },
  problems,
  handler: async ({ apiKey, bearer, params: { id } }, services) => {
    const { owner, stores } = await webhooksOf({ apiKey, bearer }, services)
    return { body: { data: [presentSubscription(await stores.subscriptions.remove(owner, id))] }, caching: 'never' }
  },
})

const test = defineRoute({
  method: 'POST',
  path: '/webhooks/subscriptions/{id}/test',
  operationId: 'testWebhookSubscription',
  tag,
  access: 'owner',
  summary: 'Has an event `webhook.test` delivered',
  params,
  response: singleOf(subscriptionSchema, 'WebhookSubscription'),
  example: { data: [example] },
  problems: { ...problems, 409: 'Too many tests of it wait already.' },
  handler: async ({ apiKey, bearer, params: { id } }, services) => {
    const { owner, stores } = await webhooksOf({ apiKey, bearer }, services)
    return { body: { data: [presentSubscription(await stores.subscriptions.sendTest(owner, id))] }, caching: 'never' }
  },
})

const listDeliveries = defineRoute({
  path: '/webhooks/subscriptions/{id}/deliveries',
  operationId: 'listWebhookDeliveries',
  tag,
  access: 'owner',
  summary: 'The deliveries of a subscription, the newest first',
  params,
  query: z.object({
    limit: limitParameter({ default: 20, max: 100 }),
    cursor: cursorParameter(/^[1-9]\d{0,14}$/, '<sequence>'),
    status: z
      .enum(['pending', 'delivered', 'dead'], 'must be pending, delivered or dead')
      .describe('Only those.')
      .optional(),
  }),
  response: listOf(deliverySchema, 'WebhookDelivery'),
  example: { data: [deliveryExample], has_more: true, cursor: '3', _meta: { limit: 1, count: 1 } },
  problems,
  handler: async ({ apiKey, bearer, params: { id }, query: { limit, cursor, status } }, services) => {
    const { owner, stores } = await webhooksOf({ apiKey, bearer }, services)
    await stores.subscriptions.find(owner, id)
    const rows = await stores.deliveries.list(owner, id, {
      before: cursor === undefined ? undefined : Number(cursor),
      status,
      limit: limit + 1,
    })
    return { body: page(rows, limit, presentDelivery, (row) => String(row.sequence)), caching: 'never' }
  },
})

const getDelivery = defineRoute({
  path: '/webhooks/subscriptions/{id}/deliveries/{sequence}',
  operationId: 'getWebhookDelivery',
  tag,
  access: 'owner',
  summary: 'A delivery with its body and its failures',
  params: deliveryParams,
  response: singleOf(deliveryDetailSchema, 'WebhookDeliveryDetail'),
  example: { data: [{ ...deliveryExample, body: '{"type":"ft.transfer"}', failures: [] }] },
  problems: deliveryProblems,
  handler: async ({ apiKey, bearer, params: { id, sequence } }, services) => {
    const { owner, stores } = await webhooksOf({ apiKey, bearer }, services)
    return {
      body: { data: [presentDeliveryDetail(await stores.deliveries.find(owner, id, sequence))] },
      caching: 'never',
    }
  },
})

const replay = defineRoute({
  method: 'POST',
  path: '/webhooks/subscriptions/{id}/deliveries/{sequence}/replay',
  operationId: 'replayWebhookDelivery',
  tag,
  access: 'owner',
  summary: 'Has a delivery sent again, by the same id, before all others of its subscription',
  description: 'One that waits for its next attempt is tried at once.',
  params: deliveryParams,
  response: singleOf(deliverySchema, 'WebhookDelivery'),
  example: { data: [{ ...deliveryExample, status: 'pending', finished_at: null }] },
  problems: deliveryProblems,
  handler: async ({ apiKey, bearer, params: { id, sequence } }, services) => {
    const { owner, stores } = await webhooksOf({ apiKey, bearer }, services)
    return { body: { data: [presentDelivery(await stores.deliveries.replay(owner, id, sequence))] }, caching: 'never' }
  },
})

/** Who is told of what, and what became of it. */
export const webhookSubscriptionRoutes = [
  listTypes,
  list,
  create,
  get,
  change,
  remove,
  test,
  listDeliveries,
  getDelivery,
  replay,
]
