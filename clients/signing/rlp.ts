import { concatBytes } from './bytes.ts'
import type { Bytes } from './bytes.ts'

/** Numbers are encoded without leading zeros. */
export type RlpInput = Uint8Array | number | bigint | readonly RlpInput[]

const [string, list] = [0x80, 0xc0]
/** Longer items have their length in bytes of its own. */
const maxShort = 55

/** Recursive Length Prefix, as Ethereum's Yellow Paper defines it. */
export function encodeRlp(input: RlpInput): Bytes {
  if (typeof input === 'number' || typeof input === 'bigint') return encodeRlp(digitsOf(BigInt(input)))
  if (!(input instanceof Uint8Array)) return withLength(list, concatBytes(...input.map(encodeRlp)))
  const [first = string] = input
  return input.length === 1 && first < string ? concatBytes(input) : withLength(string, input)
}

function withLength(kind: number, bytes: Uint8Array): Bytes {
  if (bytes.length <= maxShort) return concatBytes(Uint8Array.of(kind + bytes.length), bytes)
  const digits = digitsOf(BigInt(bytes.length))
  return concatBytes(Uint8Array.of(kind + maxShort + digits.length), digits, bytes)
}

function digitsOf(value: bigint): Bytes {
  const digits: number[] = []
  for (let rest = value; rest > 0n; rest >>= 8n) digits.unshift(Number(rest & 0xffn))
  return Uint8Array.from(digits)
}

/** Undefined for anything but exactly one list of strings in the only valid encoding. */
export function decodeRlpStrings(bytes: Uint8Array): readonly Bytes[] | undefined {
  const whole = itemAt(bytes, 0)
  if (whole?.isList !== true || whole.end !== bytes.length) return undefined
  const strings: Bytes[] = []
  for (let at = whole.start; at < bytes.length;) {
    const item = itemAt(bytes, at)
    if (item === undefined || item.isList) return undefined
    strings.push(concatBytes(bytes.subarray(item.start, item.end)))
    at = item.end
  }
  return strings
}

interface Item {
  readonly isList: boolean
  readonly start: number
  readonly end: number
}

function itemAt(bytes: Uint8Array, at: number): Item | undefined {
  const first = bytes[at]
  if (first === undefined) return undefined
  if (first < string) return { isList: false, start: at, end: at + 1 }
  const isList = first >= list
  const size = first - (isList ? list : string)
  const extra = Math.max(0, size - maxShort)
  const digits = bytes.subarray(at + 1, at + 1 + extra)
  const length = extra === 0 ? size : digits.reduce((sum, digit) => sum * 256 + digit, 0)
  if (digits.length < extra || digits[0] === 0 || (extra > 0 && length <= maxShort)) return undefined
  const start = at + 1 + extra
  const end = start + length
  const isSmallByte = !isList && length === 1 && (bytes[start] ?? 0) < string
  return end > bytes.length || isSmallByte ? undefined : { isList, start, end }
}
