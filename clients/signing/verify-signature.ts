import { areEqual, bytesOfBase64Url, concatBytes, sha256 } from './bytes.ts'
import type { Bytes } from './bytes.ts'
import { challengeOf, domainTag } from './encode-transaction.ts'
import type { Domain } from './encode-transaction.ts'
import { decodeExtensionData } from './assertion-signature.ts'
import type { SignedData } from './assertion-signature.ts'
import { SigningError } from './signing-error.ts'

/** RP id hash, flags, counter. */
const minAuthenticatorData = 37
const flags = {
  userPresent: 0x01,
  backupEligible: 0x08,
  backedUp: 0x10,
  attestedCredential: 0x40,
  extensions: 0x80,
} as const

export interface PasskeySignature {
  readonly domain: Domain
  /** Without the tag. */
  readonly message: Uint8Array
  /** r and s, 64 bytes. */
  readonly signature: Uint8Array
  readonly extensionData: Uint8Array
  /** Account key: 65 bytes with 0x04, or the 64 bytes after it. */
  readonly publicKey: Uint8Array
}

/**
 * As the chain does (FLIP-264), which ignores origin, user verification and counter. Source:
 * onflow/flow-go `model/flow/webauthn.go`. @throws SigningError
 */
export async function verifyPasskeySignature({
  domain,
  message,
  signature,
  extensionData,
  publicKey,
}: PasskeySignature): Promise<void> {
  const signed = decodeExtensionData(extensionData)
  requireClientData(signed, await challengeOf(domain, message))
  requireAuthenticatorData(signed.authenticatorData, domain)
  if (signature.length !== 64) throw new SigningError('signature', 'must be 64 bytes')
  const key = await crypto.subtle
    .importKey('raw', uncompressed(publicKey), { name: 'ECDSA', namedCurve: 'P-256' }, false, ['verify'])
    .catch(() => {
      throw new SigningError('publicKey', 'must be a point on the curve P-256')
    })
  const bytes = concatBytes(signed.authenticatorData, await sha256(concatBytes(signed.clientDataJson)))
  const isGood = await crypto.subtle.verify({ name: 'ECDSA', hash: 'SHA-256' }, key, concatBytes(signature), bytes)
  if (!isGood) throw new SigningError('signature', 'is not valid for this key and message')
}

function requireClientData({ clientDataJson }: SignedData, challenge: Bytes): void {
  const field = 'clientDataJSON'
  let data: unknown
  try {
    data = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(clientDataJson))
  } catch {
    throw new SigningError(field, 'must be JSON')
  }
  const {
    type,
    challenge: challengeText,
    origin,
  } = (typeof data === 'object' && data !== null ? data : {}) as Readonly<
    Partial<Record<'type' | 'challenge' | 'origin', unknown>>
  >
  if (type !== 'webauthn.get') throw new SigningError(`${field}.type`, 'must be webauthn.get')
  if (typeof challengeText !== 'string') throw new SigningError(`${field}.challenge`, 'must be a string')
  // The chain ignores the value, but parses it as a string.
  if (typeof origin !== 'string' && origin !== undefined && origin !== null)
    throw new SigningError(`${field}.origin`, 'must be a string')
  if (!areEqual(bytesOfBase64Url(challengeText, `${field}.challenge`), challenge))
    throw new SigningError(`${field}.challenge`, 'must be the challenge of this message')
}

function requireAuthenticatorData(data: Uint8Array, domain: Domain): void {
  const field = 'authenticatorData'
  if (data.length < minAuthenticatorData)
    throw new SigningError(field, `must have at least ${minAuthenticatorData} bytes`)
  // Otherwise it could be taken for a tagged message.
  if (areEqual(data.subarray(0, 32), domainTag(domain)))
    throw new SigningError(field, 'must start with the hash of an RP id, not with a domain tag')
  const set = data[32] ?? 0
  const has = (flag: number): boolean => (set & flag) !== 0
  if (!has(flags.userPresent)) throw new SigningError(field, 'must have the flag for user presence')
  if (has(flags.backedUp) && !has(flags.backupEligible))
    throw new SigningError(field, 'must not have the flag for backup state without backup eligibility')
  if (data.length > minAuthenticatorData !== (has(flags.attestedCredential) || has(flags.extensions))) {
    throw new SigningError(field, 'must have extra data exactly if its flags say so')
  }
}

function uncompressed(publicKey: Uint8Array): Bytes {
  return publicKey.length === 64 ? concatBytes(Uint8Array.of(4), publicKey) : concatBytes(publicKey)
}
