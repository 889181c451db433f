import { createHash, timingSafeEqual } from 'node:crypto'
import { errors, jwtVerify } from 'jose'
import type { JWTPayload } from 'jose'
import { ApiError } from '../errors.ts'
import type pg from 'pg'
import { query } from '../db/pool.ts'

export interface CredentialOptions {
  readonly token: string | undefined
  readonly jwtSecret: string | undefined
  readonly allowedRoles: readonly string[]
  /** Replaces the roles in the JWT. Undefined: the claims count. */
  readonly rolesOf?: ((subject: string) => Promise<readonly string[]>) | undefined
}

export type CredentialKind = 'token' | 'jwt'

export interface Admission {
  readonly kind: CredentialKind
  /** Expiry, ms since 1970; undefined: never. */
  readonly until: number | undefined
  readonly subject?: string | undefined
}

/**
 * @throws ApiError 401 `bad-credentials`, 401 `expired-credentials`, 403 `role-not-allowed` with
 *   the `subject` in its details; errors of `rolesOf`
 */
export async function checkCredential(text: string, options: CredentialOptions): Promise<Admission> {
  const { token, jwtSecret, allowedRoles } = options
  if (token !== undefined && isSame(text, token)) return { kind: 'token', until: undefined }
  if (jwtSecret === undefined) throw badCredentials()
  const payload = await verified(text, jwtSecret)
  const allowed = new Set(allowedRoles.map((role) => role.toLowerCase()))
  const roles = options.rolesOf === undefined ? claimedRoles(payload) : await options.rolesOf(payload.sub ?? '')
  if (!roles.some((role) => allowed.has(role.toLowerCase()))) {
    const roles = allowedRoles.join(', ')
    throw new ApiError(403, 'role-not-allowed', `The JWT has none of the roles of ADMIN_ALLOWED_ROLES (${roles}).`, {
      details: { subject: payload.sub },
    })
  }
  return { kind: 'jwt', until: (payload.exp ?? 0) * 1000, subject: payload.sub }
}

async function verified(jwt: string, secret: string): Promise<JWTPayload> {
  try {
    const key = new TextEncoder().encode(secret)
    const { payload } = await jwtVerify(jwt, key, { algorithms: ['HS256'], requiredClaims: ['exp'] })
    return payload
  } catch (error) {
    if (error instanceof errors.JWTExpired) {
      throw new ApiError(401, 'expired-credentials', 'The JWT has expired. Get a new one.', { cause: error })
    }
    if (error instanceof errors.JOSEError) throw badCredentials(error)
    throw error
  }
}

/**
 * Roles set by the issuer, each a comma-separated string or a list. `user_metadata` does not count,
 * since users write it themselves.
 */
function claimedRoles(payload: JWTPayload): string[] {
  const metadata = payload['app_metadata']
  const granted: Record<string, unknown> = typeof metadata === 'object' && metadata !== null ? { ...metadata } : {}
  return [payload['role'], payload['roles'], granted['role'], granted['roles']].flatMap(namesIn)
}

function namesIn(claim: unknown): string[] {
  const texts: unknown[] = Array.isArray(claim) ? claim : [claim]
  const names = texts.filter((text) => typeof text === 'string').flatMap((text) => text.split(','))
  return names.map((name) => name.trim()).filter((name) => name !== '')
}

/** Constant-time comparison by digests. */
function isSame(a: string, b: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(a), digest(b))
}

function badCredentials(cause?: unknown): ApiError {
  return new ApiError(
    401,
    'bad-credentials',
    'The credential is neither the admin token nor a valid JWT of an administrator.',
    {
      cause,
    },
  )
}

/**
 * Reads roles from AUTH_DB_URL on every call, so a revoked role takes effect at once.
 * @throws ApiError 503 `auth-database-unavailable`
 */
export function roleDirectory(pool: pg.Pool): (subject: string) => Promise<readonly string[]> {
  return async (subject) => {
    try {
      const { rows } = await query<{ role: string }>(
        pool,
        'select role::text as role from user_roles where user_id::text = $1',
        [subject],
      )
      return rows.map(({ role }) => role)
    } catch (error) {
      throw new ApiError(503, 'auth-database-unavailable', 'The database of roles is temporarily unavailable.', {
        cause: error,
      })
    }
  }
}
