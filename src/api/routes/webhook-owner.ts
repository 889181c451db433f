import { ApiError } from '../../base/errors.ts'
import type { WebhookOwner } from '../../webhooks/webhook-limits.ts'
import type { WebhookStores } from '../../webhooks/webhook-stores.ts'
import { requireKeys } from '../admin/require-operations.ts'
import type { Services } from '../route.ts'

/** What the routes of webhooks may answer beside 200. */
export const ownerProblems = { 401: 'X-API-Key is missing or not good.', 503: 'Webhooks are not managed by this server.' } as const

/**
 * Whose webhooks a call is about, and what manages them.
 * @throws ApiError 401 `key-missing`, `unknown-key`; 503 `not-served-here`
 */
export async function webhooksOf(apiKey: string | undefined, services: Services): Promise<{ readonly owner: WebhookOwner; readonly stores: WebhookStores }> {
  const { webhooks: stores } = services
  if (stores === undefined) throw new ApiError(503, 'not-served-here', 'Webhooks cannot be managed from this server.')
  if (apiKey === undefined) throw new ApiError(401, 'key-missing', 'Send your developer key as X-API-Key: webhooks belong to it.')
  const key = await requireKeys(services).find(apiKey)
  if (key === undefined) throw new ApiError(401, 'unknown-key', 'There is no such developer key, or it was revoked.')
  return { owner: { keyId: key.id, tier: key.tier }, stores }
}
