import secp256k1 from 'secp256k1'
import { keccak256 } from '../../../src/flow/evm/keccak256.ts'

/** A signature of secp256k1 that tells who signed. */
export interface RecoverableSignature {
  /** Of the y coordinate of the nonce's point: 0 or 1. */
  readonly parity: number
  /** 32 bytes, big endian. */
  readonly r: Buffer
  /** 32 bytes, big endian, in the lower half as Ethereum demands since Homestead. */
  readonly s: Buffer
}

/** A nonce, and what of it a signature needs. */
interface Nonce {
  readonly inverse: bigint
  readonly r: bigint
  readonly rBytes: Buffer
  readonly parity: number
}

/** How many points the curve has. */
const order = 0xffff_ffff_ffff_ffff_ffff_ffff_ffff_fffe_baae_dce6_af48_a03b_bfd2_5e8c_d036_4141n
const scalarBytes = 32
/** A power of two: which nonce a message gets is told by the last bits of its hash. */
const nonceCount = 64

const nonces: Array<Nonce | undefined> = Array.from({ length: nonceCount }, () => undefined)

/**
 * Signs the hash of a message; the same hash and key give the same signature.
 *
 * **For keys that everybody knows only.** Nonces come from a small table, so that their points are computed once, which makes
 * it ten times as fast as the library; two signatures with one nonce give the key away. The keys of the simulated EVM follow
 * from their numbers, so there is nothing to give away, and whoever checks a signature finds nothing wrong with it.
 * Source: SEC 1, 4.1.3 and 4.1.6.
 * @param hash 32 bytes @param privateKey 32 bytes
 */
export function signRecoverably(hash: Uint8Array, privateKey: Uint8Array): RecoverableSignature {
  const { inverse, r, rBytes, parity } = nonceOf((hash[scalarBytes - 1] as number) % nonceCount)
  const s = (inverse * (toScalar(hash) + r * toScalar(privateKey))) % order
  return s > order / 2n
    ? { parity: 1 - parity, r: rBytes, s: toBytes(order - s) }
    : { parity, r: rBytes, s: toBytes(s) }
}

function nonceOf(index: number): Nonce {
  return (nonces[index] ??= makeNonce(keccak256(Buffer.from(`a nonce of the simulated EVM: ${index}`))))
}

function makeNonce(secret: Buffer): Nonce {
  const point = Buffer.from(secp256k1.publicKeyCreate(secret, false))
  const rBytes = point.subarray(1, 1 + scalarBytes)
  return {
    inverse: power(toScalar(secret) % order, order - 2n),
    r: toScalar(rBytes),
    rBytes,
    parity: (point.at(-1) as number) % 2,
  }
}

/** By squaring; with the order less two as exponent it is the inverse, since the order is a prime. */
function power(base: bigint, exponent: bigint): bigint {
  let [result, square] = [1n, base]
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if ((rest & 1n) === 1n) result = (result * square) % order
    square = (square * square) % order
  }
  return result
}

function toScalar({ buffer, byteOffset, byteLength }: Uint8Array): bigint {
  return BigInt(`0x${Buffer.from(buffer, byteOffset, byteLength).toString('hex')}`)
}

function toBytes(scalar: bigint): Buffer {
  return Buffer.from(scalar.toString(16).padStart(2 * scalarBytes, '0'), 'hex')
}
