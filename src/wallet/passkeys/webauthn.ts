import { createHash, timingSafeEqual, createPublicKey } from 'node:crypto'
import { z } from 'zod'
import { ApiError } from '../../platform/errors.ts'
import type { RelyingParty } from './relying-party.ts'

/** What browsers make of the answers of authenticators (`toJSON()`), as far as it is read here. Sizes are those of the largest that there can be. */

const base64Url = (most: number): z.ZodString =>
  z
    .string()
    .regex(/^[\w-]+$/, 'has to be base64url without padding')
    .max(most)

/** At least 16 bytes and at most 1023, as WebAuthn has it. */
export const credentialId = z.string().regex(/^[\w-]{22,1364}$/, 'has to be the id of a passkey, base64url')

const clientDataJson = base64Url(8192)

/** `RegistrationResponseJSON`. */
export const registrationResponse = z.object({
  id: credentialId,
  rawId: credentialId,
  type: z.literal('public-key'),
  response: z.object({
    clientDataJSON: clientDataJson,
    attestationObject: base64Url(16_384),
    transports: z
      .array(z.string().regex(/^[\w-]{1,32}$/))
      .max(16)
      .optional(),
  }),
  clientExtensionResults: z.object({ credProps: z.object({ rk: z.boolean().optional() }).optional() }).optional(),
})
export type RegistrationResponse = z.output<typeof registrationResponse>

/** `AuthenticationResponseJSON`. */
export const assertionResponse = z.object({
  id: credentialId,
  rawId: credentialId,
  type: z.literal('public-key'),
  response: z.object({
    clientDataJSON: clientDataJson,
    authenticatorData: base64Url(8192),
    signature: base64Url(1024),
    userHandle: base64Url(128).nullish(),
  }),
})
export type AssertionResponse = z.output<typeof assertionResponse>

/** What was wrong with what an authenticator sent; a word for the audit log. */
type FailureReason =
  | 'malformed'
  | 'type'
  | 'challenge'
  | 'origin'
  | 'cross-origin'
  | 'relying-party'
  | 'user-presence'
  | 'user-verification'
  | 'attestation'
  | 'algorithm'
  | 'public-key'
  | 'credential-id'
  | 'not-discoverable'
  | 'signature'
  | 'user-handle'
  | 'backup'
  | 'other-account'
  | 'counter'

const texts: Readonly<Record<FailureReason, string>> = {
  malformed: 'The response of the authenticator cannot be read.',
  type: 'The response is of another kind of ceremony.',
  challenge: 'The response answers another challenge.',
  origin: 'Pages of this origin may not use the passkeys.',
  'cross-origin': 'Passkeys cannot be used in a frame of another site.',
  'relying-party': 'The response is for another relying party.',
  'user-presence': 'The authenticator did not see that somebody was there.',
  'user-verification': 'The authenticator did not verify its user: a PIN, a fingerprint or the like is needed.',
  attestation: 'The response has an attestation that was not asked for.',
  algorithm: 'The key is not one of ES256, which is what accounts on the chain have.',
  'public-key': 'The key is no point of the curve P-256.',
  'credential-id': 'The response names another credential than the one in it.',
  'not-discoverable': 'The authenticator did not keep the passkey, so nobody could sign in by it.',
  signature: 'The response is not signed by this passkey.',
  'user-handle': 'The passkey is of another user.',
  backup: 'The passkey may be on several devices now and might not before, or the other way round.',
  'other-account': 'The passkey is not of the account that was named.',
  counter: 'The passkey was used by a copy of its authenticator: its counter has not grown.',
}

/** That what an authenticator sent is not what was asked of it. */
export class VerificationFailure extends Error {
  readonly reason: FailureReason

  constructor(reason: FailureReason, options?: { readonly cause?: unknown }) {
    super(texts[reason], options)
    this.reason = reason
  }
}

