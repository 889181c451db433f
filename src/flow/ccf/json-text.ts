import type { ByteWriter } from '../../platform/byte-writer.ts'
import type { PayloadError } from '../payload-value.ts'
import { payloadText } from '../payload-value.ts'
import { major } from './ccf-input.ts'
import type { CcfInput } from './ccf-input.ts'

export const quote = 0x22

/** Printable ASCII other than quote and backslash, which needs no escape. */
const plain = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte >= 0x20 && byte < 0x7f && byte !== quote && byte !== 0x5c ? 1 : 0,
)

const hexHigh = Buffer.from(Array.from({ length: 256 }, (_, byte) => (byte >> 4).toString(16)).join(''))
const hexLow = Buffer.from(Array.from({ length: 256 }, (_, byte) => (byte & 15).toString(16)).join(''))

/** Text with escapes or non-ASCII characters goes through a string. */
export function writeText(input: CcfInput, out: ByteWriter): void {
  const length = input.readLength(major.text)
  const start = input.position
  const end = start + length
  const source = input.bytes
  out.reserve(length + 2)
  const target = out.bytes
  let to = out.position
  target[to++] = quote
  for (let from = start; from < end; from++) {
    const byte = source[from] as number
    if (plain[byte] === 0) return writeEscaped(input, out, start, end)
    target[to++] = byte
  }
  target[to++] = quote
  out.position = to
  input.position = end
}

function writeEscaped(input: CcfInput, out: ByteWriter, start: number, end: number): void {
  writeString(out, payloadText(input.bytes.toString('utf8', start, end)))
  input.position = end
}

/** @param text well-formed */
export function writeString(out: ByteWriter, text: string): void {
  out.utf8(JSON.stringify(text))
}

export function writeRaw(out: ByteWriter, json: Uint8Array): void {
  const { length } = json
  out.reserve(length)
  const target = out.bytes
  const start = out.position
  for (let i = 0; i < length; i++) target[start + i] = json[i] as number
  out.position = start + length
}

export function writeHex(input: CcfInput, out: ByteWriter, length: number): void {
  const source = input.bytes
  const start = input.position
  const target = beginHex(out, length)
  let to = out.position
  for (let from = start; from < start + length; from++) {
    const byte = source[from] as number
    target[to] = hexHigh[byte] as number
    target[to + 1] = hexLow[byte] as number
    to += 2
  }
  target[to] = quote
  out.position = to + 1
  input.position = start + length
}

/** Each item has one or two bytes. */
export function writeHexItems(input: CcfInput, out: ByteWriter, count: number): void {
  const source = input.bytes
  const { end } = input
  const target = beginHex(out, count)
  let from = input.position
  let to = out.position
  for (let i = 0; i < count; i++) {
    let byte = from < end ? (source[from] as number) : 0xff
    from++
    if (byte >= 24) {
      if (byte !== 24 || from >= end) throw notUInt8(input, from)
      byte = source[from] as number
      from++
    }
    target[to] = hexHigh[byte] as number
    target[to + 1] = hexLow[byte] as number
    to += 2
  }
  target[to] = quote
  out.position = to + 1
  input.position = from
}

export function readHexItems(input: CcfInput, count: number): string {
  const source = input.bytes
  const { end } = input
  const bytes = Buffer.allocUnsafe(count)
  let from = input.position
  for (let i = 0; i < count; i++) {
    let byte = from < end ? (source[from] as number) : 0xff
    from++
    if (byte >= 24) {
      if (byte !== 24 || from >= end) throw notUInt8(input, from)
      byte = source[from] as number
      from++
    }
    bytes[i] = byte
  }
  input.position = from
  return `0x${bytes.toString('hex')}`
}

function notUInt8(input: CcfInput, position: number): PayloadError {
  input.position = Math.min(position, input.end)
  return position >= input.end
    ? input.fail('the payload ends early', 'ccf-truncated')
    : input.fail('not a value of UInt8')
}

function beginHex(out: ByteWriter, length: number): Buffer {
  out.reserve(2 * length + 4)
  const target = out.bytes
  const at = out.position
  target[at] = quote
  target[at + 1] = 0x30
  target[at + 2] = 0x78
  out.position = at + 3
  return target
}
