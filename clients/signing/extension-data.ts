import { decode, encode } from 'rlp'
import { joined } from './bytes.ts'
import type { Bytes } from './bytes.ts'
import { SigningError } from './signing-error.ts'

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
