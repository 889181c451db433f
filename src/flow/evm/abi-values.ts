/** Integers are decimal; others are hex digits with `0x`. Elements of arrays and tuples are texts. */
export type AbiValue = string | boolean | readonly AbiElement[]
export type AbiElement = string | readonly AbiElement[]

const wordBytes = 32
const maxDepth = 8
/** Arrays can refer to the same bytes many times. */
const maxElements = 10_000
/** Bytes of texts for each byte of data. */
const maxSharing = 4

/**
 * Types: `address`, `bool`, `uintN`, `intN`, `bytesN`, `function`, `bytes`, `string`; arrays of them,
 * as `T[]` and `T[3]`; tuples, as `(T,T)`.
 *
 * @returns undefined for invalid data, because contracts can be called with any bytes
 */
export function readAbiValues(types: readonly string[], data: Uint8Array): readonly AbiValue[] | undefined {
  return readAll(types, data, { elements: maxElements, bytes: maxSharing * data.length, depth: 0 })
}

interface Budget {
  elements: number
  bytes: number
  depth: number
}

/** Offsets count from the start of `data`. */
function readAll(types: readonly string[], data: Uint8Array, budget: Budget): readonly AbiValue[] | undefined {
  if (budget.depth > maxDepth) return undefined
  const values: AbiValue[] = []
  let at = 0
  for (const type of types) {
    const size = headBytes(type)
    if (size === undefined || budget.elements-- <= 0) return undefined
    const value = size === 'dynamic' ? referred(type, data, at, budget) : inPlace(type, data.subarray(at), budget)
    if (value === undefined) return undefined
    values.push(value)
    at += size === 'dynamic' ? wordBytes : size
  }
  return values
}

/** Undefined for unknown types and those without bytes. */
export function headBytes(type: string): number | 'dynamic' | undefined {
  const array = arrayOf(type)
  if (array !== undefined) {
    const size = headBytes(array.type)
    if (size === undefined || array.length === 0) return undefined
    return size === 'dynamic' || array.length === undefined ? 'dynamic' : size * array.length
  }
  if (type.startsWith('(')) {
    const sizes = tupleTypes(type).map(headBytes)
    if (sizes.length === 0 || sizes.includes(undefined)) return undefined
    return sizes.includes('dynamic') ? 'dynamic' : sizes.reduce((sum: number, size) => sum + Number(size), 0)
  }
  if (type === 'bytes' || type === 'string') return 'dynamic'
  return /^(?:address|bool|function|(?:uint|int|bytes)\d{1,3})$/.test(type) ? wordBytes : undefined
}

/** `T[3]`; length undefined for `T[]`. */
export function arrayOf(type: string): { readonly type: string; readonly length: number | undefined } | undefined {
  const [, element, length] = /^(.*)\[(\d{0,6})\]$/.exec(type) ?? []
  if (element === undefined) return undefined
  return { type: element, length: length === '' ? undefined : Number(length) }
}

/** `(uint256,(bool,address)[])` → `uint256`, `(bool,address)[]`. */
export function tupleTypes(type: string): readonly string[] {
  const types: string[] = []
  let [depth, start] = [0, 1]
  for (let i = 0; i < type.length; i++) {
    if (type[i] === '(') depth++
    else if (type[i] === ')') depth--
    const isEnd = (type[i] === ',' && depth === 1) || (type[i] === ')' && depth === 0)
    if (!isEnd) continue
    if (i > start) types.push(type.slice(start, i))
    start = i + 1
  }
  return types
}

function inPlace(type: string, data: Uint8Array, budget: Budget): AbiValue | undefined {
  const array = arrayOf(type)
  if (array?.length !== undefined) return elements(repeated(array.type, array.length, data), data, budget)
  if (type.startsWith('(')) return elements(tupleTypes(type), data, budget)
  const word = wordAt(data, 0)
  return word === undefined ? undefined : readAbiWord(type, word)
}

/** The word at `at` is the offset of the value. */
function referred(type: string, data: Uint8Array, at: number, budget: Budget): AbiValue | undefined {
  const start = smallNumber(wordAt(data, at), data.length)
  if (start === undefined) return undefined
  const rest = data.subarray(start)
  const array = arrayOf(type)
  if (type.startsWith('(') && array === undefined) return elements(tupleTypes(type), rest, budget)
  if (array?.length !== undefined) return elements(repeated(array.type, array.length, rest), rest, budget)
  const length = smallNumber(wordAt(rest, 0), rest.length)
  if (length === undefined) return undefined
  const content = rest.subarray(wordBytes)
  if (array !== undefined) return elements(repeated(array.type, length, content), content, budget)
  budget.bytes -= length
  if (length > content.length || budget.bytes < 0) return undefined
  const bytes = Buffer.from(content.subarray(0, length))
  return type === 'string' ? bytes.toString('utf8') : `0x${bytes.toString('hex')}`
}

/** Undefined if the data is too short. */
function repeated(type: string, count: number, data: Uint8Array): readonly string[] | undefined {
  return count * wordBytes > data.length ? undefined : Array.from({ length: count }, () => type)
}

function elements(types: readonly string[] | undefined, data: Uint8Array, budget: Budget): AbiValue | undefined {
  if (types === undefined || types.length > budget.elements) return undefined
  budget.depth++
  const values = readAll(types, data, budget)
  budget.depth--
  return values?.map((value) => (typeof value === 'boolean' ? String(value) : value))
}

export function readAbiWord(type: string, word: Uint8Array): string | boolean | undefined {
  const digits = Buffer.from(word).toString('hex')
  const number = BigInt(`0x${digits}`)
  if (type === 'address') return number < 1n << 160n ? `0x${digits.slice(24)}` : undefined
  if (type === 'bool') return number < 2n ? number === 1n : undefined
  if (type === 'function') return `0x${digits.slice(0, 48)}`
  const [, kind, size = ''] = /^(uint|int|bytes)(\d+)$/.exec(type) ?? []
  if (kind === 'bytes') return `0x${digits.slice(0, 2 * Number(size))}`
  const bits = Number(size)
  if (kind === 'uint') return number < 1n << BigInt(bits) ? number.toString() : undefined
  if (kind !== 'int') return undefined
  const signed = BigInt.asIntN(256, number)
  return BigInt.asIntN(bits, signed) === signed ? signed.toString() : undefined
}

function wordAt(data: Uint8Array, offset: number): Uint8Array | undefined {
  return offset + wordBytes <= data.length ? data.subarray(offset, offset + wordBytes) : undefined
}

function smallNumber(word: Uint8Array | undefined, max: number): number | undefined {
  if (word === undefined) return undefined
  const number = BigInt(`0x${Buffer.from(word).toString('hex')}`)
  return number <= BigInt(max) ? Number(number) : undefined
}
