import { z } from 'zod'
import { noParameters } from '../../parameters/parameters.ts'
import {
  clientEndpointSchema,
  items,
  itemsOf,
  newClientEndpointSchema,
  presentClientEndpoint,
} from '../../presenters/webhook-client.ts'
import { defineRoute } from '../../route.ts'
import { descriptionField, urlField } from '../webhook-endpoints.ts'
import { ownerProblems, webhooksOf } from '../webhook-owner.ts'
import { limitProblems, nothing, params, problems, tag } from './common.ts'

const example = {
  id: '7',
  user_id: '12',
  url: 'https://receiver.example/flow',
  description: 'Deposits',
  endpoint_type: 'webhook' as const,
  is_active: true,
  created_at: '2025-07-01T12:00:01.250Z',
}

const list = defineRoute({
  path: '/api/v1/endpoints',
  operationId: 'clientListEndpoints',
  tag,
  access: 'owner',
  errorForm: 'message',
  summary: 'Your endpoints, the newest first',
  params: noParameters,
  query: noParameters,
  response: itemsOf(clientEndpointSchema, 'ClientEndpoint'),
  example: { items: [example], count: 1 },
  problems: ownerProblems,
  handler: async ({ apiKey, bearer }, services) => {
    const { owner, stores } = await webhooksOf({ apiKey, bearer }, services)
    return { body: items((await stores.endpoints.list(owner.keyId)).map(presentClientEndpoint)), caching: 'never' }
  },
})

const create = defineRoute({
  method: 'POST',
  path: '/api/v1/endpoints',
  operationId: 'clientCreateEndpoint',
  tag,
  access: 'owner',
  errorForm: 'message',
  successStatus: 201,
  summary: 'Makes an endpoint',
  params: noParameters,
  query: noParameters,
  body: z.strictObject(
    {
      url: urlField,
      description: descriptionField.default(''),
      endpoint_type: z.literal('webhook', 'must be webhook: other kinds are not sent to').optional(),
    },
    'must be an object',
  ),
  bodyExample: { url: 'https://receiver.example/flow', description: 'Deposits' },
  response: newClientEndpointSchema,
  example: { ...example, secret: `whsec_${'A'.repeat(43)}=` },
  problems: limitProblems,
  handler: async ({ apiKey, bearer, body: { url, description } }, services) => {
    const { owner, stores } = await webhooksOf({ apiKey, bearer }, services)
    const { endpoint, secret } = await stores.endpoints.create(owner, { url, description })
    return { body: { ...presentClientEndpoint(endpoint), secret }, caching: 'never' }
  },
})

const change = defineRoute({
  method: 'PATCH',
  path: '/api/v1/endpoints/{id}',
  operationId: 'clientChangeEndpoint',
  tag,
  access: 'owner',
  errorForm: 'message',
  summary: 'Changes an endpoint, pauses it or lets it go on',
  params,
  query: noParameters,
  body: z.strictObject(
    {
      url: urlField.optional(),
      description: descriptionField.optional(),
      is_active: z.boolean('must be true or false').optional(),
    },
    'must be an object',
  ),
  bodyExample: { is_active: true },
  response: clientEndpointSchema,
  example,
  problems,
  handler: async ({ apiKey, bearer, params: { id }, body: { url, description, is_active: isActive } }, services) => {
    const { owner, stores } = await webhooksOf({ apiKey, bearer }, services)
    const isPaused = isActive === undefined ? undefined : !isActive
    return {
      body: presentClientEndpoint(await stores.endpoints.change(owner, id, { url, description, isPaused })),
      caching: 'never',
    }
  },
})

const remove = defineRoute({
  method: 'DELETE',
  path: '/api/v1/endpoints/{id}',
  operationId: 'clientRemoveEndpoint',
  tag,
  access: 'owner',
  errorForm: 'message',
  successStatus: 204,
  summary: 'Removes an endpoint with its subscriptions and their deliveries',
  params,
  query: noParameters,
  response: nothing,
  example: '',
  problems,
  handler: async ({ apiKey, bearer, params: { id } }, services) => {
    const { owner, stores } = await webhooksOf({ apiKey, bearer }, services)
    await stores.endpoints.remove(owner, id)
    return { body: '', caching: 'never' }
  },
})

/** Endpoints, as clients of the Flow explorer's webhooks ask for them. */
export const clientEndpointRoutes = [list, create, change, remove]
