import { RetryableError } from '../../platform/errors.ts'
import type { EventTypeCache } from './read-results.ts'

/**
 * An answer that is no valid protobuf message, or lacks what it must have. It is the node's fault: another node may
 * answer better, so it can be retried. `details.offset` is where in the answer reading stopped, in bytes.
 */
export class WireError extends RetryableError {
  constructor(message: string, offset: number) {
    super('wire-malformed', `malformed answer at byte ${offset}: ${message}`, { details: { offset } })
  }
}

/** A message while it is being read. */
export type Mutable<T> = { -readonly [K in keyof T]: T[K] extends readonly (infer E)[] ? E[] : T[K] }

/** Shared by every empty byte field. */
export const noBytes: Buffer = Buffer.alloc(0)

/** Deeper nesting of groups than this is taken for garbage; Flow's messages have no groups at all. */
const maxGroupDepth = 32

/**
 * Reads protobuf's wire format in place. A message is read by a loop over `position < limit` that takes a `tag` and
 * switches over it as a whole, wire type included, so that a field of an unexpected wire type is skipped like an
 * unknown one. Every fault is a WireError, and every step moves forward, so reading ends for any input.
 */
export class WireReader {
  readonly bytes: Buffer
  position = 0
  /** End of the message that is being read, exclusive. */
  limit: number
  /** The halves of the varint read last, both as signed 32-bit integers. */
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

  /** A uint32; more bits than 32 are dropped, as protobuf asks. */
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

  /** A uint64 that is a number of things and therefore below 2^53; what is above is refused. */
  count(): number {
    this.#varint()
    const high = this.#high >>> 0
    if (high >= 0x20_0000) this.fail('number above 2^53')
    return high * 0x1_0000_0000 + (this.#low >>> 0)
  }

  /** An int64 within ±2^53; what is outside is refused. */
  signedCount(): number {
    this.#varint()
    const value = this.#high * 0x1_0000_0000 + (this.#low >>> 0)
    if (!Number.isSafeInteger(value)) this.fail('number beyond 2^53')
    return value
  }

  /** A view of a bytes field, not a copy. */
  view(): Buffer {
    const end = this.#end()
    if (end === this.position) return noBytes
    const view = this.bytes.subarray(this.position, end)
    this.position = end
    return view
  }

  /** A string field; what is no UTF-8 becomes U+FFFD. */
  string(): string {
    const end = this.#end()
    if (end === this.position) return ''
    const text = this.bytes.toString('utf8', this.position, end)
    this.position = end
    return text
  }

  /** A string field out of a small set, such as an event type. */
  cachedString(cache: EventTypeCache): string {
    const end = this.#end()
    const text = cache.text(this.bytes, this.position, end)
    this.position = end
    return text
  }

  /** Steps into a message field and narrows `limit` to it. Returns the outer limit, which the caller puts back. */
  enter(): number {
    const end = this.#end()
    const outer = this.limit
    this.limit = end
    return outer
  }

  /** Steps over the value of a field that nobody asked for. */
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
        if (open.pop() !== tag - 1) this.fail('group ends that was not open')
      } else this.skip(tag)
    }
  }

  #advance(count: number): void {
    if (count > this.limit - this.position) this.fail('field longer than its message')
    this.position += count
  }

  /** Reads a length and returns where the field ends. */
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
