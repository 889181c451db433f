import { createHash, createPublicKey, verify } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { rawSignatureOf } from '../../../clients/signing/der-signature.ts'
import type { TakenChallenge } from './challenges.ts'
import { functionError } from './endpoint.ts'
import type { PasskeyParts } from './endpoint.ts'
import type { Caller } from './passkey-audit.ts'
import type { OwnedPasskey } from './passkey-store.ts'
import {
  VerificationFailure,
  verificationFailed,
  requireAuthenticatorData,
  readClientData,
  sec1KeyOf,
  webAuthnHelpers,
} from './webauthn.ts'
import type { AssertionResponse, BackupFlags, Expected } from './webauthn.ts'

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
 * Finds out by which passkey, and so by whom, a challenge was signed, and writes down what was refused.
 * @throws ApiError 404 `CREDENTIAL_NOT_FOUND`, by which password managers forget a passkey that was removed here; 401 or 422 `VERIFICATION_FAILED`
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

/** The key of ES256 as authenticators write it: a map of five in the order of CTAP2, with the coordinates as its last two. */
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
 * Checks the signature of a passkey, in one turn of the event loop: by Web Crypto the way to another thread and back takes several times as long.
 * @param cose the key of the passkey
 * @throws SigningError, Error for a signature that is written in another way than the one there is, and for another key than one of ES256
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
