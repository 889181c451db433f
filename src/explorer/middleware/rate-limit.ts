import type { Middleware } from 'koa'
import { isKeyText } from '../../platform/auth/developer-keys.ts'
import type { DeveloperKeys } from '../../platform/auth/developer-keys.ts'
import type { Client } from '../../platform/client-address.ts'
import { ApiError } from '../../platform/errors.ts'
import { bearerToken } from '../../platform/http/bearer-token.ts'
import type { RateLimiter, Verdict } from '../limits/rate-limiter.ts'
import type { RequestState } from './request-log.ts'

interface RateLimitParts {
  readonly limiter: RateLimiter
  /** Undefined: keys are not known here, and change nothing. */
  readonly keys: DeveloperKeys | undefined
  /** Declared paths whose calls do not count. */
  readonly unlimitedPaths: ReadonlySet<string>
  /** Declared paths that look at the key themselves, and tell of a wrong one in their own way. */
  readonly keyPaths: ReadonlySet<string>
  /** The declared form of the path of a request. */
  readonly resolvePath: (path: string) => string
}

/**
 * Counts each request by its developer key or its address, tells in headers what is left, and refuses what is too much with
 * 429. Preflights are not counted: pages do not make them themselves.
 *
 * Headers: draft-ietf-httpapi-ratelimit-headers, whose `w` is the time in which an empty bucket fills up.
 */
export function rateLimit({
  limiter,
  keys,
  unlimitedPaths,
  keyPaths,
  resolvePath,
}: RateLimitParts): Middleware<RequestState> {
  async function take(client: Client, keyText: string): Promise<Verdict | undefined> {
    const address = client.isLocal ? undefined : client.address
    if (keys === undefined || keyText === '') return limiter.takeForAddress(address)
    const recalled = keys.recall(keyText)
    if (recalled?.key !== undefined) return limiter.takeForKey(recalled.key)
    // Counted by address before it is looked up: nobody has many keys tried for nothing.
    const verdict = limiter.takeForAddress(address)
    if (verdict?.isAllowed === false) return verdict
    const key = recalled === undefined ? await keys.find(keyText) : undefined
    if (key !== undefined) return limiter.takeForKey(key)
    throw new ApiError(
      401,
      'unknown-api-key',
      'There is no such X-API-Key, or it was revoked: leave it out, or get another.',
    )
  }
  return async (context, next) => {
    const path = resolvePath(context.path)
    const isUnlimited = context.method === 'OPTIONS' || unlimitedPaths.has(path)
    const verdict = isUnlimited
      ? undefined
      : await take(
          context.state.client,
          keyPaths.has(path) ? '' : shownKey(context.get('X-API-Key'), context.get('Authorization')),
        )
    if (verdict !== undefined) context.set(headersOf(verdict))
    if (verdict?.isAllowed === false) {
      context.set('Retry-After', String(verdict.nextInSeconds))
      throw new ApiError(
        429,
        'rate-limited',
        `Too many requests: ${inWords(verdict)}. Try again in ${verdict.nextInSeconds} s.`,
      )
    }
    await next()
  }
}

function headersOf({ policy, allowance: { rate, burst }, remaining, fullInSeconds }: Verdict): Record<string, string> {
  return {
    'RateLimit-Policy': `"${policy}";q=${burst};w=${Math.max(1, Math.ceil(burst / rate))}`,
    RateLimit: `"${policy}";r=${remaining};t=${fullInSeconds}`,
  }
}

function inWords({ policy, allowance: { rate, burst } }: Verdict): string {
  return `${rate} a second and ${burst} at once are allowed ${policy === 'key' ? 'with this key' : 'from one address'}`
}

/**
 * The developer key that a request shows, not checked; '' without any. It comes as `X-API-Key`; clients of the Flow explorer's
 * webhooks send it as `Authorization: Bearer`, where tokens of administrators and people come too, which have another form.
 */
function shownKey(apiKey: string, authorization: string): string {
  if (apiKey.trim() !== '') return apiKey.trim()
  const bearer = bearerToken(authorization)
  return bearer !== undefined && isKeyText(bearer) ? bearer : ''
}
