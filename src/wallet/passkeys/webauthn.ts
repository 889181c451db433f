import { createHash, timingSafeEqual, createPublicKey, verify } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { z } from 'zod'
import { rawSignatureOf } from '../../../clients/signing/assertion-signature.ts'
import { ApiError } from '../../platform/errors.ts'
import type { TakenChallenge } from './challenges.ts'
import { functionError } from './endpoint.ts'
import type { PasskeyParts } from './endpoint.ts'
import type { Caller } from './passkey-audit.ts'
import type { OwnedPasskey } from './passkey-store.ts'
import type { RelyingParty } from './relying-party.ts'

/** Schemas of authenticator responses (`toJSON()`), with maximum sizes. */

const base64Url = (max: number): z.ZodString =>
  z
    .string()
    .regex(/^[\w-]+$/, 'has to be base64url without padding')
    .max(max)

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
 * Checks the client data. Origins are parsed, since relying parties may have patterns and the library has not.
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

/** Checks RP ID, user presence and user verification of authenticator data. @throws VerificationFailure */
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
 * Loaded on first use (0.2 s), and once: asking the runtime each time is a noticeable part of a sign-in. Algorithms are
 * always given: otherwise the library probes the runtime, which warns.
 */
export const webAuthn = kept(() => import('@simplewebauthn/server'))
export const webAuthnHelpers = kept(() => import('@simplewebauthn/server/helpers'))

function kept<Module>(load: () => Promise<Module>): () => Promise<Module> {
  let loaded: Promise<Module> | undefined
  return () => (loaded ??= load())
}

interface AssertionCheck {
  readonly response: AssertionResponse
  readonly challenge: TakenChallenge
  readonly caller: Caller
  readonly parts: PasskeyParts
  /** Who is signed in, whose passkey it has to be. Undefined: nobody is, and the authenticator says whose it is. */
  readonly userId: string | undefined
  /** The passkey that the response names; undefined: there is none (any more). */
  readonly found: OwnedPasskey | undefined
  /**
   * Notes that the passkey has signed, after all else was found right. Default: `PasskeyStore.used`.
   * @returns false where its counter is not higher than before
   */
  readonly accept?: (passkey: OwnedPasskey, verified: VerifiedAssertion) => Promise<boolean>
}

/**
 * Verifies an assertion and finds its passkey; refusals are logged.
 * @throws ApiError 404 `CREDENTIAL_NOT_FOUND` (password managers then delete it); 401 or 422 `VERIFICATION_FAILED`
 */
export async function checkAssertion({
  response,
  challenge,
  caller,
  parts,
  userId,
  found,
  accept,
}: AssertionCheck): Promise<OwnedPasskey> {
  const { passkeys, audit, relyingParty } = parts
  const passkey = userId === undefined || found?.userId === userId ? found : undefined
  const refused = { isDone: false, userId: passkey?.userId ?? userId, credentialId: response.id }
  if (passkey === undefined) {
    await audit.note(caller, { ...refused, event: 'authentication_failed', reason: 'unknown passkey' })
    throw unknownPasskey()
  }
  try {
    const verified = await verifyAssertion(response, passkey, {
      relyingParty,
      challengeHash: challenge.hash,
      needsUserHandle: userId === undefined,
    })
    const isAccepted = await (accept === undefined
      ? passkeys.used(passkey.credentialId, verified)
      : accept(passkey, verified))
    if (!isAccepted) throw new VerificationFailure('counter')
  } catch (error) {
    if (!(error instanceof VerificationFailure)) throw error
    await audit.note(caller, {
      ...refused,
      event: error.reason === 'counter' ? 'counter_mismatch' : 'authentication_failed',
      reason: error.reason,
    })
    throw verificationFailed(error, userId === undefined ? 401 : 422)
  }
  return passkey
}

/** Password managers forget a passkey for which a service answers this. */
export function unknownPasskey(): Error {
  return functionError('CREDENTIAL_NOT_FOUND', 'This passkey is not known here (any more).')
}

/** Of a passkey, what its signatures are checked by. */
export interface SigningPasskey {
  readonly credentialId: string
  /** COSE. */
  readonly publicKey: Buffer
  readonly deviceType: BackupFlags['deviceType']
  /** Of its owner. */
  readonly userHandle: Buffer
}

export interface VerifiedAssertion {
  /** To be compared with what was seen before, where it is kept. */
  readonly counter: number
  readonly isBackedUp: boolean
}

interface AssertionExpected extends Expected {
  /** Whether the authenticator has to say whose passkey it is: where nobody was named before. */
  readonly needsUserHandle: boolean
}

