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
    prefix: z.string().describe('The first 12 characters of the key; `account` for an account, to which no key leads.'),
    owner_id: z.int().describe('Whose webhooks it manages: the account whose key it is, or itself.'),
    user_id: z
      .string()
      .nullable()
      .describe('Of an account: the `sub` of its person. Accounts are made when a person first shows a JWT.'),
    name: z.string().describe('Whose it is, or what for.'),
    tier: z
      .enum(keyTierNames)
      .describe(
        'free: 20 requests a second, pro: 50, enterprise: 200, unlimited: as many as it likes. A key of an account ' +
          'has that of the account.',
      ),
    created_at: z.string(),
    last_used_at: z.string().nullable().describe('To the minute; null: never.'),
    revoked_at: z.string().nullable().describe('Null: it is good.'),
  })
  .meta({ id: 'DeveloperKey' })

const newKeySchema = z
  .strictObject({
    ...keySchema.shape,
    key: z.string().describe('The key itself. It is shown here and never again: only its SHA-256 is kept.'),
  })
  .meta({ id: 'NewDeveloperKey' })

const example = {
  id: 12,
  prefix: 'fs_live_3fa1',
  owner_id: 12,
  user_id: null,
  name: 'Explorer of a friend',
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
  summary: 'All developer keys, revoked ones included, the newest first',
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
  summary: 'Makes a developer key',
  body: z.strictObject(
    {
      name: nameField(200).describe('Whose it is, or what for.'),
      tier: z.enum(keyTierNames, `must be one of ${keyTierNames.join(', ')}`).default('free'),
    },
    'must be an object',
  ),
  bodyExample: { name: 'Explorer of a friend', tier: 'pro' },
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
  summary: 'Gives a developer key or an account another tier',
  description: 'At once in this process, and within half a minute in others.',
  params: z.object({ id: idParameter('Number of the key or account.') }),
  body: z.strictObject(
    { tier: z.enum(keyTierNames, `must be one of ${keyTierNames.join(', ')}`) },
    'must be an object',
  ),
  bodyExample: { tier: 'enterprise' },
  response: singleOf(keySchema, 'DeveloperKey'),
  example: { data: [{ ...example, tier: 'enterprise' }] },
  problems: { 404: 'There is no such key.' },
  handler: async ({ params: { id }, body: { tier } }, services) => {
    const key = await requireKeys(services).changeTier(id, tier)
    if (key === undefined) throw new ApiError(404, 'unknown-key', `There is no developer key with the number ${id}.`)
    return { body: { data: [present(key)] } }
  },
})

const revoke = defineRoute({
  method: 'DELETE',
  path: '/admin/developer-keys/{id}',
  operationId: 'adminRevokeKey',
  tag: 'Administration',
  access: 'admin',
  summary: 'Revokes a developer key, or an account with its keys, for good',
  description: 'At once in this process, and within half a minute in others.',
  params: z.object({ id: idParameter('Number of the key.') }),
  response: singleOf(keySchema, 'DeveloperKey'),
  example: { data: [{ ...example, revoked_at: '2025-07-02T08:00:00.000Z' }] },
  problems: { 404: 'There is no such key.' },
  handler: async ({ params: { id } }, services) => {
    const key = await requireKeys(services).revoke(id)
    if (key === undefined) throw new ApiError(404, 'unknown-key', `There is no developer key with the number ${id}.`)
    return { body: { data: [present(key)] } }
  },
})

/** Developer keys. */
export const developerKeyRoutes = [list, create, changeTier, revoke]

const verifyKey = defineRoute({
  method: 'POST',
  path: '/auth/verify-key',
  operationId: 'verifyKey',
  tag: 'Keys',
  summary: 'Whether a developer key is good',
  description:
    'Send the key as `X-API-Key`; there is no body. Other services ask this for keys that are shown to them.',
  checksKey: true,
  response: z
    .strictObject({
      valid: z.boolean(),
      error: z.string().optional().describe('Why not, for people.'),
    })
    .meta({ id: 'KeyCheck' }),
  alternatives: {
    401: 'There is no such key, it was revoked, or none was sent.',
    503: 'Keys cannot be looked up at the moment.',
  },
  example: { valid: true },
  handler: async ({ apiKey }, { keys }) => {
    const refuse = (status: number, error: string) => ({
      status,
      body: { valid: false, error },
      caching: 'never' as const,
    })
    if (apiKey === undefined) return refuse(401, 'Send the key as X-API-Key.')
    if (keys === undefined) return refuse(503, 'Developer keys are not known to this server.')
    try {
      const key = await keys.find(apiKey)
      return key === undefined
        ? refuse(401, 'There is no such key, or it was revoked.')
        : { body: { valid: true }, caching: 'never' as const }
    } catch (error) {
      if (toApiError(error).status !== 503) throw error
      return refuse(503, 'Keys cannot be looked up at the moment; try again.')
    }
  },
})

/** Developer keys, as those who hold them and services that are shown them see them. */
export const authRoutes = [verifyKey]
