import type { ProviderAccount } from '../users/user-store.ts'

/** What goes to a provider with the person and comes back. */
export interface ProviderRequest {
  readonly state: string
  /** PKCE: of our code verifier, S256. */
  readonly codeChallenge: string
  readonly nonce: string
  /** Our `/callback`. */
  readonly redirectUri: string
}

/** What we ask a provider with, once the person is back. */
export interface ProviderAnswer {
  readonly code: string
  readonly codeVerifier: string
  readonly nonce: string
  readonly redirectUri: string
}

/** Somebody else's service by which people sign in. */
export interface OAuthProvider {
  readonly name: string
  /** Where the person is sent. */
  authorizeUrl(request: ProviderRequest): string
  /**
   * Whose account it was.
   * @throws ApiError 422 `provider_email_needs_verification`; 400 `bad_oauth_callback` when the code is not taken; 502 `unexpected_failure`
   */
  identify(answer: ProviderAnswer): Promise<ProviderAccount>
}

/** Of the application that was registered at a provider. */
export interface OAuthApplication {
  readonly clientId: string
  readonly clientSecret: string
}
