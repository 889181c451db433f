import type { HeaderField } from './header-field.ts'
import { Http2Error } from './http2-error.ts'
import { decodeHuffman } from './huffman.ts'
import { errorCode } from './protocol.ts'
import { staticTable } from './static-table.ts'

/** What a header takes of the table, and of the limit of a list, beyond its characters. Source: RFC 7541, 4.1. */
const fieldOverhead = 32

export interface HpackLimits {
  /** Bytes of the table that the server may use; 4,096 is what it assumes until told otherwise. */
  readonly tableSize: number
  /** Bytes of one list of headers, counted as in the table. */
  readonly listSize: number
}

/**
 * Decodes the header blocks of one connection, all of them and in order, because each may change the table for those
 * that follow. Source: RFC 7541.
 */
export class HpackDecoder {
  readonly #limits: HpackLimits
  /** Headers that the server had us remember, the newest last. */
  readonly #table: HeaderField[] = []
  #tableSize = 0
  /** What the server says it uses of the limit. */
  #tableLimit: number
  #bytes: Buffer = Buffer.alloc(0)
  #at = 0
  #end = 0

  constructor(limits: HpackLimits) {
    this.#limits = limits
    this.#tableLimit = limits.tableSize
  }

  /**
   * Decodes the block `bytes[from..to)`.
   * @returns the headers in order, or undefined where they exceed the limit of a list
   * @throws Http2Error for a malformed block, after which the connection cannot go on
   */
  decode(bytes: Buffer, from: number, to: number): HeaderField[] | undefined {
    this.#bytes = bytes
    this.#at = from
    this.#end = to
    const fields: HeaderField[] = []
    let size = 0
    let isFirst = true
    while (this.#at < to) {
      const first = bytes[this.#at] as number
      if (first >= 0x20 && first < 0x40) {
        if (!isFirst) throw malformed('the table changes its size within a block')
        this.#resize(this.#integer(0x1f))
        continue
      }
      isFirst = false
      const field = this.#field(first)
      size += sizeOf(field)
      // Read to the end all the same: the rest may change the table.
      if (size <= this.#limits.listSize) fields.push(field)
    }
    return size <= this.#limits.listSize ? fields : undefined
  }

  #field(first: number): HeaderField {
    if (first >= 0x80) return this.#known(this.#integer(0x7f))
    const isRemembered = first >= 0x40
    const index = this.#integer(isRemembered ? 0x3f : 0x0f)
    const name = index === 0 ? this.#text() : this.#known(index).name
    const field = { name, value: this.#text() }
    if (isRemembered) this.#remember(field)
    return field
  }

  #known(index: number): HeaderField {
    const field =
      index <= staticTable.length
        ? staticTable[index - 1]
        : this.#table[this.#table.length - (index - staticTable.length)]
    if (field === undefined) throw malformed(`index ${index} is not in the table`)
    return field
  }

  #remember(field: HeaderField): void {
    const size = sizeOf(field)
    this.#evict(this.#tableLimit - size)
    // What is larger than the table only empties it.
    if (size > this.#tableLimit) return
    this.#table.push(field)
    this.#tableSize += size
  }

  #resize(limit: number): void {
    if (limit > this.#limits.tableSize) throw malformed(`a table of ${limit} bytes, which is more than was offered`)
    this.#tableLimit = limit
    this.#evict(limit)
  }

  /** Forgets the oldest headers until the rest takes no more than `size`. */
  #evict(size: number): void {
    let count = 0
    while (this.#tableSize > Math.max(0, size)) this.#tableSize -= sizeOf(this.#table[count++] as HeaderField)
    if (count > 0) this.#table.splice(0, count)
  }

  /** An integer that begins with the low bits of the next byte, as many as `mask` has. */
  #integer(mask: number): number {
    let value = this.#byte() & mask
    if (value < mask) return value
    for (let shift = 0; shift <= 21; shift += 7) {
      const byte = this.#byte()
      value += (byte & 0x7f) * 2 ** shift
      if (byte < 0x80) return value
    }
    throw malformed('an integer beyond all use')
  }

  #text(): string {
    const isHuffman = this.#at < this.#end && (this.#bytes[this.#at] as number) >= 0x80
    const length = this.#integer(0x7f)
    const from = this.#at
    if (length > this.#end - from) throw malformed('a text longer than its block')
    this.#at += length
    return isHuffman ? decodeHuffman(this.#bytes, from, this.#at) : this.#bytes.toString('latin1', from, this.#at)
  }

  #byte(): number {
    if (this.#at >= this.#end) throw malformed('it is cut off')
    return this.#bytes[this.#at++] as number
  }
}

function sizeOf({ name, value }: HeaderField): number {
  return name.length + value.length + fieldOverhead
}

function malformed(reason: string): Http2Error {
  return new Http2Error(errorCode.compressionError, `malformed header block: ${reason}`)
}
