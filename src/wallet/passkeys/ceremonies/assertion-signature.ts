import { createHash, createPublicKey, verify } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { rawSignatureOf } from '../../../../clients/signing/der-signature.ts'
import { sec1KeyOf } from './sec1-key.ts'
import { webAuthnHelpers } from './webauthn-library.ts'

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
export interface SignedAssertion {
  readonly clientDataJSON: Uint8Array
  readonly authenticatorData: Buffer
  readonly signature: Uint8Array
}

/**
 * Checks the signature of a passkey, in one turn of the event loop: by Web Crypto the way to another thread and back takes several times as long.
 * @param cose the key of the passkey
 * @throws SigningError, Error for a signature that is written in another way than the one there is, and for another key than one of ES256
 */
export async function isSignedBy(
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
export async function counterOf(authenticatorData: Buffer): Promise<number> {
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
