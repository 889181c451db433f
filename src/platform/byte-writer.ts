export class WriteLimitError extends Error {}

/**
 * A growing byte buffer: values go from the wire to PostgreSQL without intermediate objects. Hot
 * code may call `reserve(n)` once and then write `bytes[position++]` itself.
 */
export class ByteWriter {
  /** Valid up to `position`. Replaced when it grows: keep no reference across a `reserve`. */
  bytes: Buffer
  position = 0
  #limit = Number.POSITIVE_INFINITY
  /** The smaller of capacity and limit. */
  #end: number

  constructor(initialCapacity = 64 * 1024) {
    this.bytes = Buffer.allocUnsafeSlow(initialCapacity)
    this.#end = initialCapacity
  }

  get limit(): number {
    return this.#limit
  }

  set limit(limit: number) {
    this.#limit = limit
    this.#end = Math.min(limit, this.bytes.length)
  }

  /** @throws WriteLimitError */
  reserve(count: number): void {
    const needed = this.position + count
    if (needed <= this.#end) return
    if (needed > this.#limit) throw new WriteLimitError(`${needed} bytes written (limit ${this.#limit})`)
    if (needed > this.bytes.length) this.#grow(needed)
  }

  #grow(needed: number): void {
    const grown = Buffer.allocUnsafeSlow(Math.max(needed, this.bytes.length * 2))
    this.bytes.copy(grown, 0, 0, this.position)
    this.bytes = grown
    this.#end = Math.min(this.#limit, grown.length)
  }

  uint8(value: number): void {
    this.reserve(1)
    this.bytes[this.position++] = value
  }

  int16(value: number): void {
    this.reserve(2)
    this.position = this.bytes.writeInt16BE(value, this.position)
  }

  int32(value: number): void {
    this.reserve(4)
    this.position = this.bytes.writeInt32BE(value, this.position)
  }

  /** An integer up to 2^53, big endian. */
  int64(value: number): void {
    this.reserve(8)
    const high = Math.floor(value / 0x1_0000_0000)
    this.bytes.writeInt32BE(high, this.position)
    this.bytes.writeUInt32BE(value - high * 0x1_0000_0000, this.position + 4)
    this.position += 8
  }

  bigint64(value: bigint): void {
    this.reserve(8)
    this.position = this.bytes.writeBigInt64BE(value, this.position)
  }

  raw(source: Uint8Array): void {
    this.reserve(source.length)
    this.bytes.set(source, this.position)
    this.position += source.length
  }

  utf8(text: string): void {
    const max = text.length * 3
    this.reserve(this.position + max <= this.#end ? max : Buffer.byteLength(text))
    this.position += this.bytes.write(text, this.position, 'utf8')
  }

  /** Valid until the next write. */
  view(): Buffer {
    return this.bytes.subarray(0, this.position)
  }

  clear(): void {
    this.position = 0
  }
}