/** Checks what a passkey signed: now, for us, by a verified user. @throws VerificationFailure */
export async function verifyAssertion(
  given: AssertionResponse,
  passkey: SigningPasskey,
  expected: AssertionExpected,
): Promise<VerifiedAssertion> {
  const { relyingParty, needsUserHandle } = expected
  const { response } = given
  readClientData(response.clientDataJSON, 'webauthn.get', expected)
  if (given.id !== passkey.credentialId || given.rawId !== passkey.credentialId)
    throw new VerificationFailure('credential-id')
  const { deviceType, isBackedUp } = requireAuthenticatorData(
    Buffer.from(response.authenticatorData, 'base64url'),
    relyingParty,
  )
  if (deviceType !== passkey.deviceType) throw new VerificationFailure('backup')
  const userHandle = response.userHandle ?? undefined
  const isOwner = userHandle === undefined ? !needsUserHandle : userHandle === passkey.userHandle.toString('base64url')
  if (!isOwner) throw new VerificationFailure('user-handle')
  return { counter: await requireSignature(response, passkey), isBackedUp }
}

/** @returns the signature counter @throws VerificationFailure */
async function requireSignature(
  { clientDataJSON, authenticatorData, signature }: AssertionResponse['response'],
  { publicKey }: SigningPasskey,
): Promise<number> {
  let isSigned: boolean
  let counter: number
  try {
    const data = strictBytes(authenticatorData)
    counter = await counterOf(data)
    isSigned = await isSignedBy(publicKey, {
      clientDataJSON: Buffer.from(clientDataJSON, 'base64url'),
      authenticatorData: data,
      signature: strictBytes(signature),
    })
  } catch (error) {
    throw new VerificationFailure('signature', { cause: error })
  }
  if (!isSigned) throw new VerificationFailure('signature')
  return counter
}

/** Bytes have one text: nobody sends the same signature in another one. */
function strictBytes(text: string): Buffer {
  const bytes = Buffer.from(text, 'base64url')
  if (bytes.toString('base64url') !== text) throw new Error('base64url is expected, without padding')
  return bytes
}

/** An ES256 key in COSE: a map of five in CTAP2 order, the coordinates last. */
const coseHead = Buffer.from('a5010203262001215820', 'hex')
const coseMiddle = Buffer.from('225820', 'hex')
const coordinateBytes = 32
const coseLength = coseHead.length + coseMiddle.length + 2 * coordinateBytes

/** `SubjectPublicKeyInfo` of P-256, before the point. */
const spkiHead = Buffer.from('3059301306072a8648ce3d020106082a8648ce3d030107034200', 'hex')

/** Authenticator data without anything behind its counter. */
const plainLength = 37
const attestedOrExtended = 0xc0

/** What a passkey signed, in bytes. */
interface SignedAssertion {
  readonly clientDataJSON: Uint8Array
  readonly authenticatorData: Buffer
  readonly signature: Uint8Array
}

/**
 * Verifies a signature synchronously: Web Crypto takes several times as long.
 * @param cose the key of the passkey
 * @throws SigningError, Error for non-canonical signatures and other keys than ES256
 */
async function isSignedBy(
  cose: Buffer,
  { clientDataJSON, authenticatorData, signature }: SignedAssertion,
): Promise<boolean> {
  // There are libraries that take bytes behind the end of a signature too, so that one could be written in many ways.
  rawSignatureOf(new Uint8Array(signature))
  const signed = Buffer.concat([authenticatorData, createHash('sha256').update(clientDataJSON).digest()])
  // As it came: from r and s side by side the library would make it again, which takes a fifth of the whole.
  return verify('sha256', signed, await keyOf(cose), signature)
}

/** The signature counter of authenticator data. @throws Error where what is behind it is not what its flags say */
async function counterOf(authenticatorData: Buffer): Promise<number> {
  const isPlain = authenticatorData.length === plainLength && ((authenticatorData[32] ?? 0) & attestedOrExtended) === 0
  if (isPlain) return authenticatorData.readUInt32BE(33)
  const { parseAuthenticatorData } = await webAuthnHelpers()
  return parseAuthenticatorData(new Uint8Array(authenticatorData)).counter
}

async function keyOf(cose: Buffer): Promise<KeyObject> {
  const point = plainPoint(cose) ?? (await readPoint(cose))
  return createPublicKey({ key: Buffer.concat([spkiHead, point]), format: 'der', type: 'spki' })
}

/** The point of a key that is written as nearly all are. */
function plainPoint(cose: Buffer): Buffer | undefined {
  const middle = coseHead.length + coordinateBytes
  const isPlain =
    cose.length === coseLength &&
    cose.subarray(0, coseHead.length).equals(coseHead) &&
    cose.subarray(middle, middle + coseMiddle.length).equals(coseMiddle)
  return isPlain
    ? Buffer.concat([Buffer.of(4), cose.subarray(coseHead.length, middle), cose.subarray(middle + coseMiddle.length)])
    : undefined
}

async function readPoint(cose: Buffer): Promise<Buffer> {
  const { isoCBOR } = await webAuthnHelpers()
  return sec1KeyOf(isoCBOR.decodeFirst<ReadonlyMap<unknown, unknown>>(new Uint8Array(cose)))
}
