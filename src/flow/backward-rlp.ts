const maxUint64 = 0xffff_ffff_ffff_ffffn

/**
 * Writes RLP from its end to its start: a list's header comes after its items, when their length is known, so nothing
 * is measured or moved. Items of a list are therefore given last to first.
 */
export class BackwardRlp {
  #bytes: Buffer
  #start: number

  constructor(initialCapacity = 64 * 1024) {
    this.#bytes = Buffer.allocUnsafeSlow(initialCapacity)
    this.#start = initialCapacity
  }

  /** Bytes written so far; taken before the items of a list, it is what `list` needs. */
  get length(): number {
    return this.#bytes.length - this.#start
  }

  /** A byte string. */
  string(value: Uint8Array): void {
    const length = value.length
    this.#reserve(length + 9)
    if (length === 1 && (value[0] as number) < 0x80) {
      this.#bytes[--this.#start] = value[0] as number
      return
    }
    this.#start -= length
    this.#bytes.set(value, this.#start)
    this.#header(length, 0x80)
  }

  /** A byte string of exactly `size` bytes, filled with zeros in front or cut in front. */
  fixed(value: Uint8Array, size: number): void {
    if (value.length === size) {
      this.string(value)
      return
    }
    this.#reserve(size + 9)
    const kept = value.length > size ? value.subarray(value.length - size) : value
    this.#start -= size
    this.#bytes.fill(0, this.#start, this.#start + size - kept.length)
    this.#bytes.set(kept, this.#start + size - kept.length)
    this.#header(size, 0x80)
  }

  /** An unsigned integer up to 2^53. */
  uint(value: number): void {
    this.#reserve(9)
    if (value > 0 && value < 0x80) {
      this.#bytes[--this.#start] = value
      return
    }
    const length = this.#digits(value)
    this.#bytes[--this.#start] = 0x80 + length
  }

  /** An unsigned 64-bit integer. */
  uint64(value: bigint): void {
    if (value <= BigInt(Number.MAX_SAFE_INTEGER)) {
      this.uint(Number(value))
      return
    }
    this.#reserve(9)
    let length = 0
    for (let rest = value & maxUint64; rest > 0n; rest >>= 8n, length++) {
      this.#bytes[--this.#start] = Number(rest & 0xffn)
    }
    this.#bytes[--this.#start] = 0x80 + length
  }

  /** Closes the list of everything that was written since `length` was `before`. */
  list(before: number): void {
    this.#reserve(9)
    this.#header(this.length - before, 0xc0)
  }

  /** What was written; valid until the next write. */
  view(): Buffer {
    return this.#bytes.subarray(this.#start)
  }

  /** Forgets the content and keeps the storage. */
  clear(): void {
    this.#start = this.#bytes.length
  }

  #header(length: number, offset: number): void {
    if (length < 56) {
      this.#bytes[--this.#start] = offset + length
      return
    }
    const lengthOfLength = this.#digits(length)
    this.#bytes[--this.#start] = offset + 55 + lengthOfLength
  }

  /** Writes a number in base 256 without leading zeros; returns how many bytes that were. */
  #digits(value: number): number {
    let rest = value
    let count = 0
    while (rest > 0) {
      this.#bytes[--this.#start] = rest % 256
      rest = Math.floor(rest / 256)
      count++
    }
    return count
  }

  #reserve(count: number): void {
    if (this.#start >= count) return
    const used = this.length
    const grown = Buffer.allocUnsafeSlow(Math.max(this.#bytes.length * 2, used + count))
    this.#bytes.copy(grown, grown.length - used, this.#start)
    this.#bytes = grown
    this.#start = grown.length - used
  }
}
