import { ByteWriter } from '../../../src/platform/byte-writer.ts'

/** Enough for 128 to 16,383 bytes. */
const guessedLengthBytes = 2

/** 0 to 2^53. */
export function writeVarint(out: ByteWriter, value: number): void {
  out.reserve(8)
  const { bytes } = out
  let rest = value
  while (rest >= 0x80) {
    bytes[out.position++] = (rest % 0x80) | 0x80
    rest = Math.floor(rest / 0x80)
  }
  bytes[out.position++] = rest
}

/** Omits 0, as proto3 does. */
export function writeVarintField(out: ByteWriter, number: number, value: number): void {
  if (value === 0) return
  writeVarint(out, number * 8)
  writeVarint(out, value)
}

export function writeUint64Field(out: ByteWriter, number: number, value: bigint): void {
  if (value <= BigInt(Number.MAX_SAFE_INTEGER)) {
    writeVarintField(out, number, Number(value))
    return
  }
  writeVarint(out, number * 8)
  let rest = value
  for (; rest >= 0x80n; rest >>= 7n) out.uint8(Number(rest & 0x7fn) | 0x80)
  out.uint8(Number(rest))
}

/** Also writes empty fields, as items of lists. */
export function writeBytesField(out: ByteWriter, number: number, content: Uint8Array): void {
  writeVarint(out, number * 8 + 2)
  writeVarint(out, content.length)
  out.raw(content)
}

/** As proto3 does. */
export function writeBytesIfAny(out: ByteWriter, number: number, content: Uint8Array): void {
  if (content.length > 0) writeBytesField(out, number, content)
}

/** @returns the argument of `endMessage` */
export function beginMessage(out: ByteWriter, number: number): number {
  writeVarint(out, number * 8 + 2)
  out.reserve(guessedLengthBytes)
  out.position += guessedLengthBytes
  return out.position
}

/** Moves the message if its length needs other space. */
export function endMessage(out: ByteWriter, start: number): void {
  const length = out.position - start
  const lengthStart = start - guessedLengthBytes
  if (length >= 0x80 && length < 0x4000) {
    out.bytes[lengthStart] = (length & 0x7f) | 0x80
    out.bytes[lengthStart + 1] = length >>> 7
    return
  }
  let lengthBytes = 1
  for (let rest = length; rest >= 0x80; rest = Math.floor(rest / 0x80)) lengthBytes++
  out.reserve(lengthBytes)
  out.bytes.copyWithin(lengthStart + lengthBytes, start, out.position)
  out.position = lengthStart
  writeVarint(out, length)
  out.position += length
}

const maxRetainedBytes = 16 * 1024 * 1024

/** Undefined while a message is written, which may write other messages. */
let scratch: ByteWriter | undefined

/** One allocation for a block. */
export function messagesOf<Item>(
  items: readonly Item[],
  write: (out: ByteWriter, item: Item, index: number) => void,
): Buffer[] {
  const ends: number[] = []
  const bytes = messageOf((out) => {
    items.forEach((item, index) => {
      write(out, item, index)
      ends.push(out.position)
    })
  })
  return ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end))
}

export function messageOf(write: (out: ByteWriter) => void): Buffer {
  const out = scratch ?? new ByteWriter()
  scratch = undefined
  out.clear()
  write(out)
  if (out.bytes.length <= maxRetainedBytes) scratch = out
  return Buffer.copyBytesFrom(out.bytes, 0, out.position)
}