/** @param status 401 where somebody wanted to be let in, 422 where they are in */
export function verificationFailed({ reason, message }: VerificationFailure, status: 401 | 422): ApiError {
  if (reason === 'public-key') return new ApiError(422, 'NO_PUBLIC_KEY', message)
  return status === 401
    ? new ApiError(401, 'VERIFICATION_FAILED', message)
    : new ApiError(422, 'VERIFICATION_FAILED', message)
}

/** What is expected of a response. */
export interface Expected {
  readonly relyingParty: RelyingParty
  /** SHA-256 of the challenge that was given. */
  readonly challengeHash: Uint8Array
}

/** Of the client data, what the library is told to expect, after it was found to be right here. */
interface RightClientData {
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

const flags = { userPresent: 0x01, userVerified: 0x04, backupEligible: 0x08, backedUp: 0x10 } as const

export interface BackupFlags {
  readonly deviceType: 'singleDevice' | 'multiDevice'
  readonly isBackedUp: boolean
}

/** Checks the head that all data of authenticators has: for whom, and that somebody was there and verified. @throws VerificationFailure */
export function requireAuthenticatorData(data: Uint8Array, relyingParty: RelyingParty): BackupFlags {
  if (data.length < 37) throw new VerificationFailure('malformed')
  if (!createHash('sha256').update(relyingParty.id).digest().equals(data.subarray(0, 32)))
    throw new VerificationFailure('relying-party')
  const set = data[32] ?? 0
  const has = (flag: number): boolean => (set & flag) !== 0
  if (!has(flags.userPresent)) throw new VerificationFailure('user-presence')
  if (!has(flags.userVerified)) throw new VerificationFailure('user-verification')
  if (has(flags.backedUp) && !has(flags.backupEligible)) throw new VerificationFailure('backup')
  return { deviceType: has(flags.backupEligible) ? 'multiDevice' : 'singleDevice', isBackedUp: has(flags.backedUp) }
}

/** Labels of COSE: kind of key, algorithm, curve, coordinates. */
const labels = { kty: 1, alg: 3, crv: -1, x: -2, y: -3 } as const
const ec2 = 2
export const es256 = -7
const p256 = 1

/**
 * The key of a passkey as accounts on the chain have it: 04, x and y.
 * @param cose the key, decoded: a map of COSE
 * @throws VerificationFailure for keys of other algorithms, and for what is no point of the curve
 */
export function sec1KeyOf(cose: ReadonlyMap<unknown, unknown>): Buffer {
  if (cose.get(labels.kty) !== ec2 || cose.get(labels.alg) !== es256 || cose.get(labels.crv) !== p256)
    throw new VerificationFailure('algorithm')
  const [x, y] = [cose.get(labels.x), cose.get(labels.y)]
  if (!(x instanceof Uint8Array) || !(y instanceof Uint8Array) || x.length !== 32 || y.length !== 32)
    throw new VerificationFailure('public-key')
  const coordinate = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url')
  try {
    // Fails for what is not on the curve.
    createPublicKey({ key: { kty: 'EC', crv: 'P-256', x: coordinate(x), y: coordinate(y) }, format: 'jwk' })
  } catch (error) {
    throw new VerificationFailure('public-key', { cause: error })
  }
  return Buffer.concat([Buffer.of(4), x, y])
}

/**
 * The library that reads and verifies what authenticators send. Loading it takes a fifth of a second, so that is done when it is first needed, and once: to ask
 * the runtime for it each time is a noticeable part of a sign-in.
 * What is not told which algorithms it may use tries out what the runtime has, which warns: they are always told.
 */
export const webAuthn = kept(() => import('@simplewebauthn/server'))
export const webAuthnHelpers = kept(() => import('@simplewebauthn/server/helpers'))

function kept<Module>(load: () => Promise<Module>): () => Promise<Module> {
  let loaded: Promise<Module> | undefined
  return () => (loaded ??= load())
}
