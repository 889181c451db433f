import { z } from 'zod'
import { requireAccounts, nameField } from '../admin/operations.ts'
import { messageForm } from '../../platform/http/problem.ts'
import { defineRoute } from '../route.ts'
import {
  clientEndpointSchema,
  items,
  itemsOf,
  newClientEndpointSchema,
  presentClientEndpoint,
  clientKeySchema,
  newClientKeySchema,
  presentClientKey,
  clientLogSchema,
  presentClientLog,
} from './client-schema.ts'
import { limitProblems, nothing, params, problems, tag, pageParameters } from './client-subscriptions.ts'
import { descriptionField, urlField, ownerProblems, usageExample } from './endpoint-routes.ts'
import { presentUsage, usageSchema } from './schema.ts'

const exampleEndpoint = {
  id: '7',
  user_id: '12',
  url: 'https://receiver.example/flow',
  description: 'Deposits',
  endpoint_type: 'webhook' as const,
  is_active: true,
  created_at: '2025-07-01T12:00:01.250Z',
}

const listEndpoints = defineRoute({
  path: '/api/v1/endpoints',
  operationId: 'clientListEndpoints',
  tag,
  access: 'webhooks',
  errorForm: messageForm,
  summary: 'List endpoints, newest first',
  response: itemsOf(clientEndpointSchema, 'ClientEndpoint'),
  example: { items: [exampleEndpoint], count: 1 },
  problems: ownerProblems,
  handler: async ({ caller: { owner, stores } }) => ({
    body: items((await stores.endpoints.list(owner.keyId)).map(presentClientEndpoint)),
  }),
})

const createEndpoint = defineRoute({
  method: 'POST',
  path: '/api/v1/endpoints',
  operationId: 'clientCreateEndpoint',
  tag,
  access: 'webhooks',
  errorForm: messageForm,
  successStatus: 201,
  summary: 'Create an endpoint',
  body: z.strictObject(
    {
      url: urlField,
      description: descriptionField.default(''),
      endpoint_type: z.literal('webhook', 'must be webhook: other types are not supported').optional(),
    },
    'must be an object',
  ),
  bodyExample: { url: 'https://receiver.example/flow', description: 'Deposits' },
  response: newClientEndpointSchema,
  example: { ...exampleEndpoint, secret: `whsec_${'A'.repeat(43)}=` },
  problems: limitProblems,
  handler: async ({ caller: { owner, stores }, body: { url, description } }) => {
    const { endpoint, secret } = await stores.endpoints.create(owner, { url, description })
    return { body: { ...presentClientEndpoint(endpoint), secret } }
  },
})

const change = defineRoute({
  method: 'PATCH',
  path: '/api/v1/endpoints/{id}',
  operationId: 'clientChangeEndpoint',
  tag,
  access: 'webhooks',
  errorForm: messageForm,
  summary: 'Update, pause or resume an endpoint',
  params,
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
  example: exampleEndpoint,
  problems,
  handler: async ({ caller: { owner, stores }, params: { id }, body: { url, description, is_active: isActive } }) => {
    const isPaused = isActive === undefined ? undefined : !isActive
    return {
      body: presentClientEndpoint(await stores.endpoints.change(owner, id, { url, description, isPaused })),
    }
  },
})

const remove = defineRoute({
  method: 'DELETE',
  path: '/api/v1/endpoints/{id}',
  operationId: 'clientRemoveEndpoint',
  tag,
  access: 'webhooks',
  errorForm: messageForm,
  successStatus: 204,
  summary: 'Delete an endpoint with its subscriptions and deliveries',
  params,
  response: nothing,
  example: '',
  problems,
  handler: async ({ caller: { owner, stores }, params: { id } }) => {
    await stores.endpoints.remove(owner, id)
    return { body: '' }
  },
})

export const clientEndpointRoutes = [listEndpoints, createEndpoint, change, remove]

const exampleKey = {
  id: '13',
  user_id: '12',
  key_prefix: 'fs_live_3fa1',
  name: 'My program',
  is_active: true as const,
  created_at: '2025-07-01T12:00:01.250Z',
}

const listKeys = defineRoute({
  path: '/api/v1/api-keys',
  operationId: 'clientListKeys',
  tag,
  access: 'owner',
  errorForm: messageForm,
  summary: 'List keys of the account, newest first; for a key created by an administrator, only that key',
  response: itemsOf(clientKeySchema, 'ClientKey'),
  example: { items: [exampleKey], count: 1 },
  problems: ownerProblems,
  handler: async ({ caller: { ownerId } }, services) => ({
    body: items((await requireAccounts(services).keysOf(ownerId)).map(presentClientKey)),
  }),
})

const createKey = defineRoute({
  method: 'POST',
  path: '/api/v1/api-keys',
  operationId: 'clientCreateKey',
  tag,
  access: 'owner',
  errorForm: messageForm,
  successStatus: 201,
  summary: 'Create a key of the account',
  description: 'Keys of an account share its tier, rate limit and webhooks.',
  body: z.strictObject({ name: nameField(200) }, 'must be an object'),
  bodyExample: { name: 'My program' },
  response: newClientKeySchema,
  example: { ...exampleKey, key: `fs_live_3fa1${'0'.repeat(60)}` },
  problems: {
    ...ownerProblems,
    403: 'The presented key belongs to no account, or the account has too many keys.',
  },
  handler: async ({ caller: { ownerId }, body: { name } }, services) => {
    const { key, text } = await requireAccounts(services).makeKey(ownerId, name)
    return { body: { ...presentClientKey(key), key: text } }
  },
})

const revoke = defineRoute({
  method: 'DELETE',
  path: '/api/v1/api-keys/{id}',
  operationId: 'clientRevokeKey',
  tag,
  access: 'owner',
  errorForm: messageForm,
  successStatus: 204,
  summary: 'Revoke a key',
  params,
  response: nothing,
  example: '',
  problems,
  handler: async ({ caller: { ownerId }, params: { id } }, services) => {
    await requireAccounts(services).revokeKey(ownerId, id)
    return { body: '' }
  },
})

export const clientKeyRoutes = [listKeys, createKey, revoke]

const listLogs = defineRoute({
  path: '/api/v1/logs',
  operationId: 'clientListLogs',
  tag,
  access: 'webhooks',
  errorForm: messageForm,
  summary: 'List delivery attempts, newest first',
  query: pageParameters,
  response: itemsOf(clientLogSchema, 'ClientLog'),
  example: {
    items: [
      {
        id: 'msg_21_3',
        subscription_id: '21',
        endpoint_id: '7',
        event_type: 'ft.transfer',
        payload: { type: 'ft.transfer' },
        status_code: 200,
        delivered_at: '2025-07-01T12:00:01.310Z',
      },
    ],
    count: 1,
  },
  problems: ownerProblems,
  handler: async ({ caller: { owner, stores }, query }) => ({
    body: items((await stores.deliveries.log(owner, query)).map(presentClientLog)),
  }),
})

const usage = defineRoute({
  path: '/api/v1/account/usage',
  operationId: 'clientGetUsage',
  tag,
  access: 'webhooks',
  errorForm: messageForm,
  summary: 'Usage and limits',
  response: usageSchema,
  example: usageExample,
  problems: ownerProblems,
  handler: async ({ caller: { owner, stores } }) => ({
    body: presentUsage(await stores.overview.usage(owner), owner.tier),
  }),
})

export const clientLogRoutes = [listLogs, usage]
