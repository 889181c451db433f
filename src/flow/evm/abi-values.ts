/** Integers are decimal; others are hex digits with `0x`. */
export type AbiValue = string | boolean | readonly string[]

const wordBytes = 32

/**
 * Types: `address`, `bool`, `uintN`, `intN`, `bytesN`, `bytes`, `string` and arrays of the first
 * five.
 *
 * @returns undefined for invalid data, because contracts can be called with any bytes
 */
export function readAbiValues(types: readonly string[], data: Uint8Array): readonly AbiValue[] | undefined {
  const values: AbiValue[] = []
  for (const [i, type] of types.entries()) {
    const word = wordAt(data, i * wordBytes)
    const value =
      word === undefined ? undefined : isReference(type) ? referred(type, data, word) : readAbiWord(type, word)
    if (value === undefined) return undefined
    values.push(value)
  }
  return values
}

export function readAbiWord(type: string, word: Uint8Array): string | boolean | undefined {
  const digits = Buffer.from(word).toString('hex')
  const number = BigInt(`0x${digits}`)
  if (type === 'address') return number < 1n << 160n ? `0x${digits.slice(24)}` : undefined
  if (type === 'bool') return number < 2n ? number === 1n : undefined
  const [, kind, size = ''] = /^(uint|int|bytes)(\d+)$/.exec(type) ?? []
  if (kind === 'bytes') return `0x${digits.slice(0, 2 * Number(size))}`
  const bits = Number(size)
  if (kind === 'uint') return number < 1n << BigInt(bits) ? number.toString() : undefined
  if (kind !== 'int') return undefined
  const signed = BigInt.asIntN(256, number)
  return BigInt.asIntN(bits, signed) === signed ? signed.toString() : undefined
}

function isReference(type: string): boolean {
  return type === 'bytes' || type === 'string' || type.endsWith('[]')
}

/** The word is the offset of the value. */
function referred(type: string, data: Uint8Array, word: Uint8Array): AbiValue | undefined {
  const start = smallNumber(word, data.length)
  const lengthWord = start === undefined ? undefined : wordAt(data, start)
  const length = lengthWord === undefined ? undefined : smallNumber(lengthWord, data.length)
  if (start === undefined || length === undefined) return undefined
  const from = start + wordBytes
  if (type.endsWith('[]')) return elements(type.slice(0, -2), data, from, length)
  if (from + length > data.length) return undefined
  const bytes = Buffer.from(data.subarray(from, from + length))
  return type === 'string' ? bytes.toString('utf8') : `0x${bytes.toString('hex')}`
}

function elements(type: string, data: Uint8Array, from: number, length: number): readonly string[] | undefined {
  const values: string[] = []
  for (let i = 0; i < length; i++) {
    const word = wordAt(data, from + i * wordBytes)
    const value = word === undefined ? undefined : readAbiWord(type, word)
    if (value === undefined) return undefined
    values.push(String(value))
  }
  return values
}

function wordAt(data: Uint8Array, offset: number): Uint8Array | undefined {
  return offset + wordBytes <= data.length ? data.subarray(offset, offset + wordBytes) : undefined
}

function smallNumber(word: Uint8Array, max: number): number | undefined {
  const number = BigInt(`0x${Buffer.from(word).toString('hex')}`)
  return number <= BigInt(max) ? Number(number) : undefined
}
