import { z } from 'zod'
import { ApiError } from '../../platform/errors.ts'
import { parseBody } from '../../platform/http/parse-input.ts'
import { conditionsSchema } from '../../webhooks/conditions.ts'
import type { Conditions } from '../../webhooks/conditions.ts'
import { eventTypeNames } from '../../webhooks/events.ts'
import { idParameter, integerParameter } from '../parameters.ts'
import { messageForm } from '../../platform/http/problem.ts'
import { defineRoute } from '../route.ts'
import { clientSubscriptionSchema, items, itemsOf, presentClientSubscription } from './client-schema.ts'
import { ownerProblems } from './endpoint-routes.ts'

export const tag = 'Webhooks for existing clients'
export const params = z.object({ id: idParameter('Id.') })
export const problems = { ...ownerProblems, 404: 'Not found.' } as const
export const limitProblems = { ...ownerProblems, 403: 'The limit of the tier is reached.' } as const

export const pageParameters = z.object({
  limit: integerParameter(1, 200).default(50).describe('Most items of the answer.'),
  offset: integerParameter(0, 1000).default(0).describe('Number of items to skip.'),
})

export const nothing = z.string().max(0)

const idField = z
  .union(
    [z.string().regex(/^[1-9][0-9]{0,14}$/), z.int().min(1).max(999_999_999_999_999)],
    'must be a number of at least 1',
  )
  .transform(Number)

const clientConditionsSchema = z
  .record(z.string(), z.unknown(), 'must be an object')
  .describe(
    'As in `/webhooks/subscriptions`, or one each of the aliases `token`, `token_contract`, `collection` (for ' +
      '`tokens`), `contract_address`, `pair_id`, `node_id`, `token_ids`, `event_types` (event names), `from`, `to`, ' +
      '`min_value`. Amounts may be numbers. Unknown conditions are rejected.',
  )

const aliases: Readonly<Record<string, keyof Conditions>> = {
  token: 'tokens',
  token_contract: 'tokens',
  collection: 'tokens',
  contract_address: 'contracts',
  pair_id: 'pairs',
  node_id: 'nodes',
  token_ids: 'nft_ids',
  event_types: 'event_names',
  min_value: 'min_amount',
  from: 'addresses',
  to: 'addresses',
}

/** @throws ApiError 400 */
function fromClientConditions(given: Readonly<Record<string, unknown>> | null | undefined): Conditions {
  const ours: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(given ?? {})) {
    if (value === null) continue
    const own = Object.hasOwn(aliases, name) ? (aliases[name] ?? name) : name
    if (Object.hasOwn(ours, own)) {
      throw new ApiError(
        400,
        'invalid-field',
        `Field "conditions.${name}" duplicates another condition. Send only one of them.`,
        { field: `conditions.${name}` },
      )
    }
    ours[own] = ownValue(own, value, own !== name)
    if (name === 'from' || name === 'to') ours['direction'] = name === 'to' ? 'in' : 'out'
  }
  return parseBody(z.object({ conditions: conditionsSchema }), { conditions: ours }).conditions
}

function ownValue(own: string, value: unknown, isRenamed: boolean): unknown {
  if (own === 'min_amount') return typeof value === 'number' ? decimalText(value) : value
  if (own === 'roles') return [value].flat().map((role) => (typeof role === 'string' ? role.toLowerCase() : role))
  return isRenamed ? [value].flat().map((one) => (typeof one === 'number' ? String(one) : one)) : value
}

/** Amounts have no exponent. */
function decimalText(value: number): string {
  return value.toLocaleString('en', { useGrouping: false, maximumFractionDigits: 18 })
}

const example: z.output<typeof clientSubscriptionSchema> = {
  id: '21',
  user_id: '12',
  endpoint_id: '7',
  event_type: 'ft.transfer',
  event_types: ['ft.transfer'],
  conditions: { addresses: ['0xe467b9dd11fa00df'] },
  is_enabled: true,
  created_at: '2025-07-01T12:00:01.250Z',
  updated_at: '2025-07-01T12:00:01.250Z',
}

