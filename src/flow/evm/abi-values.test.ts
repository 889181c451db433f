import { expect } from 'chai'
import fc from 'fast-check'
import { readAbiValues } from './abi-values.ts'
import type { AbiValue } from './abi-values.ts'

/** A value with its type and its encoded words: `head` in place, `tail` after all heads. */
interface Encoded {
  readonly type: string
  readonly value: AbiValue
  readonly head?: string
  readonly tail?: string
}

const word = (number: bigint | number): string => BigInt.asUintN(256, BigInt(number)).toString(16).padStart(64, '0')
const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')
const padded = (hex: string): string => hex.padEnd(Math.ceil(hex.length / 64) * 64, '0')

const anyUint = fc
  .bigInt({ min: 0n, max: 2n ** 256n - 1n })
  .map((n): Encoded => ({ type: 'uint256', value: `${n}`, head: word(n) }))
const anyInt = fc
  .bigInt({ min: -(2n ** 255n), max: 2n ** 255n - 1n })
  .map((n): Encoded => ({ type: 'int256', value: `${n}`, head: word(n) }))
const anyAddress = fc
  .bigInt({ min: 0n, max: 2n ** 160n - 1n })
  .map((n): Encoded => ({ type: 'address', value: `0x${n.toString(16).padStart(40, '0')}`, head: word(n) }))
const anyBool = fc.boolean().map((is): Encoded => ({ type: 'bool', value: is, head: word(is ? 1 : 0) }))
const anyFixedBytes = fc
  .uint8Array({ minLength: 4, maxLength: 4 })
  .map((bytes): Encoded => ({ type: 'bytes4', value: `0x${hexOf(bytes)}`, head: padded(hexOf(bytes)) }))
const anyBytes = fc.uint8Array({ maxLength: 70 }).map((bytes): Encoded => ({
  type: 'bytes',
  value: `0x${hexOf(bytes)}`,
  tail: word(bytes.length) + padded(hexOf(bytes)),
}))
const anyString = fc.string({ unit: 'grapheme' }).map((text): Encoded => {
  const bytes = Buffer.from(text)
  return { type: 'string', value: bytes.toString('utf8'), tail: word(bytes.length) + padded(hexOf(bytes)) }
})
const anyArray = fc.array(anyUint, { maxLength: 5 }).map((items): Encoded => ({
  type: 'uint256[]',
  value: items.map(({ value }) => String(value)),
  tail: word(items.length) + items.map(({ head }) => head).join(''),
}))
const anyValues = fc.array(
  fc.oneof(anyUint, anyInt, anyAddress, anyBool, anyFixedBytes, anyBytes, anyString, anyArray),
  { maxLength: 8 },
)

function encode(values: readonly Encoded[]): Buffer {
  let heads = ''
  let tails = ''
  for (const { head, tail = '' } of values) {
    heads += head ?? word(values.length * 32 + tails.length / 2)
    tails += tail
  }
  return Buffer.from(heads + tails, 'hex')
}

describe('readAbiValues', () => {
  it('round-trips any values', () => {
    fc.assert(
      fc.property(anyValues, (values) => {
        expect(
          readAbiValues(
            values.map(({ type }) => type),
            encode(values),
          ),
        ).to.deep.equal(values.map(({ value }) => value))
      }),
    )
  })

  it('returns values or undefined for any bytes', () => {
    const types = fc.array(
      fc.constantFrom('address', 'bool', 'uint8', 'int24', 'bytes32', 'bytes', 'string', 'address[]', 'x'),
      { maxLength: 4 },
    )
    fc.assert(
      fc.property(types, fc.uint8Array({ maxLength: 200 }), (wanted, bytes) => {
        const found = readAbiValues(wanted, bytes)
        if (found !== undefined) expect(found).to.have.length(wanted.length)
      }),
      { numRuns: 500 },
    )
  })

  const [address, number] = [word(2n ** 160n - 1n), word(2n ** 255n)]
  for (const [what, type, words] of [
    ['an address of 21 bytes', 'address', word(2n ** 160n)],
    ['a truth value of 2', 'bool', word(2)],
    ['a number beyond its size', 'uint8', word(256)],
    ['a negative number beyond its size', 'int8', word(-129)],
    ['a type that is not known', 'tuple', word(1)],
    ['a place beyond the end', 'bytes', word(64)],
    ['a place that no array has', 'bytes', number],
    ['a length beyond the end', 'string', word(32) + word(1)],
    ['an endless array', 'uint256[]', word(32) + number],
    ['an array of wrong values', 'bool[]', word(32) + word(1) + address],
    ['a word that is cut off', 'uint256', '00'],
  ] as const) {
    it(`returns undefined for ${what}`, () => {
      expect(readAbiValues([type], Buffer.from(words, 'hex'))).to.equal(undefined)
    })
  }
})

describe('readAbiValues of arrays and tuples', () => {
  const read = (types: readonly string[], ...words: readonly (bigint | number)[]): unknown =>
    readAbiValues(types, Buffer.from(words.map(word).join(''), 'hex'))

  it('reads fixed arrays and tuples in place', () => {
    expect(read(['uint256[2]', '(bool,int8)', 'uint256'], 1, 2, 1, -3, 4)).to.deep.equal([
      ['1', '2'],
      ['true', '-3'],
      '4',
    ])
  })

  it('reads nested arrays and tuples with references', () => {
    const tuples = read(['(uint256,uint256[])[]'], 32, 1, 32, 5, 64, 2, 6, 7)
    expect(tuples).to.deep.equal([[['5', ['6', '7']]]])
    expect(read(['uint256[][2]'], 32, 64, 128, 1, 8, 1, 9)).to.deep.equal([[['8'], ['9']]])
  })

  it('returns undefined for arrays without end, without size and too deep', () => {
    expect(read(['uint256[1000000]'], 1)).to.equal(undefined)
    expect(read(['()[]'], 32, 5)).to.equal(undefined)
    expect(read(['uint256[0]'], 1)).to.equal(undefined)
    expect(read([`uint256${'[]'.repeat(20)}`], ...Array.from({ length: 60 }, () => 32))).to.equal(undefined)
  })

  it('bounds texts that refer to the same bytes many times', () => {
    const sharing = (count: number): Buffer =>
      Buffer.from(word(32) + word(count) + word(32 * count).repeat(count) + word(2000) + '61'.repeat(2000), 'hex')
    expect(readAbiValues(['string[]'], sharing(4))).to.deep.equal([Array.from({ length: 4 }, () => 'a'.repeat(2000))])
    for (const type of ['string[]', 'bytes[]']) expect(readAbiValues([type], sharing(200))).to.equal(undefined)
  })

  it('bounds arrays that refer to the same bytes many times', () => {
    // Each of 100 elements at each of three levels refers to the same array.
    const level = [100, ...Array.from({ length: 100 }, () => 3200)]
    expect(read(['uint256[][][]'], 32, ...level, ...level, ...level)).to.equal(undefined)
  })
})
