import type pg from 'pg'
import type { LockUser } from '../../platform/auth/authenticate.ts'
import { query } from '../../platform/db/pool.ts'
import { ApiError } from '../../platform/errors.ts'
import type { AuthParts } from './auth-parts.ts'
import { authPath } from './auth-parts.ts'
import { presentSession, isUuid, AccessTokens, readSigningKey } from './stores/access-tokens.ts'
import { OneTimeTokens } from './stores/one-time-tokens.ts'
import { AuthSecrets } from './stores/secrets.ts'
import { SessionStore } from './stores/sessions.ts'
import type { AuthClient } from './stores/sessions.ts'
import { asAuthUser, UserStore } from './stores/users.ts'

export interface AuthUser {
  readonly id: string
  /** Lower case. */
  readonly email: string | undefined
  readonly isEmailConfirmed: boolean
  /** Contains the roles. Only the operator can change it. */
  readonly appMetadata: Readonly<Record<string, unknown>>
  readonly userMetadata: Readonly<Record<string, unknown>>
}

export interface SignedIn {
  readonly user: AuthUser
  readonly sessionId: string
  /** Passkey changes require a recent one. */
  readonly authenticatedAt: Date
  /** Such as `editor`; undefined: the wallet. */
  readonly clientId?: string | undefined
}

export interface SessionToken {
  readonly tokenHash: string
  readonly email: string | undefined
}

/** Our own, or GOTRUE_URL. */
export interface AuthSessions {
  /** @throws ApiError 401 `UNAUTHORIZED` */
  authenticate(accessToken: string): Promise<SignedIn>
  /**
   * For POST /verify `{type: 'magiclink', token_hash}`, valid once and for five minutes. Does not
   * replace e-mailed links and needs no e-mail address. Undefined if the user does not exist.
   */
  createSessionToken(userId: string): Promise<SessionToken | undefined>
  /**
   * In GoTrue's format. Undefined: the user or wallet session no longer exists. @throws ApiError
   * 403 for disabled users, 503
   */
  openForClient(
    requested: { readonly clientId: string; readonly userId: string; readonly sessionId: string },
    client: AuthClient,
  ): Promise<Readonly<Record<string, unknown>> | undefined>
  findUser(userId: string): Promise<AuthUser | undefined>
  readonly lockUser: LockUser
}

export function createAuthSessions({
  statements,
  accessTokens,
  sessions,
  users,
  oneTimeTokens,
}: Pick<AuthParts, 'statements' | 'accessTokens' | 'sessions' | 'users' | 'oneTimeTokens'>): AuthSessions {
  return {
    authenticate: async (accessToken) => {
      try {
        const { user, sessionId, authenticatedAt, clientId } = await sessions.find(
          await accessTokens.verify(accessToken),
        )
        return { user: asAuthUser(user), sessionId, authenticatedAt, ...(clientId === null ? {} : { clientId }) }
      } catch (error) {
        if (error instanceof ApiError && error.status < 500) throw unauthorized(error)
        throw error
      }
    },
    createSessionToken: async (userId) => (isUuid(userId) ? oneTimeTokens.makeForSession(userId) : undefined),
    openForClient: async (requested, client) => {
      const session =
        isUuid(requested.userId) && isUuid(requested.sessionId)
          ? await sessions.openForClient(requested, client)
          : undefined
      return session === undefined ? undefined : presentSession(session, accessTokens)
    },
    findUser: async (userId) => {
      const user = isUuid(userId) ? await users.find(statements, userId) : undefined
      return user === undefined ? undefined : asAuthUser(user)
    },
    lockUser,
  }
}

export function unauthorized(cause: unknown): ApiError {
  return new ApiError(
    401,
    'UNAUTHORIZED',
    'Authentication required. Send the access token as `Authorization: Bearer`.',
    { cause },
  )
}

export const lockUser: LockUser = async (client, userId) => {
  const { rowCount } = await query(client, 'select from wallet_auth.users where id = $1 for key share', [userId])
  return rowCount === 1
}

interface OpenAuthSessionsOptions {
  readonly jwtKey: string | undefined
  /** Issuer of access tokens, without a trailing slash. */
  readonly walletUrl: string
  readonly sessionHours: number
}

export async function openAuthSessions(
  pool: pg.Pool,
  { jwtKey, walletUrl, sessionHours }: OpenAuthSessionsOptions,
): Promise<AuthSessions> {
  const key = await readSigningKey(pool, jwtKey)
  const secrets = new AuthSecrets(key)
  return createAuthSessions({
    statements: pool,
    users: new UserStore(),
    sessions: new SessionStore(pool, { secrets, hours: sessionHours }),
    oneTimeTokens: new OneTimeTokens(pool, secrets),
    accessTokens: await AccessTokens.create(key, `${walletUrl}${authPath}`),
  })
}
