import { areEqual, bytesOfBase64Url, joined, sha256 } from './bytes.ts'
import type { Bytes } from './bytes.ts'
import { challengeOf, domainTag } from './encode-transaction.ts'
import type { Domain } from './encode-transaction.ts'
import { decodeExtensionData } from './assertion-signature.ts'
import type { SignedData } from './assertion-signature.ts'
import { SigningError } from './signing-error.ts'

/** Hash of the RP id, flags, counter. */
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
  /** What was signed, without the tag. */
  readonly message: Uint8Array
  /** 64 bytes, r and s. */
  readonly signature: Uint8Array
  readonly extensionData: Uint8Array
  /** The key of the account: 65 bytes with 0x04, or the 64 after it. */
  readonly publicKey: Uint8Array
}

/**
 * Verifies a passkey signature as the chain does (FLIP-264). The chain ignores origin, user verification and counter.
 * Source: onflow/flow-go `model/flow/webauthn.go`. @throws SigningError
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
  if (signature.length !== 64) throw new SigningError('signature', 'has to be 64 bytes')
  const key = await crypto.subtle
    .importKey('raw', uncompressed(publicKey), { name: 'ECDSA', namedCurve: 'P-256' }, false, ['verify'])
    .catch(() => {
      throw new SigningError('publicKey', 'has to be a point of the curve P-256')
    })
  const bytes = joined(signed.authenticatorData, await sha256(joined(signed.clientDataJson)))
  const isGood = await crypto.subtle.verify({ name: 'ECDSA', hash: 'SHA-256' }, key, joined(signature), bytes)
  if (!isGood) throw new SigningError('signature', 'has to be one of this key over this message')
}

function requireClientData({ clientDataJson }: SignedData, challenge: Bytes): void {
  const field = 'clientDataJSON'
  let data: unknown
  try {
    data = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(clientDataJson))
  } catch {
    throw new SigningError(field, 'has to be JSON')
  }
  const {
    type,
    challenge: told,
    origin,
  } = (typeof data === 'object' && data !== null ? data : {}) as Readonly<
    Partial<Record<'type' | 'challenge' | 'origin', unknown>>
  >
  if (type !== 'webauthn.get') throw new SigningError(`${field}.type`, 'has to be webauthn.get')
  if (typeof told !== 'string') throw new SigningError(`${field}.challenge`, 'has to be a text')
  // Which one it is the chain does not ask, but it reads it as a text.
  if (typeof origin !== 'string' && origin !== undefined && origin !== null)
    throw new SigningError(`${field}.origin`, 'has to be a text')
  if (!areEqual(bytesOfBase64Url(told, `${field}.challenge`), challenge))
    throw new SigningError(`${field}.challenge`, 'has to be that of this message')
}

function requireAuthenticatorData(data: Uint8Array, domain: Domain): void {
  const field = 'authenticatorData'
  if (data.length < minAuthenticatorData)
    throw new SigningError(field, `has to have at least ${minAuthenticatorData} bytes`)
  // What begins like a tagged message could be taken for one.
  if (areEqual(data.subarray(0, 32), domainTag(domain)))
    throw new SigningError(field, 'has to begin with the hash of an RP id, and not with a domain tag')
  const set = data[32] ?? 0
  const has = (flag: number): boolean => (set & flag) !== 0
  if (!has(flags.userPresent)) throw new SigningError(field, 'has to say that the user was present')
  if (has(flags.backedUp) && !has(flags.backupEligible))
    throw new SigningError(field, 'has to say that what is backed up may be backed up')
  if (data.length > minAuthenticatorData !== (has(flags.attestedCredential) || has(flags.extensions))) {
    throw new SigningError(field, 'has to have more than its head just where its flags say so')
  }
}

function uncompressed(publicKey: Uint8Array): Bytes {
  return publicKey.length === 64 ? joined(Uint8Array.of(4), publicKey) : joined(publicKey)
}
