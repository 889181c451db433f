import type { HoldUser } from '../../platform/auth/hold-user.ts'
import type { AuthClient } from './stores/sessions.ts'

/** A user as the other parts of the wallet know one. */
export interface AuthUser {
  /** UUID. */
  readonly id: string
  /** Lower case; undefined for users who have only a passkey or another provider without e-mail. */
  readonly email: string | undefined
  readonly isEmailConfirmed: boolean
  /** Roles come from here alone: users cannot change it. */
  readonly appMetadata: Readonly<Record<string, unknown>>
  readonly userMetadata: Readonly<Record<string, unknown>>
}

/** Who makes a request. */
export interface SignedIn {
  readonly user: AuthUser
  readonly sessionId: string
  /** When the user last proved who they are: what changes passkeys wants that to be recent. */
  readonly authenticatedAt: Date
  /** The client that has the session, such as `editor`; undefined: the wallet itself. */
  readonly clientId?: string | undefined
}

/** What somebody who has shown a passkey trades for a session. */
export interface SessionToken {
  readonly tokenHash: string
  /** Lower case; undefined for users without one. */
  readonly email: string | undefined
}

/** What the parts of the wallet ask of the one that signs people in: our own, or another one at GOTRUE_URL. */
export interface AuthSessions {
  /** @param accessToken of `Authorization: Bearer`. @throws ApiError 401 `UNAUTHORIZED` */
  authenticate(accessToken: string): Promise<SignedIn>
  /**
   * A token that is traded once, within five minutes, for a session: POST /verify `{type: 'magiclink', token_hash}`. It leaves links that were sent by
   * e-mail alone, and is there for users without one. Undefined for a user who is not there (any more).
   */
  createSessionToken(userId: string): Promise<SessionToken | undefined>
  /**
   * Opens a session of a client for the user who let it in, as GoTrue writes one. Undefined: the user or the session of
   * the wallet is gone.
   * @throws ApiError 403 for users whom the operator keeps out, 503
   */
  openForClient(
    asked: { readonly clientId: string; readonly userId: string; readonly sessionId: string },
    client: AuthClient,
  ): Promise<Readonly<Record<string, unknown>> | undefined>
  /** Undefined for one who is not there (any more). */
  findUser(userId: string): Promise<AuthUser | undefined>
  readonly holdUser: HoldUser
}
