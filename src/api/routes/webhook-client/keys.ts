import { z } from 'zod'
import { requireAccounts } from '../../admin/require-operations.ts'
import { nameField } from '../../admin/text-fields.ts'
import { noParameters } from '../../parameters/parameters.ts'
import {
  clientKeySchema,
  items,
  itemsOf,
  newClientKeySchema,
  presentClientKey,
} from '../../presenters/webhook-client.ts'
import { defineRoute } from '../../route.ts'
import { ownerProblems, shownOwner } from '../webhook-owner.ts'
import { nothing, params, problems, tag } from './common.ts'

const example = {
  id: '13',
  user_id: '12',
  key_prefix: 'fs_live_3fa1',
  name: 'My program',
  is_active: true as const,
  created_at: '2025-07-01T12:00:01.250Z',
}

const list = defineRoute({
  path: '/api/v1/api-keys',
  operationId: 'clientListKeys',
  tag,
  access: 'owner',
  errorForm: 'message',
  summary: 'The keys of your account, the newest first; with a key that an administrator made, that key',
  params: noParameters,
  query: noParameters,
  response: itemsOf(clientKeySchema, 'ClientKey'),
  example: { items: [example], count: 1 },
  problems: ownerProblems,
  handler: async ({ apiKey, bearer }, services) => {
    const { ownerId } = await shownOwner({ apiKey, bearer }, services)
    return { body: items((await requireAccounts(services).keysOf(ownerId)).map(presentClientKey)), caching: 'never' }
  },
})

const create = defineRoute({
  method: 'POST',
  path: '/api/v1/api-keys',
  operationId: 'clientCreateKey',
  tag,
  access: 'owner',
  errorForm: 'message',
  successStatus: 201,
  summary: 'Makes a key of your account, for a program',
  description: 'Keys of an account share its tier, its requests a second and its webhooks.',
  params: noParameters,
  query: noParameters,
  body: z.strictObject({ name: nameField(200) }, 'must be an object'),
  bodyExample: { name: 'My program' },
  response: newClientKeySchema,
  example: { ...example, key: `fs_live_3fa1${'0'.repeat(60)}` },
  problems: {
    ...ownerProblems,
    403: 'The key that was shown belongs to no account, or the account has too many keys.',
  },
  handler: async ({ apiKey, bearer, body: { name } }, services) => {
    const { ownerId } = await shownOwner({ apiKey, bearer }, services)
    const { key, text } = await requireAccounts(services).makeKey(ownerId, name)
    return { body: { ...presentClientKey(key), key: text }, caching: 'never' }
  },
})

const revoke = defineRoute({
  method: 'DELETE',
  path: '/api/v1/api-keys/{id}',
  operationId: 'clientRevokeKey',
  tag,
  access: 'owner',
  errorForm: 'message',
  successStatus: 204,
  summary: 'Revokes one of these keys, for good',
  params,
  query: noParameters,
  response: nothing,
  example: '',
  problems,
  handler: async ({ apiKey, bearer, params: { id } }, services) => {
    const { ownerId } = await shownOwner({ apiKey, bearer }, services)
    await requireAccounts(services).revokeKey(ownerId, id)
    return { body: '', caching: 'never' }
  },
})

/** Keys, as clients of the Flow explorer's webhooks ask for them. */
export const clientKeyRoutes = [list, create, revoke]
