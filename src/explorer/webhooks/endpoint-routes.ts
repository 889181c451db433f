import { z } from 'zod'
import { isKeyText } from '../../platform/auth/developer-keys.ts'
import type { DeveloperKey } from '../../platform/auth/developer-keys.ts'
import { ApiError } from '../../platform/errors.ts'
import { secretOf } from '../../webhooks/signature.ts'
import { requireAccounts, requireKeys } from '../admin/operations.ts'
import { listOf, singleOf, wholeList } from '../paging/pages.ts'
import { idParameter } from '../parameters.ts'
import { defineRoute } from '../route.ts'
import { bearerToken } from '../../platform/http/guards.ts'
import type { Call } from '../../platform/http/route.ts'
import type { Guard } from '../../platform/http/router.ts'
import type { Services, WebhookCaller } from '../route.ts'
import {
  endpointSchema,
  endpointWithSecretSchema,
  exampleEndpoint,
  presentEndpoint,
  presentUsage,
  usageSchema,
} from './schema.ts'

export const ownerProblems = {
  401: 'The developer key or account JWT is missing or invalid.',
  503: 'Webhooks are not available on this server.',
} as const

/**
 * @throws ApiError 401 `key-missing`, `unknown-key`, `bad-credentials`, `expired-credentials`; 403
 * `account-revoked`; 503 `not-served-here`
 */
async function requireOwner({ header }: Call, services: Services): Promise<DeveloperKey> {
  const apiKey = header('X-API-Key')
  const presented = apiKey === '' ? bearerToken(header('Authorization')) : apiKey
  if (presented === undefined) {
    throw new ApiError(
      401,
      'key-missing',
      'Authentication required. Send a developer key as X-API-Key or `Authorization: Bearer`.',
    )
  }
  if (apiKey === '' && !isKeyText(presented)) return requireAccounts(services).ofJwt(presented)
  const key = await requireKeys(services).find(presented)
  if (key === undefined) throw new ApiError(401, 'unknown-key', 'The developer key is unknown or revoked.')
  return key
}

export function ownerGuards(services: Services): OwnerGuards {
  return {
    owner: async (call, run) => ({ caching: 'never', ...(await run(await requireOwner(call, services))) }),
    webhooks: async (call, run) => {
      const { webhooks: stores } = services
      if (stores === undefined) throw new ApiError(503, 'not-served-here', 'Webhooks are not available on this server.')
      const { ownerId, tier } = await requireOwner(call, services)
      return { caching: 'never', ...(await run({ owner: { keyId: ownerId, tier }, stores })) }
    },
  }
}

interface OwnerGuards {
  readonly owner: Guard<DeveloperKey>
  readonly webhooks: Guard<WebhookCaller>
}

const tag = 'Webhooks'
const params = z.object({ id: idParameter('Endpoint id.') })
const problems = { ...ownerProblems, 404: 'The endpoint does not exist.' } as const
export const urlField = z
  .string('must be a string')
  .max(2000, 'must have at most 2,000 characters')
  .describe('Public https URL.')
export const secretField = z
  .string()
  .refine((text) => secretOf(text) !== undefined, 'must be whsec_ and 24 to 64 bytes in base64')
  .describe('Signing secret. Default: generated.')
export const descriptionField = z.string('must be a string').trim().max(200, 'must have at most 200 characters')

const secret = `whsec_${'A'.repeat(43)}=`

const list = defineRoute({
  path: '/webhooks/endpoints',
  operationId: 'listWebhookEndpoints',
  tag,
  access: 'webhooks',
  summary: 'List endpoints, newest first',
  response: listOf(endpointSchema, 'WebhookEndpoint'),
  example: { data: [exampleEndpoint], has_more: false, cursor: '', _meta: { count: 1 } },
  problems: ownerProblems,
  handler: async ({ caller: { owner, stores } }) => ({
    body: wholeList((await stores.endpoints.list(owner.keyId)).map(presentEndpoint)),
  }),
})

const create = defineRoute({
  method: 'POST',
  path: '/webhooks/endpoints',
  operationId: 'createWebhookEndpoint',
  tag,
  access: 'webhooks',
  summary: 'Create an endpoint and its signing secret',
  description:
    'Deliveries carry the Standard Webhooks headers `webhook-id`, `webhook-timestamp` and `webhook-signature` ' +
    '(HMAC-SHA256 over `id.timestamp.body`).',
  body: z.strictObject(
    { url: urlField, description: descriptionField.default(''), secret: secretField.optional() },
    'must be an object',
  ),
  bodyExample: { url: 'https://receiver.example/flow', description: 'Deposits' },
  response: singleOf(endpointWithSecretSchema, 'WebhookEndpointWithSecret'),
  example: { data: [{ ...exampleEndpoint, secret }] },
  problems: { ...ownerProblems, 403: 'The endpoint limit of the tier is reached.' },
  handler: async ({ caller: { owner, stores }, body }) => {
    const made = await stores.endpoints.create(owner, {
      ...body,
      secret: body.secret === undefined ? undefined : secretOf(body.secret),
    })
    return { body: { data: [{ ...presentEndpoint(made.endpoint), secret: made.secret }] } }
  },
})

