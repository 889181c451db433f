import type { IncomingMessage } from 'node:http'
import type { Middleware } from 'koa'
import type pg from 'pg'
import type { Client } from '../base/client-address.ts'
import type { RequestState } from '../base/http/requests.ts'
import type { Authenticate } from '../auth/authenticate.ts'
import type { HoldUser } from '../auth/hold-user.ts'
import type { EditorSettings } from '../editor/http/editor-server.ts'
import { createGotrueSessions } from '../wallet/auth/gotrue-sessions.ts'
import { authPath } from '../wallet/auth/http/auth-router.ts'
import { openAuthSessions } from '../wallet/auth/open-auth-sessions.ts'
import { createAuthServer } from '../wallet/http/auth-server.ts'
import { sessionRoutes } from '../wallet/http/session-cookies.ts'
import type { ServiceContext } from './context.ts'
import { editorClientId } from './editor-origin.ts'
import { localHost } from './local-host.ts'
import { readWalletPlace } from './wallet-settings.ts'

export interface EditorSignIn {
  readonly authenticate: Authenticate
  readonly holdUser: HoldUser
  /** Answers `/session`: the cookie of the editor's own session, which the wallet gave it. */
  readonly session: Middleware<RequestState>
  /** Where people sign in: at the wallet. */
  readonly wallet: NonNullable<EditorSettings['wallet']>
}

export interface EditorSignInNeeds {
  readonly pool: pg.Pool
  /** `editorUrl` */
  readonly editor: string
  readonly clientOf: (request: IncomingMessage) => Client
}

/**
 * Who asks the editor: people who have signed in at the wallet, or at the auth server of GOTRUE_URL.
 * @throws FatalError for settings of the wallet that cannot be
 */
export async function openEditorSignIn(
  { config, shared }: Pick<ServiceContext, 'config' | 'shared'>,
  { pool, editor, clientOf }: EditorSignInNeeds,
): Promise<EditorSignIn> {
  const { url } = readWalletPlace(config, shared.walletPort ?? config.WALLET_PORT)
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
    holdUser: sessions.holdUser,
    wallet: {
      url,
      gotrue_url: gotrueUrl ?? `${url}${authPath}`,
      authorize_url: `${url}/authorize`,
      token_url: `${url}/oauth/token`,
      session_url: '/session',
      client_id: editorClientId,
    },
    session: sessionRoutes({
      auth: createAuthServer(
        gotrueUrl ??
          `${shared.walletPort === undefined ? url : `http://${localHost(config.HOST)}:${shared.walletPort}`}${authPath}`,
      ),
      allows: (origin) => origin === new URL(editor).origin,
      clientOf: (request) => clientOf(request).address,
      isSecure: editor.startsWith('https:'),
      cookieDomain: undefined,
      sessionHours: config.WALLET_SESSION_HOURS,
      name: 'flowfarm-editor-session',
    }).routes() as unknown as Middleware<RequestState>,
  }
}
