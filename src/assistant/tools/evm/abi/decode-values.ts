import { readAbiWord } from '../../../../flow/evm/abi-values.ts'
import { headWords, isDynamic } from './abi-type.ts'
import type { AbiType } from './abi-type.ts'

/** A value as it is told: numbers as decimal texts, addresses and bytes as 0x and hex. */
export type AbiValue = string | boolean | readonly AbiValue[]

const wordBytes = 32
/** A contract may have lists refer to each other so that a kilobyte becomes a billion values. */
const mostValues = 10_000
/** The same for texts and bytes that are referred to again and again. */
const mostBytes = 4 * 1024 * 1024

/** Reads values by the ABI; undefined where the bytes are not of these types, since a contract may answer anything. */
export function decodeValues(types: readonly AbiType[], data: Uint8Array): readonly AbiValue[] | undefined {
  const budget = { values: mostValues, bytes: mostBytes }
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
  // Each element takes a word at least, so that a length beyond what there is would be a lie.
  if (length === undefined || length * headWords(of) * wordBytes > data.length || length > budget.values)
    return undefined
  return decodeRow(
    Array.from({ length }, () => of),
    data.subarray(wordBytes),
    budget,
  )
}

/** A place or a length; undefined where it is beyond what there is. */
function smallNumber(data: Buffer, at: number): number | undefined {
  if (at + wordBytes > data.length) return undefined
  const number = BigInt(`0x${data.toString('hex', at, at + wordBytes)}`)
  return number <= BigInt(data.length) ? Number(number) : undefined
}
