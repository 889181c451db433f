import type { IncomingMessage } from 'node:http'
import { checkCredential } from '../platform/auth/credentials.ts'
import type { Admission, CredentialOptions } from '../platform/auth/credentials.ts'
import { isKeyText, keyTiers } from '../platform/auth/developer-keys.ts'
import type { DeveloperKeys } from '../platform/auth/developer-keys.ts'
import { RefusedAttempts } from '../platform/auth/refused-attempts.ts'
import { ApiError } from '../platform/errors.ts'
import { bearerToken } from '../platform/http/guards.ts'
import type { RequestContext } from '../platform/http/requests.ts'
import type { Guard } from '../platform/http/router.ts'
import { clientNetwork } from '../platform/limits/clients.ts'
import type { RateLimiter, RateLimitResult } from '../platform/limits/rate-limiter.ts'
import { FailureLimit } from '../platform/limits/sliding-window.ts'
import type { Logger } from '../platform/log.ts'
import type { Route } from './route.ts'

export function adminGuard(gate: AdminGate, log: Logger): Guard<Admission> {
  const refused = new RefusedAttempts({ log })
  return async ({ request, path, requestId, client: { address } }, run, route) => {
    const attempt = { audit: route.operationId, address, path, requestId }
    const admission = await gate.require(request, address).catch((error: unknown) => {
      if (error instanceof ApiError && error.status < 500) {
        const by = error.details['subject']
        refused.note(clientNetwork(address), {
          ...attempt,
          refused: error.code,
          ...(typeof by === 'string' ? { by } : {}),
        })
      }
      throw error
    })
    const answer = await run(admission)
    if (route.method !== 'GET')
      log.info({ ...attempt, by: admission.subject ?? admission.kind }, 'Administrator made a change')
    return { caching: 'never', ...answer }
  }
}

/**
 * Rejects every request without credentials configured, including local ones: other sites could
 * send requests through a local browser.
 */
export class AdminGate {
  readonly #credentials: CredentialOptions | undefined
  readonly #limit: FailureLimit

  constructor(credentials: CredentialOptions | undefined, limit = new FailureLimit()) {
    this.#credentials = credentials
    this.#limit = limit
  }

  /**
   * @throws ApiError 403 `admin-disabled`, 401 `credentials-missing`, 429 `too-many-attempts`, and
   * those of `checkCredential`
   */
  async require(request: IncomingMessage, address: string): Promise<Admission> {
    const credentials = this.#credentials
    if (credentials === undefined || (credentials.token === undefined && credentials.jwtSecret === undefined)) {
      throw new ApiError(
        403,
        'admin-disabled',
        'The admin routes are disabled. Set ADMIN_TOKEN or ADMIN_JWT_SECRET and restart.',
      )
    }
    const bearer = /^Bearer +(.+)$/i.exec(request.headers.authorization ?? '')?.[1]?.trim()
    if (bearer === undefined) {
      throw new ApiError(
        401,
        'credentials-missing',
        'Authentication required. Send `Authorization: Bearer` with ADMIN_TOKEN or an administrator JWT.',
      )
    }
    this.#limit.require(address)
    try {
      return await checkCredential(bearer, credentials)
    } catch (error) {
      if (error instanceof ApiError && error.status < 500) this.#limit.failed(address)
      throw error
    }
  }
}

interface RateLimitParts {
  readonly limiter: RateLimiter
  /** Undefined: developer keys are ignored. */
  readonly keys: DeveloperKeys | undefined
  readonly routes: readonly Route[]
  readonly resolvePath: (path: string) => string
}

/** Excludes CORS preflights. */
export function countRequests({
  limiter,
  keys,
  routes,
  resolvePath,
}: RateLimitParts): (context: RequestContext) => Promise<RateLimitResult | undefined> {
  const unlimitedPaths = new Set(routes.filter((route) => !route.isLimited).map(({ path }) => path))
  const keyPaths = new Set(routes.filter(({ checksKey }) => checksKey === true).map(({ path }) => path))
  return async (context) => {
    const path = resolvePath(context.path)
    if (context.method === 'OPTIONS' || unlimitedPaths.has(path)) return undefined
    const { client } = context.state
    const address = client.isLocal ? undefined : client.address
    const text = keyPaths.has(path) ? '' : presentedKey(context.get('X-API-Key'), context.get('Authorization'))
    if (keys === undefined || text === '') return limiter.takeForAddress(address)
    const recalled = keys.recall(text)
    if (recalled?.key !== undefined) return limiter.takeForKey(recalled.key.ownerId, keyTiers[recalled.key.tier])
    // Before the lookup, so that guessing keys is limited.
    const verdict = limiter.takeForAddress(address)
    if (verdict?.isAllowed === false) return verdict
    const key = recalled === undefined ? await keys.find(text) : undefined
    if (key !== undefined) return limiter.takeForKey(key.ownerId, keyTiers[key.tier])
    throw new ApiError(401, 'unknown-api-key', 'The X-API-Key is unknown or revoked. Omit it or use another key.')
  }
}

/** Unverified, or ''. Flow explorer webhook clients send it as `Authorization: Bearer`. */
function presentedKey(apiKey: string, authorization: string): string {
  if (apiKey.trim() !== '') return apiKey.trim()
  const bearer = bearerToken(authorization)
  return bearer !== undefined && isKeyText(bearer) ? bearer : ''
}
