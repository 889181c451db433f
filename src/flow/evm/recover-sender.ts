import secp256k1 from 'secp256k1'
import { keccak256 } from './keccak256.ts'

/** Who signed what, with the curve secp256k1. */
export interface EvmSignature {
  /** Of what was signed, 32 bytes. */
  readonly signingHash: Buffer
  /** Up to 32 bytes without leading zeros, like `s`. */
  readonly r: Uint8Array
  readonly s: Uint8Array
  /** Which of the two points with the coordinate `r` it is. */
  readonly parity: 0 | 1
}

/** Half of the order of the curve, rounded down. */
const halfOrder = Buffer.from('7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0', 'hex')
const signature = Buffer.alloc(64)

/**
 * The address, 40 hex digits, of who signed; undefined where nobody can have: `r` or `s` is out of range, or `s` is the
 * larger one of the two that fit, which Ethereum takes for invalid since Homestead (EIP-2).
 */
export function recoverSender({ signingHash, r, s, parity }: EvmSignature): string | undefined {
  signature.fill(0)
  signature.set(r, 32 - r.length)
  signature.set(s, 64 - s.length)
  if (signature.compare(halfOrder, 0, 32, 32, 64) > 0) return undefined
  const publicKey = publicKeyOf(signingHash, parity)
  return publicKey === undefined ? undefined : keccak256(publicKey.subarray(1)).toString('hex', 12)
}

/** 65 bytes, the first of which says that it is not compressed. */
function publicKeyOf(signingHash: Buffer, parity: 0 | 1): Uint8Array | undefined {
  try {
    return secp256k1.ecdsaRecover(signature, parity, signingHash, false)
  } catch {
    // Its only complaint about 64 and 32 bytes: `r` or `s` is 0 or over the order, or `r` is on no point of the curve.
    return undefined
  }
}