const get = defineRoute({
  path: '/webhooks/endpoints/{id}',
  operationId: 'getWebhookEndpoint',
  tag,
  access: 'webhooks',
  summary: 'Get an endpoint',
  params,
  response: singleOf(endpointSchema, 'WebhookEndpoint'),
  example: { data: [exampleEndpoint] },
  problems,
  handler: async ({ caller: { owner, stores }, params: { id } }) => ({
    body: { data: [presentEndpoint(await stores.endpoints.find(owner, id))] },
  }),
})

const change = defineRoute({
  method: 'PATCH',
  path: '/webhooks/endpoints/{id}',
  operationId: 'changeWebhookEndpoint',
  tag,
  access: 'webhooks',
  summary: 'Update, pause or resume an endpoint',
  params,
  body: z.strictObject(
    {
      url: urlField.optional(),
      description: descriptionField.optional(),
      is_paused: z.boolean('must be true or false').optional(),
    },
    'must be an object',
  ),
  bodyExample: { is_paused: false },
  response: singleOf(endpointSchema, 'WebhookEndpoint'),
  example: { data: [exampleEndpoint] },
  problems,
  handler: async ({ caller: { owner, stores }, params: { id }, body: { url, description, is_paused: isPaused } }) => ({
    body: { data: [presentEndpoint(await stores.endpoints.change(owner, id, { url, description, isPaused }))] },
  }),
})

const remove = defineRoute({
  method: 'DELETE',
  path: '/webhooks/endpoints/{id}',
  operationId: 'removeWebhookEndpoint',
  tag,
  access: 'webhooks',
  summary: 'Delete an endpoint with its subscriptions and deliveries',
  params,
  response: singleOf(endpointSchema, 'WebhookEndpoint'),
  example: { data: [exampleEndpoint] },
  problems,
  handler: async ({ caller: { owner, stores }, params: { id } }) => ({
    body: { data: [presentEndpoint(await stores.endpoints.remove(owner, id))] },
  }),
})

const rotate = defineRoute({
  method: 'POST',
  path: '/webhooks/endpoints/{id}/rotate-secret',
  operationId: 'rotateWebhookSecret',
  tag,
  access: 'webhooks',
  summary: 'Rotate the signing secret',
  description:
    'For `overlap_hours`, deliveries carry signatures of both secrets in the same header. Another rotation ends the ' +
    'overlap.',
  params,
  body: z.strictObject(
    {
      overlap_hours: z
        .int('must be a whole number')
        .min(0, 'must be 0 to 168')
        .max(168, 'must be 0 to 168')
        .default(24),
    },
    'must be an object',
  ),
  bodyExample: { overlap_hours: 24 },
  response: singleOf(endpointWithSecretSchema, 'WebhookEndpointWithSecret'),
  example: { data: [{ ...exampleEndpoint, previous_secret_until: '2025-07-02T12:00:00.000Z', secret }] },
  problems,
  handler: async ({ caller: { owner, stores }, params: { id }, body }) => {
    const made = await stores.endpoints.rotateSecret(owner, id, body.overlap_hours)
    return { body: { data: [{ ...presentEndpoint(made.endpoint), secret: made.secret }] } }
  },
})

export const webhookEndpointRoutes = [list, create, get, change, remove, rotate]

export const usageExample = {
  tier: 'free' as const,
  endpoints: 1,
  endpoints_limit: 10,
  subscriptions: 2,
  subscriptions_limit: 10,
  events_this_hour: 318,
  events_per_hour_limit: 5000,
  hour_ends_at: '2025-07-01T13:00:00.000Z',
}

const usage = defineRoute({
  path: '/webhooks/usage',
  operationId: 'getWebhookUsage',
  tag: 'Webhooks',
  access: 'webhooks',
  summary: 'Usage and limits',
  response: singleOf(usageSchema, 'WebhookUsage'),
  example: { data: [usageExample] },
  problems: ownerProblems,
  handler: async ({ caller: { owner, stores } }) => ({
    body: { data: [presentUsage(await stores.overview.usage(owner), owner.tier)] },
  }),
})

export const webhookUsageRoutes = [usage]
