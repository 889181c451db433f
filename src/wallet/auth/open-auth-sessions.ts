import type pg from 'pg'
import type { AuthSessions } from './auth-sessions.ts'
import { authPath } from './http/auth-router.ts'
import { createAuthSessions } from './own-sessions.ts'
import { SessionStore } from './sessions/session-store.ts'
import { AccessTokens } from './tokens/access-tokens.ts'
import { AuthSecrets } from './tokens/auth-secrets.ts'
import { OneTimeTokens } from './tokens/one-time-tokens.ts'
import { readSigningKey } from './tokens/signing-key.ts'
import { UserStore } from './users/user-store.ts'

export interface OpenAuthSessionsOptions {
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
