import { createPublicKey } from 'node:crypto'
import { VerificationFailure } from './verification-failure.ts'

/** Labels of COSE: kind of key, algorithm, curve, coordinates. */
const labels = { kty: 1, alg: 3, crv: -1, x: -2, y: -3 } as const
const ec2 = 2
export const es256 = -7
const p256 = 1

/**
 * The key of a passkey as accounts on the chain have it: 04, x and y.
 * @param cose the key, decoded: a map of COSE
 * @throws VerificationFailure for keys of other algorithms, and for what is no point of the curve
 */
export function sec1KeyOf(cose: ReadonlyMap<unknown, unknown>): Buffer {
  if (cose.get(labels.kty) !== ec2 || cose.get(labels.alg) !== es256 || cose.get(labels.crv) !== p256)
    throw new VerificationFailure('algorithm')
  const [x, y] = [cose.get(labels.x), cose.get(labels.y)]
  if (!(x instanceof Uint8Array) || !(y instanceof Uint8Array) || x.length !== 32 || y.length !== 32)
    throw new VerificationFailure('public-key')
  const coordinate = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url')
  try {
    // Fails for what is not on the curve.
    createPublicKey({ key: { kty: 'EC', crv: 'P-256', x: coordinate(x), y: coordinate(y) }, format: 'jwk' })
  } catch (error) {
    throw new VerificationFailure('public-key', { cause: error })
  }
  return Buffer.concat([Buffer.of(4), x, y])
}
