import type { UserRow } from '../users/user-row.ts'

/** How somebody proved who they are, in the words of GoTrue (amr). */
export type SignInMethod = 'otp' | 'oauth' | 'webauthn'

/** Who asks, for limits and for the record. */
export interface AuthClient {
  /** Address on the net, as far as TRUSTED_PROXIES are believed. */
  readonly address: string
  /** The address, or the /64 of an IPv6 address: what limits count. */
  readonly network: string
  readonly userAgent: string
}

/** A session that is good, and whose it is. */
export interface OpenSession {
  readonly sessionId: string
  readonly user: UserRow
  readonly method: SignInMethod
  readonly authenticatedAt: Date
  /** The client that has it, such as `editor`; null: the wallet itself. */
  readonly clientId: string | null
  /** When it ends, however often it is refreshed. */
  readonly notAfter: Date
}
