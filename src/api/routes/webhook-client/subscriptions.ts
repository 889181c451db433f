import { z } from 'zod'
import { eventTypeNames } from '../../../webhooks/event-types.ts'
import { noParameters } from '../../parameters/parameters.ts'
import { clientSubscriptionSchema, items, itemsOf, presentClientSubscription } from '../../presenters/webhook-client.ts'
import { defineRoute } from '../../route.ts'
import { ownerProblems, webhooksOf } from '../webhook-owner.ts'
import { clientConditionsSchema, fromClientConditions } from './client-conditions.ts'
import { idField, limitProblems, nothing, pageParameters, params, problems, tag } from './common.ts'

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
  errorForm: 'message',
  summary: 'What can be subscribed to',
  params: noParameters,
  query: noParameters,
  response: itemsOf(z.string(), 'ClientEventType'),
  example: { items: ['ft.transfer'], count: 1 },
  handler: () => ({ body: items([...eventTypeNames]), caching: 'static' }),
})

const list = defineRoute({
  path: '/api/v1/subscriptions',
  operationId: 'clientListSubscriptions',
  tag,
  access: 'owner',
  errorForm: 'message',
  summary: 'Your subscriptions, the newest first',
  params: noParameters,
  query: pageParameters,
  response: itemsOf(clientSubscriptionSchema, 'ClientSubscription'),
  example: { items: [example], count: 1 },
  problems: ownerProblems,
  handler: async ({ apiKey, bearer, query: { limit, offset } }, services) => {
    const { owner, stores } = await webhooksOf({ apiKey, bearer }, services)
    const all = await stores.subscriptions.list(owner, undefined)
    return {
      body: items(all.slice(offset, offset + limit).map((one) => presentClientSubscription(one, owner.keyId))),
      caching: 'never',
    }
  },
})

const create = defineRoute({
  method: 'POST',
  path: '/api/v1/subscriptions',
  operationId: 'clientCreateSubscription',
  tag,
  access: 'owner',
  errorForm: 'message',
  successStatus: 201,
  summary: 'Subscribes an endpoint to events of one type',
  params: noParameters,
  query: noParameters,
  body: z.strictObject(
    {
      endpoint_id: idField,
      event_type: z.enum(eventTypeNames, 'must be one of those that /api/v1/event-types lists'),
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
  problems: { ...limitProblems, 404: 'You have no such endpoint.' },
  handler: async ({ apiKey, bearer, body }, services) => {
    const { owner, stores } = await webhooksOf({ apiKey, bearer }, services)
    const { subscription } = await stores.subscriptions.create(owner, {
      endpoint: body.endpoint_id,
      eventTypes: [body.event_type],
      conditions: fromClientConditions(body.conditions),
      fromHeight: undefined,
    })
    return { body: presentClientSubscription(subscription, owner.keyId), caching: 'never' }
  },
})

const get = defineRoute({
  path: '/api/v1/subscriptions/{id}',
  operationId: 'clientGetSubscription',
  tag,
  access: 'owner',
  errorForm: 'message',
  summary: 'A subscription',
  params,
  query: noParameters,
  response: clientSubscriptionSchema,
  example,
  problems,
  handler: async ({ apiKey, bearer, params: { id } }, services) => {
    const { owner, stores } = await webhooksOf({ apiKey, bearer }, services)
    return {
      body: presentClientSubscription(await stores.subscriptions.find(owner, id), owner.keyId),
      caching: 'never',
    }
  },
})

const change = defineRoute({
  method: 'PATCH',
  path: '/api/v1/subscriptions/{id}',
  operationId: 'clientChangeSubscription',
  tag,
  access: 'owner',
  errorForm: 'message',
  summary: 'Changes the conditions of a subscription, switches it off or on',
  params,
  query: noParameters,
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
  handler: async ({ apiKey, bearer, params: { id }, body: { conditions, is_enabled: isEnabled } }, services) => {
    const { owner, stores } = await webhooksOf({ apiKey, bearer }, services)
    const changed = await stores.subscriptions.change(owner, id, {
      isEnabled,
      conditions: conditions === undefined ? undefined : fromClientConditions(conditions),
    })
    return { body: presentClientSubscription(changed, owner.keyId), caching: 'never' }
  },
})

const remove = defineRoute({
  method: 'DELETE',
  path: '/api/v1/subscriptions/{id}',
  operationId: 'clientRemoveSubscription',
  tag,
  access: 'owner',
  errorForm: 'message',
  successStatus: 204,
  summary: 'Removes a subscription with its deliveries',
  params,
  query: noParameters,
  response: nothing,
  example: '',
  problems,
  handler: async ({ apiKey, bearer, params: { id } }, services) => {
    const { owner, stores } = await webhooksOf({ apiKey, bearer }, services)
    await stores.subscriptions.remove(owner, id)
    return { body: '', caching: 'never' }
  },
})

/** Subscriptions, as clients of the Flow explorer's webhooks ask for them. */
export const clientSubscriptionRoutes = [listTypes, list, create, get, change, remove]
