import type pg from 'pg'
import type { Authenticate, LockUser } from '../platform/auth/authenticate.ts'
import { localHost } from '../platform/http/connections.ts'
import type { ServiceContext } from '../platform/service.ts'
import { createGotrueSessions } from './auth/gotrue-sessions.ts'
import { openAuthSessions } from './auth/auth-sessions.ts'
import { authPath } from './auth/auth-parts.ts'
import { createAuthServer, SessionCookies } from './session-cookies.ts'
import type { MountedSession } from './session-cookies.ts'
import { readWalletPlace } from './settings.ts'
import type { WalletConfig } from './settings.ts'

interface ClientSignInOptions {
  readonly pool: pg.Pool
  readonly clientId: string
  readonly clientUrl: string
  readonly cookieName: string
}

interface ClientSignIn {
  readonly authenticate: Authenticate
  readonly lockUser: LockUser
  readonly session: MountedSession
  readonly wallet: {
    readonly url: string
    readonly gotrue_url: string
    readonly authorize_url: string
    readonly token_url: string
    readonly session_url: string
    readonly client_id: string
  }
}

/** @throws FatalError for invalid settings of the wallet */
export async function openClientSignIn(
  { config, shared }: Pick<ServiceContext<WalletConfig>, 'config' | 'shared'>,
  { pool, clientId, clientUrl, cookieName }: ClientSignInOptions,
): Promise<ClientSignIn> {
  const { walletPort } = shared
  const { url } = readWalletPlace(config, walletPort ?? config.WALLET_PORT)
  const { GOTRUE_URL: gotrueUrl } = config
  const sessions =
    gotrueUrl === undefined
      ? await openAuthSessions(pool, {
          jwtKey: config.WALLET_JWT_KEY,
          walletUrl: url,
          sessionHours: config.WALLET_SESSION_HOURS,
        })
      : createGotrueSessions({ url: gotrueUrl, serviceToken: undefined })
  return {
    authenticate: async (accessToken) => ({ userId: (await sessions.authenticate(accessToken)).user.id }),
    lockUser: sessions.lockUser,
    wallet: {
      url,
      gotrue_url: gotrueUrl ?? `${url}${authPath}`,
      authorize_url: `${url}/authorize`,
      token_url: `${url}/oauth/token`,
      session_url: '/session',
      client_id: clientId,
    },
    session: new SessionCookies({
      auth: createAuthServer(
        gotrueUrl ?? `${walletPort === undefined ? url : `http://${localHost(config.HOST)}:${walletPort}`}${authPath}`,
      ),
      allows: (origin) => origin === new URL(clientUrl).origin,
      isSecure: clientUrl.startsWith('https:'),
      cookieDomain: undefined,
      sessionHours: config.WALLET_SESSION_HOURS,
      name: cookieName,
    }).mount(),
  }
}
