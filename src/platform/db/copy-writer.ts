import { ByteWriter } from '../byte-writer.ts'

/** PostgreSQL text cannot contain U+0000; it is stored as these six characters. */
const visibleNul = String.raw`\u0000`

/** Escapes U+0000 and replaces lone surrogates by U+FFFD. */
export function pgText(text: string): string {
  const wellFormed = text.isWellFormed() ? text : text.toWellFormed()
  return wellFormed.includes('\0') ? wellFormed.replaceAll('\0', visibleNul) : wellFormed
}

interface NumericDigits {
  /** Base 10,000, most significant first. The server drops zeros at either end. */
  readonly digits: readonly number[]
  /** Power of 10,000 of the first digit. */
  readonly weight: number
  readonly negative: boolean
  readonly scale: number
}

const [plus, minus, zero] = [0x2b, 0x2d, 0x30]

/** Keeps trailing decimals. @throws RangeError */
function numericDigits(text: string): NumericDigits {
  const first = text.charCodeAt(0)
  const start = first === minus || first === plus ? 1 : 0
  const point = text.indexOf('.')
  const end = point < 0 ? text.length : point
  const scale = point < 0 ? 0 : text.length - point - 1
  if (end <= start || point === text.length - 1) throw notDecimal(text)
  const digits: number[] = []
  let group = 0
  // Groups of four are aligned to the decimal point.
  let missing = (end - start) % 4 || 4
  for (let i = start; i < text.length; i++) {
    if (i === point) continue
    const digit = text.charCodeAt(i) - zero
    if (!(digit >= 0 && digit <= 9)) throw notDecimal(text)
    group = group * 10 + digit
    if (--missing > 0) continue
    digits.push(group)
    group = 0
    missing = 4
  }
  if (missing < 4) digits.push(group * 10 ** missing)
  return { digits, weight: Math.ceil((end - start) / 4) - 1, negative: first === minus, scale }
}

function notDecimal(text: string): RangeError {
  return new RangeError(`not a decimal number: ${text.slice(0, 100)}`)
}

/** 2000-01-01, the epoch of PostgreSQL, in Unix microseconds. */
const postgresEpochUs = 946_684_800_000_000
const postgresEpochDays = 10_957

const textOid = 25
const byteaOid = 17
const int4Oid = 23
const jsonOid = 114
const numericOid = 1700
const numericNegative = 0x4000

const arrayHeaderBytes = 24
const int4ElementBytes = 8

/** Up to this length a loop is faster than a native call. */
const shortText = 40

/**
 * Writes rows in PostgreSQL's binary COPY format; `copyInto` adds header and trailer. A row is
 * `row(n)` and n fields of the exact column types, since the format has no types. `out` may be
 * written to directly between `jsonbBegin` and `jsonbEnd`, and between `jsonBegin` and `jsonEnd`.
 */
export class CopyWriter {
  readonly out: ByteWriter
  rowCount = 0
  #jsonbStart = -1
  #arrayStart = -1

  constructor(initialCapacity?: number) {
    this.out = new ByteWriter(initialCapacity)
  }

  row(fieldCount: number): void {
    const { out } = this
    out.reserve(2)
    out.bytes[out.position++] = fieldCount >>> 8
    out.bytes[out.position++] = fieldCount
    this.rowCount++
  }

  null(): void {
    this.#int32(-1)
  }

  int2(value: number): void {
    const { out } = this
    this.#int32(2)
    out.reserve(2)
    out.bytes[out.position++] = value >> 8
    out.bytes[out.position++] = value
  }

  int4(value: number): void {
    this.#int32(4)
    this.#int32(value)
  }

  /** A number must be an integer within ±2^53. */
  int8(value: number | bigint): void {
    this.#int32(8)
    if (typeof value === 'bigint') this.out.bigint64(value)
    else this.#int64(value)
  }

  bool(value: boolean): void {
    const { out } = this
    this.#int32(1)
    out.reserve(1)
    out.bytes[out.position++] = value ? 1 : 0
  }

  text(value: string): void {
    const { out } = this
    const length = value.length
    out.reserve(4 + length)
    const { bytes } = out
    const start = out.position
    if (length <= shortText) {
      let i = 0
      for (; i < length; i++) {
        const code = value.charCodeAt(i)
        if (code === 0 || code > 0x7f) break
        bytes[start + 4 + i] = code
      }
      if (i === length) {
        bytes[start] = 0
        bytes[start + 1] = 0
        bytes[start + 2] = 0
        bytes[start + 3] = length
        out.position = start + 4 + length
        return
      }
    }
    out.position = start + 4
    out.utf8(pgText(value))
    this.#setLength(start)
  }

