import { z } from 'zod'
import type { DeveloperKey } from '../../platform/auth/developer-keys.ts'
import { keyTierNames } from '../../platform/auth/developer-keys.ts'
import { ApiError } from '../../platform/errors.ts'
import { toApiError } from '../../platform/http/problem.ts'
import { idParameter } from '../parameters.ts'
import { requireKeys, nameField } from './operations.ts'
import { listOf, singleOf, wholeList } from '../paging/pages.ts'
import { defineRoute } from '../route.ts'

const keySchema = z
  .strictObject({
    id: z.int(),
    prefix: z.string().describe('First 12 characters of the key; `account` for a user account.'),
    owner_id: z.int().describe('Owner of the webhooks: the account of the key, or the key itself.'),
    user_id: z
      .string()
      .nullable()
      .describe('`sub` of a user account. Accounts are created with the first JWT of a user.'),
    name: z.string().describe('Owner or purpose.'),
    tier: z
      .enum(keyTierNames)
      .describe(
        'Rate limit: free 20, pro 50, enterprise 200 requests per second; unlimited. Keys of an account have its tier.',
      ),
    created_at: z.string(),
    last_used_at: z.string().nullable().describe('Precision: one minute. Null if never used.'),
    revoked_at: z.string().nullable().describe('Null if valid.'),
  })
  .meta({ id: 'DeveloperKey' })

const newKeySchema = z
  .strictObject({
    ...keySchema.shape,
    key: z.string().describe('The key. Returned only once; only its SHA-256 is stored.'),
  })
  .meta({ id: 'NewDeveloperKey' })

const example = {
  id: 12,
  prefix: 'fs_live_3fa1',
  owner_id: 12,
  user_id: null,
  name: 'Partner explorer',
  tier: 'pro' as const,
  created_at: '2025-07-01T12:00:01.250Z',
  last_used_at: null,
  revoked_at: null,
}

function present({
  id,
  prefix,
  ownerId,
  userId,
  name,
  tier,
  createdAt,
  lastUsedAt,
  revokedAt,
}: DeveloperKey): z.output<typeof keySchema> {
  return {
    id,
    prefix,
    owner_id: ownerId,
    user_id: userId,
    name,
    tier,
    created_at: createdAt.toISOString(),
    last_used_at: lastUsedAt?.toISOString() ?? null,
    revoked_at: revokedAt?.toISOString() ?? null,
  }
}

const list = defineRoute({
  path: '/admin/developer-keys',
  operationId: 'adminListKeys',
  tag: 'Administration',
  access: 'admin',
  summary: 'List developer keys, newest first',
  response: listOf(keySchema, 'DeveloperKey'),
  example: { data: [example], has_more: false, cursor: '', _meta: { count: 1 } },
  handler: async (_input, services) => ({ body: wholeList((await requireKeys(services).list()).map(present)) }),
})

const create = defineRoute({
  method: 'POST',
  path: '/admin/developer-keys',
  operationId: 'adminCreateKey',
  tag: 'Administration',
  access: 'admin',
  summary: 'Create a developer key',
  body: z.strictObject(
    {
      name: nameField(200).describe('Owner or purpose.'),
      tier: z.enum(keyTierNames, `must be one of ${keyTierNames.join(', ')}`).default('free'),
    },
    'must be an object',
  ),
  bodyExample: { name: 'Partner explorer', tier: 'pro' },
  response: singleOf(newKeySchema, 'NewDeveloperKey'),
  example: { data: [{ ...example, key: `fs_live_3fa1${'0'.repeat(60)}` }] },
  handler: async ({ body }, services) => {
    const { text, key } = await requireKeys(services).create(body)
    return { body: { data: [{ ...present(key), key: text }] } }
  },
})

const changeTier = defineRoute({
  method: 'PATCH',
  path: '/admin/developer-keys/{id}',
  operationId: 'adminChangeKeyTier',
  tag: 'Administration',
  access: 'admin',
  summary: 'Change the tier of a developer key or account',
  description: 'Effective immediately in this process and within 30 seconds in others.',
  params: z.object({ id: idParameter('Id of the key or account.') }),
  body: z.strictObject(
    { tier: z.enum(keyTierNames, `must be one of ${keyTierNames.join(', ')}`) },
    'must be an object',
  ),
  bodyExample: { tier: 'enterprise' },
  response: singleOf(keySchema, 'DeveloperKey'),
  example: { data: [{ ...example, tier: 'enterprise' }] },
  problems: { 404: 'The key does not exist.' },
  handler: async ({ params: { id }, body: { tier } }, services) => {
    const key = await requireKeys(services).changeTier(id, tier)
    if (key === undefined) throw new ApiError(404, 'unknown-key', `Developer key ${id} does not exist.`)
    return { body: { data: [present(key)] } }
  },
})

const revoke = defineRoute({
  method: 'DELETE',
  path: '/admin/developer-keys/{id}',
  operationId: 'adminRevokeKey',
  tag: 'Administration',
  access: 'admin',
  summary: 'Revoke a developer key, or an account with its keys',
  description: 'Permanent. Effective immediately in this process and within 30 seconds in others.',
  params: z.object({ id: idParameter('Id of the key or account.') }),
  response: singleOf(keySchema, 'DeveloperKey'),
  example: { data: [{ ...example, revoked_at: '2025-07-02T08:00:00.000Z' }] },
  problems: { 404: 'The key does not exist.' },
  handler: async ({ params: { id } }, services) => {
    const key = await requireKeys(services).revoke(id)
    if (key === undefined) throw new ApiError(404, 'unknown-key', `Developer key ${id} does not exist.`)
    return { body: { data: [present(key)] } }
  },
})

export const developerKeyRoutes = [list, create, changeTier, revoke]

const verifyKey = defineRoute({
  method: 'POST',
  path: '/auth/verify-key',
  operationId: 'verifyKey',
  tag: 'Keys',
  summary: 'Verify a developer key',
  description: 'Send the key as `X-API-Key`, without a body. For services that accept developer keys.',
  checksKey: true,
  response: z
    .strictObject({
      valid: z.boolean(),
      error: z.string().optional().describe('Reason for display.'),
    })
    .meta({ id: 'KeyCheck' }),
  alternatives: {
    401: 'The key is missing, unknown or revoked.',
    503: 'Keys cannot be verified at the moment.',
  },
  example: { valid: true },
  handler: async ({ apiKey }, { keys }) => {
    const refuse = (status: number, error: string) => ({
      status,
      body: { valid: false, error },
      caching: 'never' as const,
    })
    if (apiKey === undefined) return refuse(401, 'Send the key as X-API-Key.')
    if (keys === undefined) return refuse(503, 'Developer keys are not available on this server.')
    try {
      const key = await keys.find(apiKey)
      return key === undefined
        ? refuse(401, 'The key is unknown or revoked.')
        : { body: { valid: true }, caching: 'never' as const }
    } catch (error) {
      if (toApiError(error).status !== 503) throw error
      return refuse(503, 'Keys cannot be verified at the moment. Retry later.')
    }
  },
})

export const authRoutes = [verifyKey]
