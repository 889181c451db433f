import { createHash, timingSafeEqual } from 'node:crypto'
import type { RelyingParty } from '../relying-party.ts'
import { VerificationFailure } from './verification-failure.ts'

/** What is expected of a response. */
export interface Expected {
  readonly relyingParty: RelyingParty
  /** SHA-256 of the challenge that was given. */
  readonly challengeHash: Uint8Array
}

/** Of the client data, what the library is told to expect, after it was found to be right here. */
export interface RightClientData {
  readonly challenge: string
  readonly origin: string
}

/**
 * Checks what the browser says of the ceremony. Origins are parsed and compared as a whole: the library knows lists of texts only, and some
 * relying parties have patterns.
 * @throws VerificationFailure
 */
export function readClientData(
  text: string,
  type: 'webauthn.create' | 'webauthn.get',
  { relyingParty, challengeHash }: Expected,
): RightClientData {
  const data = parse(text)
  const { challenge, origin } = data
  if (data['type'] !== type) throw new VerificationFailure('type')
  if (typeof challenge !== 'string' || typeof origin !== 'string') throw new VerificationFailure('malformed')
  if (!timingSafeEqual(digestOfChallenge(challenge), challengeHash)) throw new VerificationFailure('challenge')
  // A frame could have the user confirm what they do not see.
  if ((data['crossOrigin'] ?? false) !== false || data['topOrigin'] !== undefined)
    throw new VerificationFailure('cross-origin')
  if (!relyingParty.allows(origin)) throw new VerificationFailure('origin')
  return { challenge, origin }
}

/** @param challenge base64url, as it was sent; another text of the same bytes is another challenge */
export function digestOfChallenge(challenge: string): Buffer {
  return createHash('sha256').update(challenge).digest()
}

function parse(text: string): Readonly<Record<string, unknown>> {
  let data: unknown
  try {
    data = JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(text, 'base64url')))
  } catch (error) {
    throw new VerificationFailure('malformed', { cause: error })
  }
  if (typeof data !== 'object' || data === null) throw new VerificationFailure('malformed')
  return data as Record<string, unknown>
}
