import secp256k1 from 'secp256k1'
import { keccak256 } from '../../../src/flow/evm/keccak256.ts'
import { encodeRlp, rlpHash } from './evm-encoding.ts'
import type { RlpItem } from './evm-encoding.ts'
import { evmAddressLength } from './evm-world.ts'

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

/** A transaction to be signed. Amounts are in attoflow, prices in attoflow per gas. */
export interface UnsignedTransaction {
  /** 0 legacy (EIP-155), 1 with access list (EIP-2930), 2 with fee caps (EIP-1559). */
  readonly type: 0 | 1 | 2
  readonly chainId: number
  readonly nonce: number
  /** Of type 2 also the most that is paid. */
  readonly gasPrice: number | bigint
  readonly gasLimit: number
  /** 20 bytes; undefined where it creates a contract. */
  readonly to: Buffer | undefined
  readonly value: bigint
  readonly input: Buffer
}

/** What a direct call is for, by its number. Source: onflow/flow-go `fvm/evm/types/call.go`. */
export const directCallKinds = { deposit: 1, withdraw: 2, transfer: 3, deploy: 4, call: 5 } as const

/** A call that Cadence makes, without a signature. */
export interface DirectCall {
  readonly kind: keyof typeof directCallKinds
  /** 20 bytes each. */
  readonly from: Buffer
  /** Undefined where it creates a contract at an address that follows from the nonce. */
  readonly to: Buffer | undefined
  readonly input: Buffer
  readonly value: bigint
  readonly gasLimit: number
  readonly nonce: number
}

/** What the EVM is given to run, and its hash. */
export interface EvmPayload {
  readonly type: number
  readonly bytes: Buffer
  readonly hash: Buffer
}

/** The type of direct calls. */
export const directCallType = 255
const noAddress = Buffer.alloc(evmAddressLength)
const noBytes = Buffer.alloc(0)

/** @param privateKey 32 bytes of secp256k1, known to everybody; the signature follows from it and the transaction alone */
export function signedPayload(transaction: UnsignedTransaction, privateKey: Uint8Array): EvmPayload {
  const { type, chainId, nonce, gasPrice, gasLimit, to, value, input } = transaction
  const prices = type === 2 ? [gasPrice, gasPrice] : [gasPrice]
  const common: RlpItem[] = [nonce, ...prices, gasLimit, to ?? noBytes, value, input]
  if (type === 0) {
    const { parity, r, s } = sign(encodeRlp([...common, chainId, 0, 0]), privateKey)
    return payloadOf(type, encodeRlp([...common, 35 + 2 * chainId + parity, r, s]))
  }
  const fields = [chainId, ...common, []]
  const { parity, r, s } = sign(encodeRlp(fields, type), privateKey)
  return payloadOf(type, encodeRlp([...fields, parity, r, s], type))
}

/** Its hash is that of a legacy transaction without a price and with the call's sender and kind as its signature. */
export function directCallPayload({ kind, from, to, input, value, gasLimit, nonce }: DirectCall): EvmPayload {
  const number = directCallKinds[kind]
  const fields = [directCallType, number, from, to ?? noAddress, input, value, gasLimit, nonce]
  const legacy = [nonce, 0, gasLimit, to ?? noBytes, value, input, directCallType, withoutZeros(from), number]
  return { type: directCallType, bytes: encodeRlp(fields, directCallType), hash: rlpHash(legacy) }
}

function payloadOf(type: number, bytes: Buffer): EvmPayload {
  return { type, bytes, hash: keccak256(bytes) }
}

function sign(message: Uint8Array, privateKey: Uint8Array): { parity: number; r: Uint8Array; s: Uint8Array } {
  const { parity, r, s } = signRecoverably(keccak256(message), privateKey)
  return { parity, r: withoutZeros(r), s: withoutZeros(s) }
}

/** The bytes of an unsigned integer as RLP has them. */
function withoutZeros(bytes: Uint8Array): Uint8Array {
  let first = 0
  while (first < bytes.length && bytes[first] === 0) first++
  return bytes.subarray(first)
}
