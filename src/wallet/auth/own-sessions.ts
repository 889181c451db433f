import type pg from 'pg'
import type { HoldUser } from '../../platform/auth/hold-user.ts'
import { query } from '../../platform/db/pool.ts'
import { ApiError } from '../../platform/errors.ts'
import type { AuthParts } from './auth-parts.ts'
import type { AuthSessions } from './auth-sessions.ts'
import { authPath } from './router.ts'
import { presentSession, isUuid, AccessTokens, readSigningKey } from './stores/access-tokens.ts'
import { OneTimeTokens } from './stores/one-time-tokens.ts'
import { AuthSecrets } from './stores/secrets.ts'
import { SessionStore } from './stores/sessions.ts'
import { asAuthUser, UserStore } from './stores/users.ts'

/** Who makes a request, by the sessions of our own auth endpoint: one that was ended is refused at once. */
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
    openForClient: async (asked, client) => {
      const kept =
        isUuid(asked.userId) && isUuid(asked.sessionId) ? await sessions.openForClient(asked, client) : undefined
      return kept === undefined ? undefined : presentSession(kept, accessTokens)
    },
    findUser: async (userId) => {
      const user = isUuid(userId) ? await users.find(statements, userId) : undefined
      return user === undefined ? undefined : asAuthUser(user)
    },
    holdUser,
  }
}

export function unauthorized(cause: unknown): ApiError {
  return new ApiError(
    401,
    'UNAUTHORIZED',
    'Sign in first: send the access token of a session as `Authorization: Bearer`.',
    { cause },
  )
}

/** Users of our own auth endpoint. */
export const holdUser: HoldUser = async (client, userId) => {
  const { rowCount } = await query(client, 'select from wallet_auth.users where id = $1 for key share', [userId])
  return rowCount === 1
}

interface OpenAuthSessionsOptions {
  /** WALLET_JWT_KEY. */
  readonly jwtKey: string | undefined
  /** WALLET_URL, or http://localhost and the port: access tokens name it. Without a slash at its end. */
  readonly walletUrl: string
  /** WALLET_SESSION_HOURS. */
  readonly sessionHours: number
}

/**
 * The sessions of the wallet's own auth endpoint, for services that only have to know who asks: nobody signs in here, but who was signed out is
 * refused at once.
 * @throws FatalError `bad-jwt-key`
 */
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
