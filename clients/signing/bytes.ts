import { SigningError } from './signing-error.ts'

/** WebCrypto does not accept shared memory. */
export type Bytes = Uint8Array<ArrayBuffer>

/** @throws SigningError unless the text is hex of whole bytes, with or without 0x */
export function bytesOfHex(text: string, field: string): Bytes {
  const digits = text.replace(/^0x/i, '')
  if (digits.length % 2 !== 0 || !/^[0-9a-f]*$/i.test(digits))
    throw new SigningError(field, 'must be hex with two digits per byte')
  return Uint8Array.from({ length: digits.length / 2 }, (_, at) =>
    Number.parseInt(digits.slice(2 * at, 2 * at + 2), 16),
  )
}

/** Lower case, without 0x. */
export function hexOf(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** Without padding. */
export function base64UrlOf(bytes: Uint8Array): string {
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
}

/** @throws SigningError for anything but base64url without padding */
export function bytesOfBase64Url(text: string, field: string): Bytes {
  if (!/^[\w-]*$/.test(text) || text.length % 4 === 1)
    throw new SigningError(field, 'must be base64url without padding')
  const bytes = Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (character) =>
    character.charCodeAt(0),
  )
  // Unused bits at the end must be zero, so that the encoding is unique.
  if (base64UrlOf(bytes) !== text)
    throw new SigningError(field, 'must be canonical base64url: unused bits must be zero')
  return bytes
}

export function concatBytes(...parts: readonly Uint8Array[]): Bytes {
  const all = new Uint8Array(parts.reduce((length, part) => length + part.length, 0))
  let at = 0
  for (const part of parts) {
    all.set(part, at)
    at += part.length
  }
  return all
}

export function areEqual(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, at) => byte === other[at])
}

export async function sha256(bytes: Bytes): Promise<Bytes> {
  return new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
}
