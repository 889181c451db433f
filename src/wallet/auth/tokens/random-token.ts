import { createHash, randomBytes, randomInt } from 'node:crypto'

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
