import { abiError } from './abi-error.ts'
import { canonicalType, headWords, isDynamic } from './abi-type.ts'
import type { AbiType } from './abi-type.ts'
import type { AbiParameter } from './read-signature.ts'

const wordBytes = 32
/** Of all values together; no call of use has more. */
const mostBytes = 64 * 1024

/**
 * The data of arguments: numbers as numbers or texts (decimal, or hex with 0x), addresses and bytes as 0x and hex, tuples as lists.
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
      `The signature has ${parameters.length} arguments, and ${values.length} are given.`,
      field,
    )
  }
  const data = encodeRow(
    parameters.map(({ type }) => type),
    values,
    field,
  )
  if (data.length > mostBytes) throw abiError('bad-argument', `The arguments have more than ${mostBytes} bytes.`, field)
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
  if (values.length * headWords(type.of) * wordBytes > mostBytes)
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

/** A number as 32 bytes; a negative one by the complement of two. */
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
    `${at} is ${shown}, and should be ${canonicalType(type)}: numbers as numbers or texts, addresses and bytes as 0x and hex, tuples as lists.`,
    at,
  )
}