  /** UTF-8 without byte 0. */
  textBytes(value: Uint8Array): void {
    this.bytea(value)
  }

  bytea(value: Uint8Array): void {
    this.#int32(value.length)
    this.out.raw(value)
  }

  /** Microseconds since 1970-01-01 UTC. */
  timestamptzUs(value: number): void {
    this.#int32(8)
    this.#int64(value - postgresEpochUs)
  }

  /** Days since 1970-01-01. */
  date(days: number): void {
    this.#int32(4)
    this.#int32(days - postgresEpochDays)
  }

  textArray(values: readonly string[]): void {
    const start = this.#beginArray(values.length, textOid)
    for (const value of values) this.text(value)
    this.#setLength(start)
  }

  byteaArray(values: readonly Uint8Array[]): void {
    const start = this.#beginArray(values.length, byteaOid)
    for (const value of values) this.bytea(value)
    this.#setLength(start)
  }

  int4Array(values: readonly number[]): void {
    const start = this.#beginArray(values.length, int4Oid)
    for (const value of values) this.int4(value)
    this.#setLength(start)
  }

  numericArray(values: readonly string[]): void {
    const start = this.#beginArray(values.length, numericOid)
    for (const value of values) this.numeric(value)
    this.#setLength(start)
  }

  /** Decimal text such as `-12.500`. @throws RangeError */
  numeric(value: string): void {
    const { out } = this
    const { digits, weight, negative, scale } = numericDigits(value)
    this.#int32(8 + 2 * digits.length)
    out.int16(digits.length)
    out.int16(weight)
    out.int16(negative ? numericNegative : 0)
    out.int16(scale)
    for (const digit of digits) out.int16(digit)
  }

  /** Write the JSON to `out`, without `\u0000` escapes. */
  jsonbBegin(): void {
    const { out } = this
    this.#jsonbStart = out.position
    out.reserve(5)
    out.position += 4
    out.bytes[out.position++] = 1
  }

  jsonbEnd(): void {
    this.#setLength(this.#jsonbStart)
  }

  /**
   * Starts a json[] field. Each element: `jsonBegin`, text, `jsonEnd`, or `null`; then
   * `jsonArrayEnd`.
   */
  jsonArrayBegin(length: number): void {
    this.#arrayStart = this.#beginArray(length, jsonOid)
  }

  jsonArrayEnd(): void {
    this.#setLength(this.#arrayStart)
  }

  jsonBegin(): void {
    this.#jsonbStart = this.out.position
    this.#int32(0)
  }

  jsonEnd(): void {
    this.#setLength(this.#jsonbStart)
  }

  overwriteInt4Element(start: number, index: number, value: number): void {
    const { position } = this.out
    this.out.position = start + arrayHeaderBytes + index * int4ElementBytes + 4
    this.#int32(value)
    this.out.position = position
  }

  clear(): void {
    this.out.clear()
    this.rowCount = 0
  }

  /** Returns the position of the field length for `#setLength`. */
  #beginArray(length: number, elementOid: number): number {
    const start = this.out.position
    this.#int32(0)
    // Dimensions (0 for an empty array), no nulls, then length and lower bound of the dimension.
    this.#int32(length === 0 ? 0 : 1)
    this.#int32(0)
    this.#int32(elementOid)
    if (length > 0) {
      this.#int32(length)
      this.#int32(1)
    }
    return start
  }

  #setLength(start: number): void {
    const { bytes, position } = this.out
    const length = position - start - 4
    bytes[start] = length >>> 24
    bytes[start + 1] = length >>> 16
    bytes[start + 2] = length >>> 8
    bytes[start + 3] = length
  }

  #int32(value: number): void {
    const { out } = this
    out.reserve(4)
    const { bytes } = out
    let at = out.position
    bytes[at++] = value >>> 24
    bytes[at++] = value >>> 16
    bytes[at++] = value >>> 8
    bytes[at++] = value
    out.position = at
  }

  #int64(value: number): void {
    const high = Math.floor(value / 0x1_0000_0000)
    this.#int32(high)
    this.#int32(value - high * 0x1_0000_0000)
  }
}
