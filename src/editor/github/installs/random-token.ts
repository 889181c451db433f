import { createHash, randomBytes } from 'node:crypto'

/** 256 random bits, base64url: nothing that could be guessed, so that a plain digest of it may be kept. */
export function randomToken(): string {
  return randomBytes(32).toString('base64url')
}

/** SHA-256, under which tokens are kept. */
export function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
