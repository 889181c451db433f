import type { KeptSession } from '../sessions/session-store.ts'
import type { AccessTokens } from '../tokens/access-tokens.ts'
import { presentUser } from '../users/present-user.ts'

/** A session as GoTrue hands it over. */
export function presentSession(
  { session, refreshToken }: KeptSession,
  accessTokens: AccessTokens,
): Record<string, unknown> {
  const { token, expiresAt } = accessTokens.sign(session)
  return {
    access_token: token,
    token_type: 'bearer',
    expires_in: expiresAt - Math.floor(Date.now() / 1000),
    expires_at: expiresAt,
    refresh_token: refreshToken,
    user: presentUser(session.user),
  }
}
