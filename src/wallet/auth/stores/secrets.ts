import { createHmac, hkdfSync, timingSafeEqual, createHash, randomBytes, randomInt } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { authError } from '../auth-parts.ts'

type Purpose = 'refresh token' | 'code' | 'verifier' | 'nonce'

/** Secrets derived from the key that signs access tokens, so that none is stored. */
export class AuthSecrets {
  readonly #key: Buffer

  constructor(signingKey: KeyObject) {
    const secret = signingKey.export({ format: 'der', type: 'pkcs8' })
    this.#key = Buffer.from(hkdfSync('sha256', secret, '', 'flowfarm auth secrets', 32))
  }

  /** The next refresh token. Tabs that trade the same token at once get the same one, which is not stored. */
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

/** 256 random bits, base64url: nothing that could be guessed, so that a plain digest of it may be kept. */
export function randomToken(): string {
  return randomBytes(32).toString('base64url')
}

/** Six digits, for people to type. */
export function randomCode(): string {
  return String(randomInt(1_000_000)).padStart(6, '0')
}

/** SHA-256, under which tokens are kept. */
export function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

/** SHA-256 of a code verifier, base64url (RFC 7636 §4.2, S256). */
export function challengeOf(verifier: string): string {
  return createHash('sha256').update(verifier).digest('base64url')
}

/**
 * The challenge of a page that begins a sign-in. Undefined: it has none.
 * @throws ApiError 400 `validation_failed`, for the method plain too, with which the challenge is the secret itself
 */
export function readChallenge(
  challenge: string | null | undefined,
  method: string | null | undefined,
): string | undefined {
  if ((challenge ?? '') === '' && (method ?? '') === '') return undefined
  if (method?.toLowerCase() !== 's256') throw authError(400, 'validation_failed', 'code_challenge_method must be s256.')
  if (!/^[\w-]{43}$/.test(challenge ?? ''))
    throw authError(400, 'validation_failed', 'code_challenge must be a SHA-256 in base64url.')
  return challenge ?? undefined
}

export function fitsChallenge(verifier: string, challenge: string): boolean {
  if (verifier.length < 43 || verifier.length > 128) return false
  const [a, b] = [Buffer.from(challengeOf(verifier)), Buffer.from(challenge)]
  return a.length === b.length && timingSafeEqual(a, b)
}
