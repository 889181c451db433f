/** Somebody who has signed in at the wallet, or at the auth server that is set in its place. */
export interface AuthenticatedUser {
  /** UUID: `sub` of the access token. */
  readonly userId: string
}

/**
 * Says who makes a request.
 * @param accessToken of `Authorization: Bearer`
 * @throws ApiError 401 `UNAUTHORIZED` where the token is none, or its session has ended; RetryableError where that cannot be known now
 */
export type Authenticate = (accessToken: string) => Promise<AuthenticatedUser>
