import { ApiError } from '../../base/errors.ts'
import { presentSession } from './http/present-session.ts'
import type { AuthSessions } from './auth-sessions.ts'
import type { AuthParts } from './auth-parts.ts'
import { isUuid } from './tokens/access-tokens.ts'
import { holdUser } from './users/hold-user.ts'
import { asAuthUser } from './users/present-user.ts'

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
