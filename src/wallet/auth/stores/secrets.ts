import { createHmac, hkdfSync, timingSafeEqual, createHash, randomBytes, randomInt } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { authError } from '../auth-parts.ts'

type Purpose = 'refresh token' | 'code' | 'verifier' | 'nonce'

/** Derived from the signing key, not stored. */
export class AuthSecrets {
  readonly #key: Buffer

  constructor(signingKey: KeyObject) {
    const secret = signingKey.export({ format: 'der', type: 'pkcs8' })
    this.#key = Buffer.from(hkdfSync('sha256', secret, '', 'flowfarm auth secrets', 32))
  }

  /** Deterministic: concurrent tabs get the same token. */
  nextRefreshToken(token: string): string {
    return this.#mac('refresh token', token).toString('base64url')
  }

  /** A keyed digest: six digits alone could be brute-forced. */
  codeHash(code: string, { email, salt }: { readonly email: string; readonly salt: Buffer }): Buffer {
    return this.#mac('code', salt.toString('hex'), email, code)
  }

  isCode(code: string, stored: { readonly email: string; readonly salt: Buffer; readonly hash: Buffer }): boolean {
    return timingSafeEqual(this.codeHash(code, stored), stored.hash)
  }

  providerVerifier(state: string): string {
    return this.#mac('verifier', state).toString('base64url')
  }

  providerNonce(state: string): string {
    return this.#mac('nonce', state).toString('base64url')
  }

  #mac(purpose: Purpose, ...parts: readonly string[]): Buffer {
    return createHmac('sha256', this.#key)
      .update(JSON.stringify([purpose, ...parts]))
      .digest()
  }
}

/** 256 bits, so a plain digest is safe to store. */
export function randomToken(): string {
  return randomBytes(32).toString('base64url')
}

export function randomCode(): string {
  return String(randomInt(1_000_000)).padStart(6, '0')
}

export function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

/** RFC 7636 §4.2, S256, base64url. */
export function challengeOf(verifier: string): string {
  return createHash('sha256').update(verifier).digest('base64url')
}

/**
 * Undefined without a challenge. @throws ApiError 400 `validation_failed`, also for the method
 * plain
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
