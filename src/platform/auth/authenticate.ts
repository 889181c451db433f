import type pg from 'pg'

/** A user signed in at the wallet, or at the configured auth server. */
interface AuthenticatedUser {
  /** UUID: `sub` of the access token. */
  readonly userId: string
}

/**
 * Authenticates a request.
 * @param accessToken of `Authorization: Bearer`
 * @throws ApiError 401 `UNAUTHORIZED` for an invalid token or an ended session; RetryableError if that cannot be
 * determined now
 */
export type Authenticate = (accessToken: string) => Promise<AuthenticatedUser>

/**
 * Locks a user against removal until the end of the transaction, for tables that cannot reference users. Removal waits
 * and then finds the new rows. Users of an external auth server are not locked.
 * @param userId `sub` of the auth server
 * @returns false if the user was removed
 */
export type LockUser = (client: pg.ClientBase, userId: string) => Promise<boolean>
