import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'
import type { KeyObject } from 'node:crypto'

type Purpose = 'refresh token' | 'code' | 'verifier' | 'nonce'

/**
 * Secrets that follow from others and from a key that the database tables beside them do not hold, so that they need not be kept. The key
 * follows from the one that signs access tokens: whoever has that needs none of these.
 */
export class AuthSecrets {
  readonly #key: Buffer

  constructor(signingKey: KeyObject) {
    const secret = signingKey.export({ format: 'der', type: 'pkcs8' })
    this.#key = Buffer.from(hkdfSync('sha256', secret, '', 'flowfarm auth secrets', 32))
  }

  /**
   * The refresh token that follows one. Tabs that trade the same token at the same time get the same next one, which is kept nowhere as it is.
   */
  nextRefreshToken(token: string): string {
    return this.#mac('refresh token', token).toString('base64url')
  }

  /** Of six digits a plain digest would be undone by trying all. */
  codeHash(code: string, { email, salt }: { readonly email: string; readonly salt: Buffer }): Buffer {
    return this.#mac('code', salt.toString('hex'), email, code)
  }

  isCode(code: string, kept: { readonly email: string; readonly salt: Buffer; readonly hash: Buffer }): boolean {
    return timingSafeEqual(this.codeHash(code, kept), kept.hash)
  }

  /** The code verifier (PKCE) that we show to a provider, 43 characters. */
  providerVerifier(state: string): string {
    return this.#mac('verifier', state).toString('base64url')
  }

  /** What a provider must repeat in what it signs for this sign-in. */
  providerNonce(state: string): string {
    return this.#mac('nonce', state).toString('base64url')
  }

  #mac(purpose: Purpose, ...parts: readonly string[]): Buffer {
    return createHmac('sha256', this.#key)
      .update(JSON.stringify([purpose, ...parts]))
      .digest()
  }
}
