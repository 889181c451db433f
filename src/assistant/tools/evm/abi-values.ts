import { readAbiWord } from '../../../flow/evm/abi-values.ts'
import { abiError, canonicalType, headWords, isDynamic } from './abi-signature.ts'
import type { AbiParameter, AbiType } from './abi-signature.ts'

const wordBytes = 32
const maxEncodedBytes = 64 * 1024

/**
 * Numbers as numbers or strings (decimal, or hex with 0x), addresses and bytes as 0x-prefixed hex,
 * tuples as arrays.
 * @throws ApiError 400 `bad-argument`
 */
export function encodeArguments(
  parameters: readonly AbiParameter[],
  values: readonly unknown[],
  field: string,
): Buffer {
  if (values.length !== parameters.length) {
    throw abiError(
      'bad-argument',
      `Wrong number of arguments: the signature has ${parameters.length}, got ${values.length}.`,
      field,
    )
  }
  const data = encodeRow(
    parameters.map(({ type }) => type),
    values,
    field,
  )
  if (data.length > maxEncodedBytes)
    throw abiError('bad-argument', `Arguments too long: at most ${maxEncodedBytes} bytes.`, field)
  return data
}

function encodeRow(types: readonly AbiType[], values: readonly unknown[], at: string): Buffer {
  const tails: Buffer[] = []
  let end = types.reduce((sum, type) => sum + headWords(type), 0) * wordBytes
  const heads = types.map((type, i) => {
    const encoded = encodeValue(type, values[i], `${at}[${i}]`)
    if (!isDynamic(type)) return encoded
    tails.push(encoded)
    const place = numberWord(BigInt(end))
    end += encoded.length
    return place
  })
  return Buffer.concat([...heads, ...tails])
}

function encodeValue(type: AbiType, value: unknown, at: string): Buffer {
  if (type.kind === 'word') return encodeWord(type.name, value, at)
  if (type.kind === 'bytes') return withLength(bytesOf(type, value, at))
  if (type.kind === 'string')
    return typeof value === 'string' ? withLength(Buffer.from(value)) : refuse(type, value, at)
  if (!Array.isArray(value)) return refuse(type, value, at)
  const values: readonly unknown[] = value
  if (type.kind === 'tuple')
    return values.length === type.of.length ? encodeRow(type.of, values, at) : refuse(type, value, at)
  if (type.length !== undefined && values.length !== type.length) return refuse(type, value, at)
  if (values.length * headWords(type.of) * wordBytes > maxEncodedBytes)
    throw abiError('bad-argument', `${at} is too long.`, at)
  const row = encodeRow(
    values.map(() => type.of),
    values,
    at,
  )
  return type.length === undefined ? Buffer.concat([numberWord(BigInt(values.length)), row]) : row
}

function encodeWord(name: string, value: unknown, at: string): Buffer {
  const type: AbiType = { kind: 'word', name }
  if (name === 'bool') return typeof value === 'boolean' ? numberWord(value ? 1n : 0n) : refuse(type, value, at)
  if (name === 'address') {
    return typeof value === 'string' && /^0x[0-9a-fA-F]{40}$/.test(value)
      ? numberWord(BigInt(value))
      : refuse(type, value, at)
  }
  if (name.startsWith('bytes')) {
    const bytes = bytesOf(type, value, at)
    if (bytes.length !== Number(name.slice(5))) return refuse(type, value, at)
    return Buffer.concat([bytes, Buffer.alloc(wordBytes - bytes.length)])
  }
  const number = integerOf(value)
  const bits = Number(name.replace(/^u?int/, ''))
  const isInRange =
    number !== undefined &&
    (name.startsWith('u') ? BigInt.asUintN(bits, number) === number : BigInt.asIntN(bits, number) === number)
  return isInRange ? numberWord(number) : refuse(type, value, at)
}

function integerOf(value: unknown): bigint | undefined {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : undefined
  return typeof value === 'string' && /^(-?\d{1,78}|0x[0-9a-fA-F]{1,64})$/.test(value) ? BigInt(value) : undefined
}

function bytesOf(type: AbiType, value: unknown, at: string): Buffer {
  return typeof value === 'string' && /^0x([0-9a-fA-F]{2})*$/.test(value)
    ? Buffer.from(value.slice(2), 'hex')
    : refuse(type, value, at)
}

function withLength(bytes: Buffer): Buffer {
  const padding = (wordBytes - (bytes.length % wordBytes)) % wordBytes
  return Buffer.concat([numberWord(BigInt(bytes.length)), bytes, Buffer.alloc(padding)])
}

function numberWord(number: bigint): Buffer {
  return Buffer.from(
    BigInt.asUintN(256, number)
      .toString(16)
      .padStart(2 * wordBytes, '0'),
    'hex',
  )
}

