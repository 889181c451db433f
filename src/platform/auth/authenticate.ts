import type pg from 'pg'

/** Somebody who has signed in at the wallet, or at the auth server that is set in its place. */
interface AuthenticatedUser {
  /** UUID: `sub` of the access token. */
  readonly userId: string
}

/**
 * Says who makes a request.
 * @param accessToken of `Authorization: Bearer`
 * @throws ApiError 401 `UNAUTHORIZED` where the token is none, or its session has ended; RetryableError where that
 * cannot be known now
 */
export type Authenticate = (accessToken: string) => Promise<AuthenticatedUser>

/**
 * Keeps a user from being removed until the end of the transaction: for who writes down what a user has in a table
 * that cannot refer to them. Who removes them waits, and then finds what was written. Users who are kept by the
 * auth server of somebody else are not held: nobody can.
 * @param userId as the auth server names them (sub)
 * @returns false where they are gone
 */
export type HoldUser = (client: pg.ClientBase, userId: string) => Promise<boolean>
