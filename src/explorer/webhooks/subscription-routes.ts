import { z } from 'zod'
import { conditionsSchema } from '../../webhooks/conditions.ts'
import { eventTypes } from '../../webhooks/events.ts'
import { secretOf } from '../../webhooks/signature.ts'
import { idParameter, limitParameter } from '../parameters.ts'
import { listOf, page, singleOf, wholeList } from '../paging/pages.ts'
import {
  deliveryDetailSchema,
  deliverySchema,
  eventTypeFormat,
  newSubscriptionSchema,
  numberBefore,
  numberCursor,
  presentDelivery,
  presentDeliveryDetail,
  presentSubscription,
  subscriptionSchema,
} from './schema.ts'
import { readWorkers } from '../own/tables.ts'
import { defineRoute } from '../route.ts'
import { secretField, urlField, ownerProblems } from './endpoint-routes.ts'

const tag = 'Webhooks'
const params = z.object({ id: idParameter('Subscription id.') })
const deliveryParams = z.object({
  id: idParameter('Subscription id.'),
  sequence: idParameter('Sequence number of the delivery.'),
})
const problems = { ...ownerProblems, 404: 'The subscription does not exist.' } as const
const deliveryProblems = { ...ownerProblems, 404: 'The delivery does not exist.' } as const

const maxEventTypes = 50

const typesField = z
  .array(eventTypeFormat, 'must be a list')
  .min(1, 'must not be empty')
  .max(maxEventTypes, `must have at most ${maxEventTypes} entries`)
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
  summary: 'List event types',
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
  handler: async (_input, { database }) => {
    const own = (await readWorkers(database)).flatMap(({ name, tables }) =>
      tables.flatMap((table) =>
        table.kind === 'events'
          ? [{ type: `own.${name}.${table.name}`, description: table.comment || `A row of ${name}.${table.name}.` }]
          : [],
      ),
    )
    const types = Object.entries(eventTypes).map(([type, description]) => ({ type, description }))
    return { body: wholeList([...types, ...own]) }
  },
})

const list = defineRoute({
  path: '/webhooks/subscriptions',
  operationId: 'listWebhookSubscriptions',
  tag,
  access: 'webhooks',
  summary: 'List subscriptions, newest first',
  query: z.object({ endpoint_id: idParameter('Endpoint id.').optional() }),
  response: listOf(subscriptionSchema, 'WebhookSubscription'),
  example: { data: [example], has_more: false, cursor: '', _meta: { count: 1 } },
  problems: ownerProblems,
  handler: async ({ caller: { owner, stores }, query }) => ({
    body: wholeList((await stores.subscriptions.list(owner, query.endpoint_id)).map(presentSubscription)),
  }),
})

const create = defineRoute({
  method: 'POST',
  path: '/webhooks/subscriptions',
  operationId: 'createWebhookSubscription',
  tag,
  access: 'webhooks',
  summary: 'Create a subscription',
  description:
    'Uses an existing endpoint (`endpoint_id`) or creates one (`url`); its `secret` is then returned only ' +
    'once. Events are delivered in chain order, at least once; `event_id` in the body and the `webhook-id` ' +
    'header identify duplicates.',
  body: z
    .strictObject(
      {
        endpoint_id: idField.optional(),
        url: urlField.describe('Creates an endpoint; instead of `endpoint_id`.').optional(),
        secret: secretField.optional(),
        event_types: typesField,
        conditions: conditionsSchema.default({}),
        from_height: heightField.describe('First block. Default: the next stored block.').optional(),
      },
      'must be an object',
    )
    .refine(({ endpoint_id: id, url }) => (id === undefined) !== (url === undefined), {
      path: ['endpoint_id'],
      message: 'or "url" is required, but not both',
    })
    .refine(({ url, secret }) => url !== undefined || secret === undefined, {
      path: ['secret'],
      message: 'is only allowed with "url"',
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
    403: 'The subscription limit of the tier is reached.',
    404: 'The endpoint does not exist.',
  },
  handler: async ({ caller: { owner, stores }, body }) => {
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
    }
  },
})

const get = defineRoute({
  path: '/webhooks/subscriptions/{id}',
  operationId: 'getWebhookSubscription',
  tag,
  access: 'webhooks',
  summary: 'Get a subscription',
  params,
  response: singleOf(subscriptionSchema, 'WebhookSubscription'),
  example: { data: [example] },
  problems,
  handler: async ({ caller: { owner, stores }, params: { id } }) => ({
    body: { data: [presentSubscription(await stores.subscriptions.find(owner, id))] },
  }),
})

