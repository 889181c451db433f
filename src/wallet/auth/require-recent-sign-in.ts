import { authError } from './auth-error.ts'
import type { OpenSession } from './sessions/open-session.ts'

/** How long after a sign-in people may do what cannot be undone, ms; as long as they may change passkeys. */
const recentMs = 15 * 60_000

/** A session that was left open on a machine of others is not enough. @throws ApiError 403 `reauthentication_needed` */
export function requireRecentSignIn({ authenticatedAt }: Pick<OpenSession, 'authenticatedAt'>): void {
  if (Date.now() - authenticatedAt.getTime() <= recentMs) return
  throw authError(403, 'reauthentication_needed', 'You signed in more than 15 minutes ago: sign in again, and do this then.')
}
