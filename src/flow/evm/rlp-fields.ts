import { decode } from 'rlp'
import type { NestedUint8Array } from 'rlp'
import { asError } from '../../platform/errors.ts'
import { EvmPayloadError } from './evm-payload.ts'

export type RlpList = NestedUint8Array

const uint256Bytes = 32

/**
 * Byte strings are views of `bytes`.
 *
 * @throws EvmPayloadError unless the bytes are exactly one list
 */
export function decodeRlpList(bytes: Buffer): RlpList {
  let decoded: Uint8Array | NestedUint8Array
  try {
    decoded = decode(bytes)
  } catch (error) {
    // Deep nesting overflows the package's recursion.
    throw new EvmPayloadError(asError(error).message, { cause: error })
  }
  if (!Array.isArray(decoded)) throw new EvmPayloadError('not an RLP list')
  return decoded
}

/** In order, by expected type. @throws EvmPayloadError */
export class RlpFields {
  readonly #list: RlpList
  readonly #names: readonly string[]
  #next = 0

  /** @param names for messages; the count must match */
  constructor(list: RlpList, names: readonly string[]) {
    if (list.length !== names.length) {
      throw new EvmPayloadError(`the list has ${list.length} fields, expected ${names.length}`)
    }
    this.#list = list
    this.#names = names
  }

  bytes(): Uint8Array {
    const field = this.#field()
    if (Array.isArray(field)) throw this.#unexpected('a byte string')
    return field
  }

  list(): RlpList {
    const field = this.#field()
    if (!Array.isArray(field)) throw this.#unexpected('a list')
    return field
  }

  /** 40 hex digits. */
  address(): string {
    const bytes = this.bytes()
    if (bytes.length !== 20) throw this.#unexpected('an address')
    return hexOf(bytes)
  }

  /** Undefined if empty, as for contract creation. */
  optionalAddress(): string | undefined {
    const bytes = this.bytes()
    if (bytes.length === 0) return undefined
    if (bytes.length !== 20) throw this.#unexpected('an address or empty')
    return hexOf(bytes)
  }

  uint(maxBytes = uint256Bytes): string {
    return uintText(this.uintBytes(maxBytes))
  }

  uint64(): string {
    return this.uint(8)
  }

  /** Without leading zeros, as RLP requires. */
  uintBytes(maxBytes = uint256Bytes): Uint8Array {
    const bytes = this.bytes()
    if (bytes.length > maxBytes || bytes[0] === 0) throw this.#unexpected('an unsigned integer')
    return bytes
  }

  #field(): Uint8Array | RlpList {
    const field = this.#list[this.#next++]
    if (field === undefined) throw new EvmPayloadError('the list has too few fields')
    return field
  }

  #unexpected(expected: string): EvmPayloadError {
    return new EvmPayloadError(`field ${this.#names[this.#next - 1] ?? ''} is not ${expected}`)
  }
}

export function hexOf(bytes: Uint8Array): string {
  return (Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes)).toString('hex')
}

/** Big-endian, any length. */
export function uintText(bytes: Uint8Array): string {
  if (bytes.length === 0) return '0'
  if (bytes.length > 6) return BigInt(`0x${hexOf(bytes)}`).toString()
  let value = 0
  for (const byte of bytes) value = value * 256 + byte
  return String(value)
}
