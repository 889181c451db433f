import secp256k1 from 'secp256k1'
import { keccak256 } from './keccak256.ts'

export interface EvmSignature {
  /** 32 bytes. */
  readonly signingHash: Buffer
  /** Up to 32 bytes without leading zeros, like `s`. */
  readonly r: Uint8Array
  readonly s: Uint8Array
  /** Selects one of the two points with the coordinate `r`. */
  readonly parity: 0 | 1
}

const halfOrder = Buffer.from('7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0', 'hex')
const signature = Buffer.alloc(64)

/**
 * 40 hex digits; undefined for an invalid signature: `r` or `s` out of range, or the larger of the
 * two possible `s`, invalid since Homestead (EIP-2).
 */
export function recoverSender({ signingHash, r, s, parity }: EvmSignature): string | undefined {
  signature.fill(0)
  signature.set(r, 32 - r.length)
  signature.set(s, 64 - s.length)
  if (signature.compare(halfOrder, 0, 32, 32, 64) > 0) return undefined
  const publicKey = publicKeyOf(signingHash, parity)
  return publicKey === undefined ? undefined : keccak256(publicKey.subarray(1)).toString('hex', 12)
}

function publicKeyOf(signingHash: Buffer, parity: 0 | 1): Uint8Array | undefined {
  try {
    return secp256k1.ecdsaRecover(signature, parity, signingHash, false)
  } catch {
    // It throws only for `r` or `s` that is 0 or above the order, or `r` that is on no point.
    return undefined
  }
}