const listTypes = defineRoute({
  path: '/api/v1/event-types',
  operationId: 'clientListEventTypes',
  tag,
  errorForm: messageForm,
  summary: 'List event types',
  response: itemsOf(z.string(), 'ClientEventType'),
  example: { items: ['ft.transfer'], count: 1 },
  handler: () => ({ body: items([...eventTypeNames]), caching: 'static' }),
})

const list = defineRoute({
  path: '/api/v1/subscriptions',
  operationId: 'clientListSubscriptions',
  tag,
  access: 'webhooks',
  errorForm: messageForm,
  summary: 'List subscriptions, newest first',
  query: pageParameters,
  response: itemsOf(clientSubscriptionSchema, 'ClientSubscription'),
  example: { items: [example], count: 1 },
  problems: ownerProblems,
  handler: async ({ caller: { owner, stores }, query: { limit, offset } }) => {
    const all = await stores.subscriptions.list(owner, undefined)
    return {
      body: items(all.slice(offset, offset + limit).map((one) => presentClientSubscription(one, owner.keyId))),
    }
  },
})

const create = defineRoute({
  method: 'POST',
  path: '/api/v1/subscriptions',
  operationId: 'clientCreateSubscription',
  tag,
  access: 'webhooks',
  errorForm: messageForm,
  successStatus: 201,
  summary: 'Create a subscription',
  body: z.strictObject(
    {
      endpoint_id: idField,
      event_type: z.enum(eventTypeNames, 'must be a type listed by /api/v1/event-types'),
      conditions: clientConditionsSchema.nullable().optional(),
    },
    'must be an object',
  ),
  bodyExample: {
    endpoint_id: '7',
    event_type: 'ft.transfer',
    conditions: { token: 'A.1654653399040a61.FlowToken', min_amount: '100.0' },
  },
  response: clientSubscriptionSchema,
  example,
  problems: { ...limitProblems, 404: 'The endpoint does not exist.' },
  handler: async ({ caller: { owner, stores }, body }) => {
    const { subscription } = await stores.subscriptions.create(owner, {
      endpoint: body.endpoint_id,
      eventTypes: [body.event_type],
      conditions: fromClientConditions(body.conditions),
      fromHeight: undefined,
    })
    return { body: presentClientSubscription(subscription, owner.keyId) }
  },
})

const get = defineRoute({
  path: '/api/v1/subscriptions/{id}',
  operationId: 'clientGetSubscription',
  tag,
  access: 'webhooks',
  errorForm: messageForm,
  summary: 'Get a subscription',
  params,
  response: clientSubscriptionSchema,
  example,
  problems,
  handler: async ({ caller: { owner, stores }, params: { id } }) => ({
    body: presentClientSubscription(await stores.subscriptions.find(owner, id), owner.keyId),
  }),
})

const change = defineRoute({
  method: 'PATCH',
  path: '/api/v1/subscriptions/{id}',
  operationId: 'clientChangeSubscription',
  tag,
  access: 'webhooks',
  errorForm: messageForm,
  summary: 'Update, disable or enable a subscription',
  params,
  body: z.strictObject(
    {
      conditions: clientConditionsSchema.nullable().optional(),
      is_enabled: z.boolean('must be true or false').optional(),
    },
    'must be an object',
  ),
  bodyExample: { is_enabled: false },
  response: clientSubscriptionSchema,
  example: { ...example, is_enabled: false },
  problems,
  handler: async ({ caller: { owner, stores }, params: { id }, body: { conditions, is_enabled: isEnabled } }) => {
    const changed = await stores.subscriptions.change(owner, id, {
      isEnabled,
      conditions: conditions === undefined ? undefined : fromClientConditions(conditions),
    })
    return { body: presentClientSubscription(changed, owner.keyId) }
  },
})

const remove = defineRoute({
  method: 'DELETE',
  path: '/api/v1/subscriptions/{id}',
  operationId: 'clientRemoveSubscription',
  tag,
  access: 'webhooks',
  errorForm: messageForm,
  successStatus: 204,
  summary: 'Delete a subscription with its deliveries',
  params,
  response: nothing,
  example: '',
  problems,
  handler: async ({ caller: { owner, stores }, params: { id } }) => {
    await stores.subscriptions.remove(owner, id)
    return { body: '' }
  },
})

export const clientSubscriptionRoutes = [listTypes, list, create, get, change, remove]
