import { concatBytes } from './bytes.ts'
import type { Bytes } from './bytes.ts'
import { SigningError } from './signing-error.ts'

/** SubjectPublicKeyInfo prefix of an uncompressed P-256 point. */
const spkiHead = Uint8Array.of(
  0x30,
  0x59,
  0x30,
  0x13,
  0x06,
  0x07,
  0x2a,
  0x86,
  0x48,
  0xce,
  0x3d,
  0x02,
  0x01,
  0x06,
  0x08,
  0x2a,
  0x86,
  0x48,
  0xce,
  0x3d,
  0x03,
  0x01,
  0x07,
  0x03,
  0x42,
  0x00,
)

/**
 * The account key of a passkey: x and y, 64 bytes. @param spki `getPublicKey()` of a registration
 * @throws SigningError for keys that Flow accounts do not support, such as RSA
 */
export function accountKeyOf(spki: Uint8Array): Bytes {
  const head = spki.subarray(0, spkiHead.length)
  const point = spki.subarray(spkiHead.length)
  if (!head.every((byte, at) => byte === spkiHead[at]) || point.length !== 65 || point[0] !== 4) {
    throw new SigningError('publicKey', 'must be an ES256 key: an uncompressed P-256 point')
  }
  return concatBytes(point.subarray(1))
}
