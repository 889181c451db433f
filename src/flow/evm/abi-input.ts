import { arrayOf, headBytes, tupleTypes } from './abi-values.ts'

/** Integers are decimal or `0x`; bytes and addresses are `0x` and hex digits; tuples are arrays. */
export type AbiArgument = string | number | boolean | readonly AbiArgument[]

/** The message completes `Argument 1.2 …`. */
export class AbiInputError extends Error {
  /** `1`, or `1.2` for the second element of the first value. Empty: the number of values. */
  readonly path: string

  constructor(path: string, message: string) {
    super(message)
    this.path = path
  }
}

const wordBytes = 32
const maxDepth = 8

/**
 * Types as for `readAbiValues`.
 *
 * @throws AbiInputError
 */
export function encodeAbiValues(types: readonly string[], values: readonly AbiArgument[], path = ''): Buffer {
  if (types.length !== values.length)
    throw new AbiInputError(path, `must have ${types.length} ${types.length === 1 ? 'value' : 'values'}`)
  const [heads, tails]: [Buffer[], Buffer[]] = [[], []]
  const sizes = types.map(headBytes)
  const headLength = sizes.reduce((sum: number, size) => sum + (typeof size === 'number' ? size : wordBytes), 0)
  let tailLength = 0
  for (const [i, type] of types.entries()) {
    const encoded = encodeValue(type, values[i] ?? '', path === '' ? `${i + 1}` : `${path}.${i + 1}`)
    if (sizes[i] === 'dynamic') {
      heads.push(wordOf(BigInt(headLength + tailLength)))
      tails.push(encoded)
      tailLength += encoded.length
    } else {
      heads.push(encoded)
    }
  }
  return Buffer.concat([...heads, ...tails])
}

function encodeValue(type: string, value: AbiArgument, path: string): Buffer {
  if (path.split('.').length > maxDepth) throw new AbiInputError(path, 'is nested too deeply')
  const array = arrayOf(type)
  if (array !== undefined || type.startsWith('(')) {
    if (!Array.isArray(value)) throw new AbiInputError(path, `must be an array (${type})`)
    const elements = value as readonly AbiArgument[]
    if (array === undefined) return encodeAbiValues(tupleTypes(type), elements, path)
    const types = Array.from({ length: array.length ?? elements.length }, () => array.type)
    const encoded = encodeAbiValues(types, elements, path)
    return array.length === undefined ? Buffer.concat([wordOf(BigInt(elements.length)), encoded]) : encoded
  }
  if (type === 'bool') return wordOf(booleanOf(value, path) ? 1n : 0n)
  if (type === 'string') {
    if (typeof value !== 'string') throw new AbiInputError(path, 'must be a text')
    return withLength(Buffer.from(value))
  }
  if (type === 'bytes') return withLength(bytesOf(value, path))
  if (type === 'address') return Buffer.concat([Buffer.alloc(12), bytesOf(value, path, 20)])
  if (type === 'function') return padded(bytesOf(value, path, 24))
  const [, kind, size = ''] = /^(uint|int|bytes)(\d+)$/.exec(type) ?? []
  if (kind === 'bytes') return padded(bytesOf(value, path, Number(size)))
  if (kind === undefined) throw new AbiInputError(path, `has the unsupported type ${type}`)
  return wordOf(BigInt.asUintN(256, integerOf(value, kind, Number(size), path)))
}

function booleanOf(value: AbiArgument, path: string): boolean {
  if (value === true || value === 'true') return true
  if (value === false || value === 'false') return false
  throw new AbiInputError(path, 'must be true or false')
}

function integerOf(value: AbiArgument, kind: string, bits: number, path: string): bigint {
  const [min, max] =
    kind === 'uint' ? [0n, (1n << BigInt(bits)) - 1n] : [-(1n << BigInt(bits - 1)), (1n << BigInt(bits - 1)) - 1n]
  const text = typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : value
  const number =
    typeof text === 'string' && /^(-?\d{1,78}|0x[0-9a-f]{1,64})$/i.test(text.trim()) ? BigInt(text.trim()) : undefined
  if (number !== undefined && number >= min && number <= max) return number
  const form = typeof value === 'number' ? 'Write it as a text: JSON numbers are exact up to 2^53' : 'Use digits only'
  throw new AbiInputError(path, `must be a whole number of type ${kind}${bits}. ${form}`)
}

/** @param count bytes; undefined: any number */
function bytesOf(value: AbiArgument, path: string, count?: number): Buffer {
  const digits = typeof value === 'string' ? /^0x((?:[0-9a-f]{2})*)$/i.exec(value.trim())?.[1] : undefined
  if (digits !== undefined && (count === undefined || digits.length === 2 * count)) return Buffer.from(digits, 'hex')
  throw new AbiInputError(path, `must be 0x and ${count === undefined ? 'pairs of' : 2 * count} hex digits`)
}

function wordOf(number: bigint): Buffer {
  return Buffer.from(number.toString(16).padStart(2 * wordBytes, '0'), 'hex')
}

function padded(bytes: Buffer): Buffer {
  return Buffer.concat([bytes, Buffer.alloc((wordBytes - (bytes.length % wordBytes)) % wordBytes)])
}

function withLength(bytes: Buffer): Buffer {
  return Buffer.concat([wordOf(BigInt(bytes.length)), padded(bytes)])
}
