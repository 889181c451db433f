import secp256k1 from 'secp256k1'
import { keccak256 } from '../../../src/flow/evm/keccak256.ts'
import { encodeRlp, rlpHash } from './evm-encoding.ts'
import type { RlpItem } from './evm-encoding.ts'
import { evmAddressLength } from './evm-world.ts'

interface RecoverableSignature {
  /** Parity of the nonce point's y coordinate: 0 or 1. */
  readonly parity: number
  /** 32 bytes, big endian. */
  readonly r: Buffer
  /** In the lower half of the order (EIP-2). */
  readonly s: Buffer
}

interface Nonce {
  readonly inverse: bigint
  readonly r: bigint
  readonly rBytes: Buffer
  readonly parity: number
}

const order = 0xffff_ffff_ffff_ffff_ffff_ffff_ffff_fffe_baae_dce6_af48_a03b_bfd2_5e8c_d036_4141n
const scalarBytes = 32
/** A power of two: the last bits of a hash select the nonce. */
const nonceCount = 64

const nonces: Array<Nonce | undefined> = Array.from({ length: nonceCount }, () => undefined)

/**
 * **Only for published keys.** Nonces come from a small table, ten times as fast as the library;
 * two signatures with one nonce reveal the key. Source: SEC 1, 4.1.3 and 4.1.6.
 *
 * @param hash 32 bytes
 *
 * @param privateKey 32 bytes
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

/** The order is prime: exponent `order - 2` gives the inverse. */
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

/** Amounts are in attoflow, prices in attoflow per gas. */
interface UnsignedTransaction {
  /** 0 legacy (EIP-155), 1 with access list (EIP-2930), 2 with fee caps (EIP-1559). */
  readonly type: 0 | 1 | 2
  readonly chainId: number
  readonly nonce: number
  /** Of type 2 also the fee cap. */
  readonly gasPrice: number | bigint
  readonly gasLimit: number
  /** 20 bytes; undefined to create a contract. */
  readonly to: Buffer | undefined
  readonly value: bigint
  readonly input: Buffer
}

/** Source: onflow/flow-go `fvm/evm/types/call.go`. */
const directCallKinds = { deposit: 1, withdraw: 2, transfer: 3, deploy: 4, call: 5 } as const

export interface DirectCall {
  readonly kind: keyof typeof directCallKinds
  /** 20 bytes each. */
  readonly from: Buffer
  /** Undefined to create a contract. */
  readonly to: Buffer | undefined
  readonly input: Buffer
  readonly value: bigint
  readonly gasLimit: number
  readonly nonce: number
}

export interface EvmPayload {
  readonly type: number
  readonly bytes: Buffer
  readonly hash: Buffer
}

export const directCallType = 255
const noAddress = Buffer.alloc(evmAddressLength)
const noBytes = Buffer.alloc(0)

/** @param privateKey published; the signature is deterministic */
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

/** The hash is that of a legacy transaction with sender and kind as signature. */
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

/** RLP integers have no leading zeros. */
function withoutZeros(bytes: Uint8Array): Uint8Array {
  let first = 0
  while (first < bytes.length && bytes[first] === 0) first++
  return bytes.subarray(first)
}