const change = defineRoute({
  method: 'PATCH',
  path: '/webhooks/subscriptions/{id}',
  operationId: 'changeWebhookSubscription',
  tag,
  access: 'webhooks',
  summary: 'Update, disable, enable or rewind a subscription',
  params,
  body: z.strictObject(
    {
      event_types: typesField.optional(),
      conditions: conditionsSchema.optional(),
      is_enabled: z.boolean('must be true or false').optional(),
      from_height: heightField.describe('Restarts at this block; events sent before are delivered again.').optional(),
    },
    'must be an object',
  ),
  bodyExample: { from_height: 123_456_000 },
  response: singleOf(subscriptionSchema, 'WebhookSubscription'),
  example: { data: [example] },
  problems,
  handler: async ({ caller: { owner, stores }, params: { id }, body }) => {
    const changed = await stores.subscriptions.change(owner, id, {
      eventTypes: body.event_types,
      conditions: body.conditions,
      isEnabled: body.is_enabled,
      fromHeight: body.from_height,
    })
    return { body: { data: [presentSubscription(changed)] } }
  },
})

const remove = defineRoute({
  method: 'DELETE',
  path: '/webhooks/subscriptions/{id}',
  operationId: 'removeWebhookSubscription',
  tag,
  access: 'webhooks',
  summary: 'Delete a subscription with its deliveries',
  params,
  response: singleOf(subscriptionSchema, 'WebhookSubscription'),
  example: { data: [example] },
  problems,
  handler: async ({ caller: { owner, stores }, params: { id } }) => ({
    body: { data: [presentSubscription(await stores.subscriptions.remove(owner, id))] },
  }),
})

const test = defineRoute({
  method: 'POST',
  path: '/webhooks/subscriptions/{id}/test',
  operationId: 'testWebhookSubscription',
  tag,
  access: 'webhooks',
  summary: 'Send a `webhook.test` event',
  params,
  response: singleOf(subscriptionSchema, 'WebhookSubscription'),
  example: { data: [example] },
  problems: { ...problems, 409: 'Too many tests of the subscription are pending.' },
  handler: async ({ caller: { owner, stores }, params: { id } }) => ({
    body: { data: [presentSubscription(await stores.subscriptions.sendTest(owner, id))] },
  }),
})

const listDeliveries = defineRoute({
  path: '/webhooks/subscriptions/{id}/deliveries',
  operationId: 'listWebhookDeliveries',
  tag,
  access: 'webhooks',
  summary: 'List deliveries of a subscription, newest first',
  params,
  query: z.object({
    limit: limitParameter({ default: 20, max: 100 }),
    cursor: numberCursor.parameter,
    status: z
      .enum(['pending', 'delivered', 'dead'], 'must be pending, delivered or dead')
      .describe('Delivery status.')
      .optional(),
  }),
  response: listOf(deliverySchema, 'WebhookDelivery'),
  example: { data: [deliveryExample], has_more: true, cursor: '3', _meta: { limit: 1, count: 1 } },
  problems,
  handler: async ({ caller: { owner, stores }, params: { id }, query: { limit, cursor, status } }) => {
    await stores.subscriptions.find(owner, id)
    const rows = await stores.deliveries.list(owner, id, {
      before: numberBefore(cursor),
      status,
      limit: limit + 1,
    })
    return { body: page(rows, limit, presentDelivery, (row) => String(row.sequence)) }
  },
})

const getDelivery = defineRoute({
  path: '/webhooks/subscriptions/{id}/deliveries/{sequence}',
  operationId: 'getWebhookDelivery',
  tag,
  access: 'webhooks',
  summary: 'Get a delivery with its body and failures',
  params: deliveryParams,
  response: singleOf(deliveryDetailSchema, 'WebhookDeliveryDetail'),
  example: { data: [{ ...deliveryExample, body: '{"type":"ft.transfer"}', failures: [] }] },
  problems: deliveryProblems,
  handler: async ({ caller: { owner, stores }, params: { id, sequence } }) => ({
    body: { data: [presentDeliveryDetail(await stores.deliveries.find(owner, id, sequence))] },
  }),
})

const replay = defineRoute({
  method: 'POST',
  path: '/webhooks/subscriptions/{id}/deliveries/{sequence}/replay',
  operationId: 'replayWebhookDelivery',
  tag,
  access: 'webhooks',
  summary: 'Replay a delivery',
  description:
    'Sends it with the same id before all others of the subscription. A pending delivery is retried immediately.',
  params: deliveryParams,
  response: singleOf(deliverySchema, 'WebhookDelivery'),
  example: { data: [{ ...deliveryExample, status: 'pending', finished_at: null }] },
  problems: deliveryProblems,
  handler: async ({ caller: { owner, stores }, params: { id, sequence } }) => ({
    body: { data: [presentDelivery(await stores.deliveries.replay(owner, id, sequence))] },
  }),
})

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
