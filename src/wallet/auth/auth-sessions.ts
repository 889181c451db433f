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
  /** UUID. */
  readonly id: string
  /** Lower case; undefined without one. */
  readonly email: string | undefined
  readonly isEmailConfirmed: boolean
  /** Only the operator can change it; roles come from here. */
  readonly appMetadata: Readonly<Record<string, unknown>>
  readonly userMetadata: Readonly<Record<string, unknown>>
}

export interface SignedIn {
  readonly user: AuthUser
  readonly sessionId: string
  /** Last proof of identity; passkey changes require a recent one. */
  readonly authenticatedAt: Date
  /** Such as `editor`; undefined: the wallet itself. */
  readonly clientId?: string | undefined
}

/** Exchanged for a session after a passkey sign-in. */
export interface SessionToken {
  readonly tokenHash: string
  /** Lower case; undefined without one. */
  readonly email: string | undefined
}

/** The auth server: our own, or GOTRUE_URL. */
export interface AuthSessions {
  /** @throws ApiError 401 `UNAUTHORIZED` */
  authenticate(accessToken: string): Promise<SignedIn>
  /**
   * A token for POST /verify `{type: 'magiclink', token_hash}`, valid once and for five minutes. It
   * does not replace e-mailed links and needs no e-mail address. Undefined if the user does not
   * exist.
   */
  createSessionToken(userId: string): Promise<SessionToken | undefined>
  /**
   * Opens a session of a client, in GoTrue's format. Undefined: the user or wallet session no
   * longer exists. @throws ApiError 403 for disabled users, 503
   */
  openForClient(
    asked: { readonly clientId: string; readonly userId: string; readonly sessionId: string },
    client: AuthClient,
  ): Promise<Readonly<Record<string, unknown>> | undefined>
  findUser(userId: string): Promise<AuthUser | undefined>
  readonly lockUser: LockUser
}

/** Sessions of our own auth endpoint; ended ones are rejected at once. */
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
  /** WALLET_JWT_KEY. */
  readonly jwtKey: string | undefined
  /** The issuer of access tokens, without a trailing slash. */
  readonly walletUrl: string
  /** WALLET_SESSION_HOURS. */
  readonly sessionHours: number
}

/** Sessions of the wallet's own auth endpoint, for services that only authenticate. @throws FatalError `bad-jwt-key` */
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
