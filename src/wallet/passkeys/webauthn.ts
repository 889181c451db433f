import { createHash, timingSafeEqual, createPublicKey, verify } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { z } from 'zod'
import { rawSignatureOf } from '../../../clients/signing/assertion-signature.ts'
import { ApiError } from '../../platform/errors.ts'
import type { ConsumedChallenge } from './challenges.ts'
import { functionError } from './endpoint.ts'
import type { PasskeyParts } from './endpoint.ts'
import type { Caller } from './passkey-audit.ts'
import type { OwnedPasskey } from './passkey-store.ts'
import type { RelyingParty } from './relying-party.ts'

const base64Url = (max: number): z.ZodString =>
  z
    .string()
    .regex(/^[\w-]+$/, 'must be base64url without padding')
    .max(max)

/** 16 to 1023 bytes. */
export const credentialId = z.string().regex(/^[\w-]{22,1364}$/, 'must be the id of a passkey, base64url')

const clientDataJson = base64Url(8192)

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
  malformed: 'The authenticator response is malformed.',
  type: 'The response belongs to another kind of ceremony.',
  challenge: 'The response answers another challenge.',
  origin: 'This origin may not use the passkeys.',
  'cross-origin': 'Passkeys cannot be used in a frame of another site.',
  'relying-party': 'The response is for another relying party.',
  'user-presence': 'The authenticator did not confirm user presence.',
  'user-verification': 'The authenticator did not verify the user. Use a PIN, fingerprint or similar.',
  attestation: 'The response contains an attestation, which was not requested.',
  algorithm: 'The key is not an ES256 key, which accounts on the chain require.',
  'public-key': 'The key is not a point on the curve P-256.',
  'credential-id': 'The response contains another credential id than it names.',
  'not-discoverable': 'The authenticator did not store the passkey (not discoverable).',
  signature: 'The response is not signed by this passkey.',
  'user-handle': 'The passkey belongs to another user.',
  backup: 'The backup eligibility of the passkey has changed.',
  'other-account': 'The passkey belongs to another account.',
  counter: 'The signature counter did not increase, which indicates a copied passkey.',
}

export class VerificationFailure extends Error {
  readonly reason: FailureReason

  constructor(reason: FailureReason, options?: { readonly cause?: unknown }) {
    super(texts[reason], options)
    this.reason = reason
  }
}

export function verificationFailed({ reason, message }: VerificationFailure, status: 401 | 422): ApiError {
  if (reason === 'public-key') return new ApiError(422, 'NO_PUBLIC_KEY', message)
  return status === 401
    ? new ApiError(401, 'VERIFICATION_FAILED', message)
    : new ApiError(422, 'VERIFICATION_FAILED', message)
}

export interface Expected {
  readonly relyingParty: RelyingParty
  /** SHA-256 of the challenge. */
  readonly challengeHash: Uint8Array
}

interface RightClientData {
  readonly challenge: string
  readonly origin: string
}

/** The library does not support patterns of origins. @throws VerificationFailure */
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
  // A frame could hide what the user confirms.
  if ((data['crossOrigin'] ?? false) !== false || data['topOrigin'] !== undefined)
    throw new VerificationFailure('cross-origin')
  if (!relyingParty.allows(origin)) throw new VerificationFailure('origin')
  return { challenge, origin }
}

/** @param challenge base64url, compared as text */
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

/** RP id, user presence and verification. @throws VerificationFailure */
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

/** COSE: key type, algorithm, curve, coordinates. */
const labels = { kty: 1, alg: 3, crv: -1, x: -2, y: -3 } as const
const ec2 = 2
export const es256 = -7
const p256 = 1

