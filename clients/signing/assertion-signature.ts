import { decode, encode } from 'rlp'
import { joined } from './bytes.ts'
import type { Bytes } from './bytes.ts'
import { SigningError } from './signing-error.ts'

const half = 32
const field = 'assertion.signature'

/**
 * Converts an authenticator's DER signature to r and s of 32 bytes each. `s` is not normalised: the chain takes both.
 * @throws SigningError unless it is exactly a sequence of two integers
 */
export function rawSignatureOf(der: Uint8Array): Bytes {
  if (der[0] !== 0x30 || der[1] !== der.length - 2) throw new SigningError(field, 'has to be one DER sequence')
  const r = integerAt(der, 2)
  const s = integerAt(der, r.end)
  if (s.end !== der.length) throw new SigningError(field, 'has to end after its two integers')
  return joined(r.value, s.value)
}

function integerAt(der: Uint8Array, at: number): { readonly value: Bytes; readonly end: number } {
  const length = der[at + 1] ?? 0
  const end = at + 2 + length
  const bytes = der.subarray(at + 2, end)
  if (der[at] !== 0x02 || length === 0 || bytes.length !== length)
    throw new SigningError(field, 'has to hold two DER integers')
  const [first = 0, second = 0] = bytes
  if (first >= 0x80) throw new SigningError(field, 'has to hold positive integers')
  if (first === 0 && length > 1 && second < 0x80)
    throw new SigningError(field, 'has to hold integers without needless zeros')
  const digits = first === 0 ? bytes.subarray(1) : bytes
  if (digits.length > half) throw new SigningError(field, `has to hold integers of at most ${half} bytes`)
  return { value: joined(new Uint8Array(half - digits.length), digits), end }
}

/** The scheme of passkeys (FLIP-264), first byte of extension data. */
const webAuthnScheme = 1

/** What an authenticator signed beside the challenge, byte for byte: browsers add to the client data as they like. */
export interface SignedData {
  readonly authenticatorData: Uint8Array
  readonly clientDataJson: Uint8Array
}

/** Extension data of a signature by a passkey: 0x01 and RLP of both. */
export function encodeExtensionData({ authenticatorData, clientDataJson }: SignedData): Bytes {
  return joined(Uint8Array.of(webAuthnScheme), encode([authenticatorData, clientDataJson]))
}

/** @throws SigningError for another scheme, and for anything but one list of two texts with nothing after it */
export function decodeExtensionData(extensionData: Uint8Array): SignedData {
  const field = 'extensionData'
  if (extensionData[0] !== webAuthnScheme)
    throw new SigningError(field, 'has to begin with 0x01, the scheme of passkeys')
  let parts: unknown
  try {
    parts = decode(extensionData.subarray(1))
  } catch (error) {
    throw new SigningError(
      field,
      `has to be RLP after its first byte (${error instanceof Error ? error.message : String(error)})`,
    )
  }
  const [authenticatorData, clientDataJson, ...more] = (Array.isArray(parts) ? parts : []) as readonly unknown[]
  if (!(authenticatorData instanceof Uint8Array) || !(clientDataJson instanceof Uint8Array) || more.length > 0) {
    throw new SigningError(field, 'has to be a list of authenticator data and client data')
  }
  return { authenticatorData, clientDataJson }
}
