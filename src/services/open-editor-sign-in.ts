import type pg from 'pg'
import type { Authenticate } from '../auth/authenticate.ts'
import type { HoldUser } from '../auth/hold-user.ts'
import type { EditorSettings } from '../editor/http/editor-server.ts'
import { createGotrueSessions } from '../wallet/auth/gotrue-sessions.ts'
import { authPath } from '../wallet/auth/http/auth-router.ts'
import { openAuthSessions } from '../wallet/auth/open-auth-sessions.ts'
import { passkeyFunctionPath } from '../wallet/passkeys/passkey-function.ts'
import type { ServiceContext } from './context.ts'
import { readWalletPlace } from './wallet-settings.ts'

export interface EditorSignIn {
  readonly authenticate: Authenticate
  readonly holdUser: HoldUser
  /** Where the editor's pages sign people in: at the wallet. */
  readonly wallet: NonNullable<EditorSettings['wallet']>
}

/**
 * Who asks the editor: people who have signed in at the wallet, or at the auth server of GOTRUE_URL.
 * @throws FatalError for settings of the wallet that cannot be
 */
export async function openEditorSignIn({ config, shared }: Pick<ServiceContext, 'config' | 'shared'>, pool: pg.Pool): Promise<EditorSignIn> {
  const { url, party } = readWalletPlace(config, shared.walletPort ?? config.WALLET_PORT)
  const { GOTRUE_URL: gotrueUrl } = config
  const sessions = gotrueUrl === undefined
    ? await openAuthSessions(pool, { jwtKey: config.WALLET_JWT_KEY, walletUrl: url, sessionHours: config.WALLET_SESSION_HOURS })
    : createGotrueSessions({ url: gotrueUrl, serviceToken: undefined })
  return {
    authenticate: async (accessToken) => ({ userId: (await sessions.authenticate(accessToken)).user.id }),
    holdUser: sessions.holdUser,
    wallet: {
      url, gotrue_url: gotrueUrl ?? `${url}${authPath}`, passkey_auth_url: `${url}${passkeyFunctionPath}`, session_url: `${url}/session`,
      rp_id: party.id, rp_name: party.name, cookie_domain: config.WALLET_COOKIE_DOMAIN ?? null,
    },
  }
}
