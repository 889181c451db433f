import { ByteWriter } from '../../../base/byte-writer.ts'

/** Writes protobuf messages, one field after the other; nested ones in place. */
export class MessageWriter extends ByteWriter {
  /** A varint field; nothing for 0, as proto3 writes it. */
  number(field: number, value: number): void {
    if (value === 0) return
    this.#varint(field * 8)
    this.#varint(value)
  }

  /** A length-delimited field. */
  content(field: number, content: Uint8Array): void {
    this.#varint(field * 8 + 2)
    this.#varint(content.length)
    this.raw(content)
  }

  /** A length-delimited field whose content is written by `write`. */
  nested(field: number, write: () => void): void {
    this.#varint(field * 8 + 2)
    const start = this.position
    // Room for the length of most contents: longer ones are moved.
    this.reserve(2)
    this.position += 2
    write()
    const length = this.position - start - 2
    const needed = length < 0x80 ? 1 : Math.ceil((32 - Math.clz32(length)) / 7)
    if (needed !== 2) {
      this.reserve(needed)
      this.bytes.copyWithin(start + needed, start + 2, this.position)
    }
    this.position = start
    this.#varint(length)
    this.position += length
  }

  /** What was written, in storage of its own. */
  take(): Buffer {
    const taken = Buffer.from(this.view())
    this.clear()
    return taken
  }

  #varint(value: number): void {
    this.reserve(10)
    let rest = value
    while (rest >= 0x80) {
      this.bytes[this.position++] = (rest % 0x80) | 0x80
      rest = Math.floor(rest / 0x80)
    }
    this.bytes[this.position++] = rest
  }
}
