import { concatBytes } from './bytes.ts'
import type { Bytes } from './bytes.ts'
import { decodeRlpStrings, encodeRlp } from './rlp.ts'
import { SigningError } from './signing-error.ts'

const half = 32
const field = 'assertion.signature'

/**
 * From DER to r and s, 64 bytes. `s` is not normalised: the chain accepts both. @throws
 * SigningError unless it is exactly a sequence of two integers
 */
export function rawSignatureOf(der: Uint8Array): Bytes {
  if (der[0] !== 0x30 || der[1] !== der.length - 2) throw new SigningError(field, 'must be one DER sequence')
  const r = integerAt(der, 2)
  const s = integerAt(der, r.end)
  if (s.end !== der.length) throw new SigningError(field, 'must end after its two integers')
  return concatBytes(r.value, s.value)
}

function integerAt(der: Uint8Array, at: number): { readonly value: Bytes; readonly end: number } {
  const length = der[at + 1] ?? 0
  const end = at + 2 + length
  const bytes = der.subarray(at + 2, end)
  if (der[at] !== 0x02 || length === 0 || bytes.length !== length)
    throw new SigningError(field, 'must contain two DER integers')
  const [first = 0, second = 0] = bytes
  if (first >= 0x80) throw new SigningError(field, 'must contain positive integers')
  if (first === 0 && length > 1 && second < 0x80)
    throw new SigningError(field, 'must contain integers without leading zeros')
  const digits = first === 0 ? bytes.subarray(1) : bytes
  if (digits.length > half) throw new SigningError(field, `must contain integers of at most ${half} bytes`)
  return { value: concatBytes(new Uint8Array(half - digits.length), digits), end }
}

/** Scheme byte of passkeys in extension data (FLIP-264). */
const webAuthnScheme = 1

/** Byte for byte: browsers add fields to the client data. */
export interface SignedData {
  readonly authenticatorData: Uint8Array
  readonly clientDataJson: Uint8Array
}

/** 0x01 and RLP of both. */
export function encodeExtensionData({ authenticatorData, clientDataJson }: SignedData): Bytes {
  return concatBytes(Uint8Array.of(webAuthnScheme), encodeRlp([authenticatorData, clientDataJson]))
}

/** @throws SigningError for another scheme, and for anything but one list of two strings */
export function decodeExtensionData(extensionData: Uint8Array): SignedData {
  const field = 'extensionData'
  if (extensionData[0] !== webAuthnScheme) throw new SigningError(field, 'must start with 0x01, the passkey scheme')
  const [authenticatorData, clientDataJson, ...more] = decodeRlpStrings(extensionData.subarray(1)) ?? []
  if (authenticatorData === undefined || clientDataJson === undefined || more.length > 0)
    throw new SigningError(field, 'must be RLP after its first byte: a list of authenticator data and client data')
  return { authenticatorData, clientDataJson }
}
