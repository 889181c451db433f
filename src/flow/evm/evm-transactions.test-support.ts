import fc from 'fast-check'
import { encode } from 'rlp'
import type { Input } from 'rlp'
import secp256k1 from 'secp256k1'
import { keccak256 } from './keccak256.ts'
import type { EvmLog } from './evm-logs.ts'

/** A transaction to sign; each type has some of these fields. */
export interface Unsigned {
  readonly type: 0 | 1 | 2 | 4
  /** Undefined: valid on any chain; type 0 only. */
  readonly chainId: bigint | undefined
  readonly nonce: bigint
  /** Types 2 and 4: maximum priority fee. */
  readonly gasPrice: bigint
  readonly maxFeePerGas: bigint
  readonly gasLimit: bigint
  /** 40 hex digits. */
  readonly to: string | undefined
  readonly value: bigint
  readonly input: Uint8Array
  readonly accessList: ReadonlyArray<{ readonly address: string; readonly storageKeys: readonly string[] }>
  readonly authorizations: ReadonlyArray<{ readonly chainId: bigint; readonly address: string; readonly nonce: bigint }>
}

/** A direct call. */
export interface UnsignedCall {
  readonly subtype: number
  readonly from: string
  readonly to: string
  readonly input: Uint8Array
  readonly value: bigint
  readonly gasLimit: bigint
  readonly nonce: bigint
}

const hex = (digits: string): Buffer => Buffer.from(digits, 'hex')
const bytesOf = (length: number): fc.Arbitrary<Uint8Array> => fc.uint8Array({ minLength: length, maxLength: length })
const uint = (bits: bigint): fc.Arbitrary<bigint> =>
  fc.oneof(fc.bigInt({ min: 0n, max: 300n }), fc.bigInt({ min: 0n, max: 2n ** bits - 1n }))

/** Private keys. */
export const anyKey: fc.Arbitrary<Uint8Array> = bytesOf(32).filter((bytes) => secp256k1.privateKeyVerify(bytes))
/** 40 hex digits, often with leading zeros, as in COAs. */
export const anyAddress: fc.Arbitrary<string> = fc.oneof(
  bytesOf(20).map((bytes) => Buffer.from(bytes).toString('hex')),
  fc.bigInt({ min: 1n, max: 2n ** 66n }).map((number) => number.toString(16).padStart(40, '0')),
)
/** 64 hex digits. */
export const anyWord: fc.Arbitrary<string> = bytesOf(32).map((bytes) => Buffer.from(bytes).toString('hex'))
const anyInput = fc.oneof(fc.uint8Array({ maxLength: 4 }), fc.uint8Array({ maxLength: 300 }))

export const anyUnsigned: fc.Arbitrary<Unsigned> = fc
  .record({
    type: fc.constantFrom(0, 1, 2, 4),
    chainId: fc.option(uint(64n), { nil: undefined }),
    nonce: uint(64n),
    gasPrice: uint(256n),
    maxFeePerGas: uint(256n),
    gasLimit: uint(64n),
    to: fc.option(anyAddress, { nil: undefined }),
    value: uint(256n),
    input: anyInput,
    accessList: fc.array(fc.record({ address: anyAddress, storageKeys: fc.array(anyWord, { maxLength: 3 }) }), {
      maxLength: 3,
    }),
    authorizations: fc.array(fc.record({ chainId: uint(256n), address: anyAddress, nonce: uint(64n) }), {
      maxLength: 3,
    }),
  })
  .map((tx): Unsigned => ({
    ...tx,
    chainId: tx.type === 0 ? tx.chainId : (tx.chainId ?? 747n),
    to: tx.type === 4 ? (tx.to ?? '35'.repeat(20)) : tx.to,
  }))

export const anyCall: fc.Arbitrary<UnsignedCall> = fc.record({
  subtype: fc.integer({ min: 1, max: 5 }),
  from: anyAddress,
  to: fc.oneof(anyAddress, fc.constant('0'.repeat(40))),
  input: anyInput,
  value: uint(256n),
  gasLimit: uint(64n),
  nonce: uint(64n),
})

export const anyLog: fc.Arbitrary<EvmLog> = fc.record({
  address: anyAddress,
  topics: fc.array(anyWord, { maxLength: 4 }),
  data: fc.uint8Array({ maxLength: 100 }),
})

/** 40 hex digits. */
export function addressOf(key: Uint8Array): string {
  const publicKey = secp256k1.publicKeyCreate(key, false)
  return keccak256(publicKey.subarray(1)).toString('hex', 12)
}

export function signedPayload(tx: Unsigned, key: Uint8Array): Buffer {
  const unsigned = unsignedFields(tx)
  if (tx.type === 0) {
    const protection = tx.chainId === undefined ? [] : [tx.chainId, '', '']
    const { parity, r, s } = sign(Buffer.from(encode([...unsigned, ...protection])), key)
    const v = tx.chainId === undefined ? 27n + parity : 35n + 2n * tx.chainId + parity
    return Buffer.from(encode([...unsigned, v, r, s]))
  }
  const type = Buffer.of(tx.type)
  const { parity, r, s } = sign(Buffer.concat([type, encode(unsigned)]), key)
  return Buffer.concat([type, encode([...unsigned, parity, r, s])])
}

export function callPayload({ subtype, from, to, input, value, gasLimit, nonce }: UnsignedCall): Buffer {
  return Buffer.concat([Buffer.of(0xff), encode([255, subtype, hex(from), hex(to), input, value, gasLimit, nonce])])
}

/** As of a legacy transaction without a price. */
export function callHash({ subtype, from, to, input, value, gasLimit, nonce }: UnsignedCall): string {
  const receiver = BigInt(`0x${to}`) === 0n ? '' : hex(to)
  const legacy = [nonce, 0n, gasLimit, receiver, value, input, 255n, BigInt(`0x${from}`), BigInt(subtype)]
  return keccak256(encode(legacy)).toString('hex')
}

export function logsPayload(logs: readonly EvmLog[]): Buffer {
  return Buffer.from(encode(logs.map(({ address, topics, data }) => [hex(address), topics.map(hex), data])))
}

function unsignedFields(tx: Unsigned): Input[] {
  const { type, chainId, nonce, gasPrice, maxFeePerGas, gasLimit, value, input } = tx
  const prices = type <= 1 ? [gasPrice] : [gasPrice, maxFeePerGas]
  const common = [nonce, ...prices, gasLimit, tx.to === undefined ? '' : hex(tx.to), value, input]
  if (type === 0) return common
  const accessList = tx.accessList.map(({ address, storageKeys }) => [hex(address), storageKeys.map(hex)])
  const authorizations = tx.authorizations.map((one) => [one.chainId, hex(one.address), one.nonce, 1, 2, 3])
  return [chainId, ...common, accessList, ...(type === 4 ? [authorizations] : [])]
}

function sign(message: Buffer, key: Uint8Array): { parity: bigint; r: bigint; s: bigint } {
  const { signature, recid } = secp256k1.ecdsaSign(keccak256(message), key)
  const part = (from: number): bigint => BigInt(`0x${Buffer.from(signature.subarray(from, from + 32)).toString('hex')}`)
  return { parity: BigInt(recid), r: part(0), s: part(32) }
}
