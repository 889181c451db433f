import type pg from 'pg'

interface AuthenticatedUser {
  /** UUID: `sub` of the access token. */
  readonly userId: string
}

/**
 * @throws ApiError 401 `UNAUTHORIZED` for an invalid token or an ended session; RetryableError if
 *   that cannot be determined now
 */
export type Authenticate = (accessToken: string) => Promise<AuthenticatedUser>

/**
 * Locks a user against removal until the end of the transaction, for tables that cannot reference
 * users. Returns false if the user was removed. Users of an external auth server are not locked.
 */
export type LockUser = (client: pg.ClientBase, userId: string) => Promise<boolean>