function refuse(type: AbiType, value: unknown, at: string): never {
  const shown = (JSON.stringify(value) ?? 'nothing').slice(0, 80)
  throw abiError(
    'bad-argument',
    `Invalid argument ${at}: ${shown} is not a ${canonicalType(type)}. Pass numbers as numbers or strings, addresses ` +
      'and bytes as 0x-prefixed hex, tuples as arrays.',
    at,
  )
}

/** Numbers as decimal strings, addresses and bytes as 0x-prefixed hex. */
export type AbiValue = string | boolean | readonly AbiValue[]

/** Overlapping lists could turn a kilobyte into a billion values. */
const maxValues = 10_000
const maxDecodedBytes = 4 * 1024 * 1024

/** Undefined where the bytes do not match the types: a contract may return anything. */
export function decodeValues(types: readonly AbiType[], data: Uint8Array): readonly AbiValue[] | undefined {
  const budget = { values: maxValues, bytes: maxDecodedBytes }
  return decodeRow(types, Buffer.from(data.buffer, data.byteOffset, data.byteLength), budget)
}

interface Budget {
  values: number
  bytes: number
}

function decodeRow(types: readonly AbiType[], data: Buffer, budget: Budget): AbiValue[] | undefined {
  const values: AbiValue[] = []
  let at = 0
  for (const type of types) {
    if (--budget.values < 0) return undefined
    const from = isDynamic(type) ? smallNumber(data, at) : at
    const value = from === undefined ? undefined : decodeValue(type, data.subarray(from), budget)
    if (value === undefined) return undefined
    values.push(value)
    at += headWords(type) * wordBytes
  }
  return values
}

function decodeValue(type: AbiType, data: Buffer, budget: Budget): AbiValue | undefined {
  if (type.kind === 'word')
    return data.length < wordBytes ? undefined : readAbiWord(type.name, data.subarray(0, wordBytes))
  if (type.kind === 'tuple') return decodeRow(type.of, data, budget)
  if (type.kind === 'list') return decodeList(type, data, budget)
  const length = smallNumber(data, 0)
  budget.bytes -= length ?? 0
  if (length === undefined || wordBytes + length > data.length || budget.bytes < 0) return undefined
  const bytes = data.subarray(wordBytes, wordBytes + length)
  return type.kind === 'string' ? bytes.toString('utf8') : `0x${bytes.toString('hex')}`
}

function decodeList(
  { of, length: fixed }: AbiType & { readonly kind: 'list' },
  data: Buffer,
  budget: Budget,
): AbiValue | undefined {
  if (fixed !== undefined)
    return decodeRow(
      Array.from({ length: fixed }, () => of),
      data,
      budget,
    )
  const length = smallNumber(data, 0)
  // Each element takes at least a word.
  if (length === undefined || length * headWords(of) * wordBytes > data.length || length > budget.values)
    return undefined
  return decodeRow(
    Array.from({ length }, () => of),
    data.subarray(wordBytes),
    budget,
  )
}

function smallNumber(data: Buffer, at: number): number | undefined {
  if (at + wordBytes > data.length) return undefined
  const number = BigInt(`0x${data.toString('hex', at, at + wordBytes)}`)
  return number <= BigInt(data.length) ? Number(number) : undefined
}

export interface PresentedValue {
  readonly name: string | null
  readonly type: string
  readonly value: AbiValue
  readonly hex?: string
}

export function showValue({ name, type }: AbiParameter, value: AbiValue): PresentedValue {
  const shown = { name: name === '' ? null : name, type: canonicalType(type), value }
  const isNumber = type.kind === 'word' && /^u?int/.test(type.name) && typeof value === 'string'
  if (!isNumber) return shown
  const number = BigInt(value)
  return { ...shown, hex: number < 0n ? `-0x${(-number).toString(16)}` : `0x${number.toString(16)}` }
}

/** Selectors of `Error(string)` and `Panic(uint256)`. */
const errorSelector = '08c379a0'
const panicSelector = '4e487b71'
const maxReasonCharacters = 1000

const panics: Readonly<Record<string, string>> = {
  '1': 'assertion failed',
  '17': 'arithmetic overflow',
  '18': 'division by zero',
  '33': 'invalid enum value',
  '49': 'pop on an empty array',
  '50': 'array index out of bounds',
  '65': 'out of memory',
  '81': 'call to an unset function',
}

export function revertReason(data: string): string | undefined {
  const selector = data.slice(2, 10)
  const rest = Buffer.from(data.slice(10), 'hex')
  if (selector === errorSelector) {
    const [text] = decodeValues([{ kind: 'string' }], rest) ?? []
    return typeof text === 'string' ? text.slice(0, maxReasonCharacters) : undefined
  }
  if (selector === panicSelector) {
    const [code] = decodeValues([{ kind: 'word', name: 'uint256' }], rest) ?? []
    return typeof code === 'string'
      ? `panic ${code}${panics[code] === undefined ? '' : `, ${panics[code]}`}`
      : undefined
  }
  return selector === '' ? undefined : `custom error 0x${selector}`
}
