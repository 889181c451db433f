import { keccak256 } from '../../../src/flow/evm/keccak256.ts'
import { encodeRlp, rlpHash } from './encode-rlp.ts'
import type { RlpItem } from './encode-rlp.ts'
import { evmAddressLength } from './evm-address.ts'
import { signRecoverably } from './recoverable-signature.ts'

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
