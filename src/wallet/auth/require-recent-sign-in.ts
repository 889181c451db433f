import { ApiError } from '../../base/errors.ts'
import { authError } from './auth-error.ts'
import type { AuthParts } from './auth-parts.ts'
import type { AuthClient, OpenSession } from './sessions/open-session.ts'
import type { UserChange } from './user-change.ts'

/** How long after a sign-in users without a passkey may make changes that cannot be undone, ms. */
const recentMs = 15 * 60_000

export interface ChangeRequest {
  readonly session: OpenSession
  readonly change: UserChange
  /** As the client sent it; undefined: nothing. */
  readonly confirmation: unknown
  readonly client: AuthClient
  readonly signal: AbortSignal
}

/**
 * Requires an assertion for this very change of users with a passkey, and a recent sign-in of the others. A session is
 * not enough for the former: whoever reads their mailbox has one.
 * @returns whether it was confirmed by a passkey
 * @throws ApiError 403 `reauthentication_needed`, and what checking the assertion throws
 */
export async function requireConfirmedChange(
  { userChanges }: Pick<AuthParts, 'userChanges'>,
  { session, change, confirmation, client, signal }: ChangeRequest,
): Promise<boolean> {
  const isConfirmed = await userChanges
    .confirm({
      userId: session.user.id,
      change,
      given: confirmation,
      client,
      signal,
    })
    .catch((error: unknown) => {
      if (!(error instanceof ApiError)) throw error
      if (error.code === 'REAUTHENTICATION_REQUIRED') throw authError(403, 'reauthentication_needed', error.message)
      throw new ApiError(error.status, error.code.toLowerCase(), error.message, {
        cause: error,
        details: error.details,
      })
    })
  if (isConfirmed || Date.now() - session.authenticatedAt.getTime() <= recentMs) return isConfirmed
  throw authError(
    403,
    'reauthentication_needed',
    'You signed in more than 15 minutes ago: sign in again, and do this then.',
  )
}