/** As 04, x and y. @throws VerificationFailure for other algorithms and points off the curve */
export function sec1KeyOf(cose: ReadonlyMap<unknown, unknown>): Buffer {
  if (cose.get(labels.kty) !== ec2 || cose.get(labels.alg) !== es256 || cose.get(labels.crv) !== p256)
    throw new VerificationFailure('algorithm')
  const [x, y] = [cose.get(labels.x), cose.get(labels.y)]
  if (!(x instanceof Uint8Array) || !(y instanceof Uint8Array) || x.length !== 32 || y.length !== 32)
    throw new VerificationFailure('public-key')
  const coordinate = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url')
  try {
    createPublicKey({ key: { kty: 'EC', crv: 'P-256', x: coordinate(x), y: coordinate(y) }, format: 'jwk' })
  } catch (error) {
    throw new VerificationFailure('public-key', { cause: error })
  }
  return Buffer.concat([Buffer.of(4), x, y])
}

/**
 * On first use (0.2 s). Always pass algorithms: otherwise the library probes the runtime and logs
 * warnings.
 */
export const webAuthn = memoize(() => import('@simplewebauthn/server'))
export const webAuthnHelpers = memoize(() => import('@simplewebauthn/server/helpers'))

function memoize<Module>(load: () => Promise<Module>): () => Promise<Module> {
  let loaded: Promise<Module> | undefined
  return () => (loaded ??= load())
}

interface AssertionCheck {
  readonly response: AssertionResponse
  readonly challenge: ConsumedChallenge
  readonly caller: Caller
  readonly parts: PasskeyParts
  /** Undefined: the authenticator names the user. */
  readonly userId: string | undefined
  readonly found: OwnedPasskey | undefined
  /**
   * After all checks. Default: `PasskeyStore.used`. @returns false if the counter did not increase
   */
  readonly accept?: (passkey: OwnedPasskey, verified: VerifiedAssertion) => Promise<boolean>
}

/** @throws ApiError 404 `CREDENTIAL_NOT_FOUND`; 401 or 422 `VERIFICATION_FAILED` */
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

/** Password managers delete a passkey after it. */
export function unknownPasskey(): Error {
  return functionError('CREDENTIAL_NOT_FOUND', 'This passkey is unknown or was removed.')
}

export interface SigningPasskey {
  readonly credentialId: string
  /** COSE. */
  readonly publicKey: Buffer
  readonly deviceType: BackupFlags['deviceType']
  readonly userHandle: Buffer
}

export interface VerifiedAssertion {
  readonly counter: number
  readonly isBackedUp: boolean
}

interface AssertionExpected extends Expected {
  readonly needsUserHandle: boolean
}

/** Must be current, user-verified, for this relying party. @throws VerificationFailure */
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

/** Rejects other encodings of the same bytes. */
function strictBytes(text: string): Buffer {
  const bytes = Buffer.from(text, 'base64url')
  if (bytes.toString('base64url') !== text) throw new Error('expected base64url without padding')
  return bytes
}

/** ES256 key in CTAP2 order, up to the coordinates. */
const coseHead = Buffer.from('a5010203262001215820', 'hex')
const coseMiddle = Buffer.from('225820', 'hex')
const coordinateBytes = 32
const coseLength = coseHead.length + coseMiddle.length + 2 * coordinateBytes

/** P-256, up to the point. */
const spkiHead = Buffer.from('3059301306072a8648ce3d020106082a8648ce3d030107034200', 'hex')

const plainLength = 37
const attestedOrExtended = 0xc0

interface SignedAssertion {
  readonly clientDataJSON: Uint8Array
  readonly authenticatorData: Buffer
  readonly signature: Uint8Array
}

/**
 * Web Crypto is several times slower. @throws SigningError, Error for non-canonical signatures and
 * other keys than ES256
 */
async function isSignedBy(
  cose: Buffer,
  { clientDataJSON, authenticatorData, signature }: SignedAssertion,
): Promise<boolean> {
  // Trailing bytes would give a signature many encodings.
  rawSignatureOf(new Uint8Array(signature))
  const signed = Buffer.concat([authenticatorData, createHash('sha256').update(clientDataJSON).digest()])
  // Converting from r and s takes longer than DER.
  return verify('sha256', signed, await keyOf(cose), signature)
}

/** @throws Error if the length does not match the flags */
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
