import type { ByteWriter } from '../../../src/platform/byte-writer.ts'

const whole = new BigInt64Array(1)
const halves = new Uint32Array(whole.buffer)
const lowIndex = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1 ? 0 : 1

/** Modulo 2^64, without bigint arithmetic, which would dominate encoding. */
const splitUint64 = {
  set(value: bigint): void {
    whole[0] = value
  },

  get high(): number {
    return halves[1 - lowIndex] as number
  },

  get low(): number {
    return halves[lowIndex] as number
  },
}

/** The upper three bits of a head. Source: RFC 8949. */
export const major = { unsigned: 0x00, negative: 0x20, bytes: 0x40, text: 0x60, array: 0x80, tag: 0xc0 } as const

type Major = (typeof major)[keyof typeof major]

/** Shorter texts are copied by character, which is faster than a call into the runtime. */
const shortText = 64

/** In the shortest form. */
export function writeHead(out: ByteWriter, type: Major, argument: number): void {
  out.reserve(9)
  const { bytes } = out
  if (argument < 24) {
    bytes[out.position++] = type | argument
  } else if (argument < 0x100) {
    bytes[out.position++] = type | 24
    bytes[out.position++] = argument
  } else if (argument < 0x1_0000) {
    bytes[out.position++] = type | 25
    bytes[out.position++] = argument >>> 8
    bytes[out.position++] = argument
  } else if (argument < 0x1_0000_0000) {
    bytes[out.position++] = type | 26
    writeUint32(out, argument)
  } else {
    bytes[out.position++] = type | 27
    writeUint32(out, Math.floor(argument / 0x1_0000_0000))
    writeUint32(out, argument)
  }
}

/** @param argument below 2^64 */
export function writeBigHead(out: ByteWriter, type: Major, argument: bigint): void {
  splitUint64.set(argument)
  const { high, low } = splitUint64
  if (high === 0) {
    writeHead(out, type, low)
    return
  }
  out.reserve(9)
  out.bytes[out.position++] = type | 27
  writeUint32(out, high)
  writeUint32(out, low)
}

export function writeInteger(out: ByteWriter, value: number | bigint): void {
  if (typeof value === 'number') {
    if (value < 0) writeHead(out, major.negative, -1 - value)
    else writeHead(out, major.unsigned, value)
  } else if (value < 0n) writeBigHead(out, major.negative, -1n - value)
  else writeBigHead(out, major.unsigned, value)
}

export function writeText(out: ByteWriter, text: string): void {
  const { length } = text
  if (length <= shortText && writeShortAscii(out, text, length)) return
  const byteLength = Buffer.byteLength(text)
  writeHead(out, major.text, byteLength)
  out.utf8(text)
}

export function writeBytes(out: ByteWriter, bytes: Uint8Array): void {
  writeHead(out, major.bytes, bytes.length)
  out.raw(bytes)
}

export function writeTag(out: ByteWriter, number: number): void {
  writeHead(out, major.tag, number)
}

export function writeNil(out: ByteWriter): void {
  out.uint8(0xf6)
}

/** @returns false, with nothing written, for text beyond ASCII */
function writeShortAscii(out: ByteWriter, text: string, length: number): boolean {
  const start = out.position
  writeHead(out, major.text, length)
  out.reserve(length)
  const { bytes } = out
  let at = out.position
  for (let i = 0; i < length; i++) {
    const code = text.charCodeAt(i)
    if (code > 0x7f) {
      out.position = start
      return false
    }
    bytes[at++] = code
  }
  out.position = at
  return true
}

/** Big endian. The caller has reserved the space. */
function writeUint32(out: ByteWriter, value: number): void {
  const { bytes } = out
  const low = value >>> 0
  bytes[out.position++] = low >>> 24
  bytes[out.position++] = low >>> 16
  bytes[out.position++] = low >>> 8
  bytes[out.position++] = low
}
