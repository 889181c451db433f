import { isKeyText } from '../../auth/developer-keys.ts'
import type { DeveloperKey } from '../../auth/developer-keys.ts'
import { ApiError } from '../../base/errors.ts'
import type { WebhookOwner } from '../../webhooks/webhook-limits.ts'
import type { WebhookStores } from '../../webhooks/webhook-stores.ts'
import { requireAccounts, requireKeys } from '../admin/require-operations.ts'
import type { RouteRequest, Services } from '../route.ts'

/** What the routes of webhooks may answer beside 200. */
export const ownerProblems = {
  401: 'Neither a developer key nor the JWT of an account was sent, or it is not good.',
  503: 'Webhooks are not managed by this server.',
} as const

type Shown = Pick<RouteRequest, 'apiKey' | 'bearer'>

/**
 * The developer key or the account that a call shows.
 * @throws ApiError 401 `key-missing`, `unknown-key`, `bad-credentials`, `expired-credentials`; 403 `account-revoked`; 503 `not-served-here`
 */
export async function shownOwner({ apiKey, bearer }: Shown, services: Services): Promise<DeveloperKey> {
  const shown = apiKey ?? bearer
  if (shown === undefined) {
    throw new ApiError(
      401,
      'key-missing',
      'Send your developer key as X-API-Key or `Authorization: Bearer`: webhooks belong to it.',
    )
  }
  if (apiKey === undefined && !isKeyText(shown)) return requireAccounts(services).ofJwt(shown)
  const key = await requireKeys(services).find(shown)
  if (key === undefined) throw new ApiError(401, 'unknown-key', 'There is no such developer key, or it was revoked.')
  return key
}

/** Whose webhooks a call is about, and what manages them. @throws as `shownOwner` */
export async function webhooksOf(
  shown: Shown,
  services: Services,
): Promise<{ readonly owner: WebhookOwner; readonly stores: WebhookStores }> {
  const { webhooks: stores } = services
  if (stores === undefined) throw new ApiError(503, 'not-served-here', 'Webhooks cannot be managed from this server.')
  const { ownerId, tier } = await shownOwner(shown, services)
  return { owner: { keyId: ownerId, tier }, stores }
}
