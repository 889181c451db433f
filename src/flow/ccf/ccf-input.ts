import { PayloadError, payloadLimits } from '../payload-value.ts'
import type { PayloadErrorCode } from '../payload-value.ts'

/** RFC 8949 §3.1. Maps, floats and indefinite lengths do not occur. */
export const major = { unsigned: 0, negative: 1, bytes: 2, text: 3, array: 4, tag: 6, simple: 7 } as const

export const simple = { false: 0xf4, true: 0xf5, nil: 0xf6 } as const

const noBytes = Buffer.alloc(0)

/**
 * `open` starts a payload; readers advance `position`. 64-bit arguments are split into `high` and
 * `low` to avoid BigInt.
 */
export class CcfInput {
  bytes: Buffer = noBytes
  position = 0
  end = 0
  high = 0
  low = 0
  /** Composed types and the length of their texts: the memory of a compiled plan. */
  typeCount = 0
  typeTextLength = 0

  open(bytes: Buffer): void {
    this.bytes = bytes
    this.position = 0
    this.end = bytes.length
    this.typeCount = 0
    this.typeTextLength = 0
  }

  /** The payload may be a view of a larger buffer. */
  close(): void {
    this.bytes = noBytes
    this.end = 0
  }

  fail(message: string, code: PayloadErrorCode = 'ccf-malformed'): PayloadError {
    return new PayloadError(code, message, this.position)
  }

  peek(): number {
    if (this.position >= this.end) throw this.fail('the payload ends early', 'ccf-truncated')
    return this.bytes[this.position] as number
  }

  readHead(): number {
    const initial = this.peek()
    this.position++
    const information = initial & 0x1f
    if (information < 24) {
      this.high = 0
      this.low = information
    } else {
      this.#readArgument(information)
    }
    return initial >> 5
  }

  #readArgument(information: number): void {
    const { bytes, position } = this
    const width = 1 << (information - 24)
    if (information > 27) throw this.fail('indefinite lengths are not supported')
    if (position + width > this.end) throw this.fail('the payload ends early', 'ccf-truncated')
    this.position = position + width
    this.high = 0
    if (width === 1) {
      this.low = bytes[position] as number
    } else if (width === 2) {
      this.low = ((bytes[position] as number) << 8) | (bytes[position + 1] as number)
    } else if (width === 4) {
      this.low = this.#word(position)
    } else {
      this.high = this.#word(position)
      this.low = this.#word(position + 4)
    }
  }

  #word(at: number): number {
    const { bytes } = this
    return (
      (((bytes[at] as number) << 24) |
        ((bytes[at + 1] as number) << 16) |
        ((bytes[at + 2] as number) << 8) |
        (bytes[at + 3] as number)) >>>
      0
    )
  }

  /** Checked against the remaining bytes before anything is allocated. */
  readLength(expected: number): number {
    const kind = this.readHead()
    if (kind !== expected) throw this.fail(`expected major type ${expected}, found ${kind}`)
    const { low } = this
    if (this.high !== 0 || low > this.end - this.position) {
      throw this.fail('the payload ends early', 'ccf-truncated')
    }
    return low
  }

  readArray(): number {
    return this.readLength(major.array)
  }

  expectArray(count: number): void {
    const found = this.readArray()
    if (found !== count) throw this.fail(`expected an array of ${count}, found ${found}`)
  }

  readTag(): number {
    const kind = this.readHead()
    if (kind !== major.tag || this.high !== 0) throw this.fail(`expected a tag, found major type ${kind}`)
    return this.low
  }

  expectTag(number: number): void {
    const found = this.readTag()
    if (found !== number) throw this.fail(`expected tag ${number}, found ${found}`)
  }

  /** Below 2^53: a size, id or enumeration. */
  readSmall(): number {
    const kind = this.readHead()
    if (kind !== major.unsigned || this.high > 0x1f_ffff) throw this.fail('expected a small unsigned integer')
    return this.high * 0x1_0000_0000 + this.low
  }

  /** Invalid UTF-8 is replaced by U+FFFD. */
  readText(): string {
    const length = this.readLength(major.text)
    const start = this.position
    this.position = start + length
    return this.bytes.toString('utf8', start, this.position)
  }

  /** A view. */
  readBytes(): Buffer {
    const length = this.readLength(major.bytes)
    const start = this.position
    this.position = start + length
    return this.bytes.subarray(start, this.position)
  }

  takeNil(): boolean {
    if (this.peek() !== simple.nil) return false
    this.position++
    return true
  }

  skip(): void {
    for (let open = 1; open > 0; open--) {
      const kind = this.readHead()
      if (kind === major.bytes || kind === major.text) {
        if (this.high !== 0 || this.low > this.end - this.position) {
          throw this.fail('the payload ends early', 'ccf-truncated')
        }
        this.position += this.low
      } else if (kind === major.array) {
        if (this.high !== 0) throw this.fail('the payload ends early', 'ccf-truncated')
        open += this.low
      } else if (kind === major.tag) {
        open += 1
      } else if (kind === 5) {
        throw this.fail('maps are not allowed in CCF')
      }
    }
  }

  checkDepth(depth: number): void {
    if (depth > payloadLimits.depth) {
      throw this.fail(`nested deeper than ${payloadLimits.depth}`, 'payload-too-deep')
    }
  }

  countType(text: string): void {
    this.typeCount++
    this.typeTextLength += text.length
    if (this.typeTextLength > payloadLimits.typeTextLength) {
      throw this.fail(`the texts of types are too long (limit ${payloadLimits.typeTextLength})`, 'payload-too-large')
    }
  }

  expectEnd(): void {
    if (this.position !== this.end) throw this.fail(`${this.end - this.position} bytes follow the value`)
  }
}
