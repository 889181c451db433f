import { createHash, timingSafeEqual } from 'node:crypto'
import { authError } from './auth-error.ts'

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
