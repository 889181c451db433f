import { RetryableError } from '../../platform/errors.ts'
import type { EventTypeCache } from './read-results.ts'

/**
 * Not a valid protobuf message, or lacks a required part. Another node may respond correctly.
 * `details.offset` is in bytes.
 */
export class WireError extends RetryableError {
  constructor(message: string, offset: number) {
    super('wire-malformed', `malformed response at byte ${offset}: ${message}`, { details: { offset } })
  }
}

export type Mutable<T> = { -readonly [K in keyof T]: T[K] extends readonly (infer E)[] ? E[] : T[K] }

export const noBytes: Buffer = Buffer.alloc(0)

/** Flow's messages have no groups. */
const maxGroupDepth = 32

/**
 * Reads protobuf's wire format in place. Loop over `position < limit` and switch over the `tag`
 * including the wire type. Errors are WireErrors, and every step advances.
 */
export class WireReader {
  readonly bytes: Buffer
  position = 0
  /** End of the current message, exclusive. */
  limit: number
  /** Halves of the last varint, as signed 32-bit integers. */
  #low = 0
  #high = 0

  constructor(bytes: Buffer) {
    this.bytes = bytes
    this.limit = bytes.length
  }

  fail(message: string): never {
    throw new WireError(message, this.position)
  }

  /** Field number times 8 plus wire type. */
  tag(): number {
    if (this.position < this.limit) {
      const first = this.bytes[this.position] as number
      if (first < 0x80 && first > 7) {
        this.position++
        return first
      }
    }
    this.#varint()
    const tag = this.#low >>> 0
    if (tag < 8) this.fail('field number 0')
    return tag
  }

  /** Truncates to 32 bits, as protobuf requires. */
  uint32(): number {
    this.#varint()
    return this.#low >>> 0
  }

  int32(): number {
    this.#varint()
    return this.#low
  }

  uint64(): bigint {
    this.#varint()
    const high = this.#high >>> 0
    const low = this.#low >>> 0
    return high < 0x20_0000 ? BigInt(high * 0x1_0000_0000 + low) : (BigInt(high) << 32n) | BigInt(low)
  }

  /** A uint64 below 2^53; larger values are errors. */
  count(): number {
    this.#varint()
    const high = this.#high >>> 0
    if (high >= 0x20_0000) this.fail('number above 2^53')
    return high * 0x1_0000_0000 + (this.#low >>> 0)
  }

  /** An int64 within ±2^53; others are errors. */
  signedCount(): number {
    this.#varint()
    const value = this.#high * 0x1_0000_0000 + (this.#low >>> 0)
    if (!Number.isSafeInteger(value)) this.fail('number beyond 2^53')
    return value
  }

  view(): Buffer {
    const end = this.#end()
    if (end === this.position) return noBytes
    const view = this.bytes.subarray(this.position, end)
    this.position = end
    return view
  }

  /** Invalid UTF-8 becomes U+FFFD. */
  string(): string {
    const end = this.#end()
    if (end === this.position) return ''
    const text = this.bytes.toString('utf8', this.position, end)
    this.position = end
    return text
  }

  cachedString(cache: EventTypeCache): string {
    const end = this.#end()
    const text = cache.text(this.bytes, this.position, end)
    this.position = end
    return text
  }

  /**
   * Narrows `limit` to a message field and returns the outer limit, which the caller must restore.
   */
  enter(): number {
    const end = this.#end()
    const outer = this.limit
    this.limit = end
    return outer
  }

  skip(tag: number): void {
    switch (tag & 7) {
      case 0:
        return this.#varint()
      case 1:
        return this.#advance(8)
      case 2:
        this.position = this.#end()
        return
      case 3:
        return this.#skipGroup(tag)
      case 5:
        return this.#advance(4)
      default:
        this.fail(`wire type ${tag & 7}`)
    }
  }

  #skipGroup(start: number): void {
    const open = [start]
    while (open.length > 0) {
      const tag = this.tag()
      if ((tag & 7) === 3) {
        open.push(tag)
        if (open.length > maxGroupDepth) this.fail('groups nested too deep')
      } else if ((tag & 7) === 4) {
        if (open.pop() !== tag - 1) this.fail('end of a group that was not started')
      } else this.skip(tag)
    }
  }

  #advance(count: number): void {
    if (count > this.limit - this.position) this.fail('field longer than its message')
    this.position += count
  }

  /** Returns the end of the field. */
  #end(): number {
    if (this.position < this.limit) {
      const first = this.bytes[this.position] as number
      if (first < 0x80) {
        const end = this.position + 1 + first
        if (end > this.limit) this.fail('field longer than its message')
        this.position++
        return end
      }
    }
    const length = this.count()
    if (length > this.limit - this.position) this.fail('field longer than its message')
    return this.position + length
  }

  #varint(): void {
    const bytes = this.bytes
    const limit = this.limit
    let position = this.position
    let low = 0
    let high = 0
    for (let i = 0; i < 10; i++) {
      if (position >= limit) this.fail('message ends within a number')
      const byte = bytes[position++] as number
      const bits = byte & 0x7f
      if (i < 4) low |= bits << (7 * i)
      else if (i === 4) {
        low |= bits << 28
        high = bits >>> 4
      } else high |= bits << (7 * i - 32)
      if (byte < 0x80) {
        this.position = position
        this.#low = low
        this.#high = high
        return
      }
    }
    this.fail('number longer than 10 bytes')
  }
}
