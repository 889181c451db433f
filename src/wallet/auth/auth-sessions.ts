import type pg from 'pg'
import type { HoldUser } from '../../platform/auth/authenticate.ts'
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

/** A user as the other parts of the wallet know one. */
export interface AuthUser {
  /** UUID. */
  readonly id: string
  /** Lower case; undefined for users who have only a passkey or another provider without e-mail. */
  readonly email: string | undefined
  readonly isEmailConfirmed: boolean
  /** Roles come from here alone: users cannot change it. */
  readonly appMetadata: Readonly<Record<string, unknown>>
  readonly userMetadata: Readonly<Record<string, unknown>>
}

/** Who makes a request. */
export interface SignedIn {
  readonly user: AuthUser
  readonly sessionId: string
  /** When the user last proved who they are: what changes passkeys wants that to be recent. */
  readonly authenticatedAt: Date
  /** The client that has the session, such as `editor`; undefined: the wallet itself. */
  readonly clientId?: string | undefined
}

/** What somebody who has shown a passkey trades for a session. */
export interface SessionToken {
  readonly tokenHash: string
  /** Lower case; undefined for users without one. */
  readonly email: string | undefined
}

/** What the parts of the wallet ask of the one that signs people in: our own, or another one at GOTRUE_URL. */
export interface AuthSessions {
  /** @param accessToken of `Authorization: Bearer`. @throws ApiError 401 `UNAUTHORIZED` */
  authenticate(accessToken: string): Promise<SignedIn>
  /**
   * A token that is traded once, within five minutes, for a session: POST /verify `{type: 'magiclink', token_hash}`. It
   * does not replace e-mailed links and needs no e-mail address. Undefined if the user is gone.
   */
  createSessionToken(userId: string): Promise<SessionToken | undefined>
  /**
   * Opens a session of a client for the user who let it in, as GoTrue writes one. Undefined: the user or the session of
   * the wallet is gone.
   * @throws ApiError 403 for users whom the operator keeps out, 503
   */
  openForClient(
    asked: { readonly clientId: string; readonly userId: string; readonly sessionId: string },
    client: AuthClient,
  ): Promise<Readonly<Record<string, unknown>> | undefined>
  /** Undefined for one who is not there (any more). */
  findUser(userId: string): Promise<AuthUser | undefined>
  readonly holdUser: HoldUser
}

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
