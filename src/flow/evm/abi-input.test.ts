import { expect } from 'chai'
import fc from 'fast-check'
import { AbiInputError, encodeAbiValues } from './abi-input.ts'
import type { AbiArgument } from './abi-input.ts'
import { readAbiValues } from './abi-values.ts'

const hex = (bytes: number): fc.Arbitrary<string> =>
  fc.uint8Array({ minLength: bytes, maxLength: bytes }).map((array) => `0x${Buffer.from(array).toString('hex')}`)

const leaves: fc.Arbitrary<readonly [type: string, value: AbiArgument]> = fc.oneof(
  hex(20).map((value) => ['address', value] as const),
  fc.bigInt(0n, 2n ** 256n - 1n).map((value) => ['uint256', String(value)] as const),
  fc.bigInt(-(2n ** 127n), 2n ** 127n - 1n).map((value) => ['int128', String(value)] as const),
  hex(4).map((value) => ['bytes4', value] as const),
  fc
    .nat(70)
    .chain(hex)
    .map((value) => ['bytes', value] as const),
  fc.string({ unit: 'grapheme' }).map((value) => ['string', value] as const),
)
const typed: fc.Arbitrary<readonly [type: string, value: AbiArgument]> = fc.oneof(
  leaves,
  leaves.chain(([type, value]) => fc.nat(3).map((n) => [`${type}[]`, Array.from({ length: n }, () => value)] as const)),
  fc.array(leaves, { minLength: 1, maxLength: 3 }).map((list) => {
    return [`(${list.map(([type]) => type).join(',')})`, list.map(([, value]) => value)] as const
  }),
  leaves.map(
    ([type, value]) =>
      [
        `(${type},bool)[2]`,
        [
          [value, 'true'],
          [value, 'false'],
        ],
      ] as const,
  ),
)

function problemOf(types: readonly string[], values: readonly AbiArgument[]): string {
  try {
    encodeAbiValues(types, values)
    return 'none'
  } catch (error) {
    if (!(error instanceof AbiInputError)) throw error
    return `${error.path} ${error.message}`.trim()
  }
}

describe('encodeAbiValues', () => {
  it('is the inverse of readAbiValues', () => {
    fc.assert(
      fc.property(fc.array(typed, { maxLength: 4 }), (list) => {
        const types = list.map(([type]) => type)
        const values = list.map(([, value]) => value)
        expect(readAbiValues(types, encodeAbiValues(types, values))).to.deep.equal(values)
      }),
    )
  })

  it('encodes the example of the specification', () => {
    // Source: Solidity documentation, "Contract ABI Specification", sam("dave", true, [1,2,3]).
    const encoded = encodeAbiValues(['bytes', 'bool', 'uint256[]'], ['0x64617665', true, [1, '0x2', '3']])
    const word = (digits: string): string => digits.padStart(64, '0')
    const words = ['60', '1', 'a0', '4', '64617665'.padEnd(64, '0'), '3', '1', '2', '3'].map(word)
    expect(encoded.toString('hex')).to.equal(words.join(''))
  })

  for (const [types, values, problem] of [
    [['address'], [], 'must have 1 value'],
    [['address'], ['0x12'], '1 must be 0x and 40 hex digits'],
    [['uint8'], ['256'], '1 must be a whole number of type uint8. Use digits only'],
    [['uint8'], ['255'], 'none'],
    [['uint8'], ['-1'], '1 must be a whole number of type uint8. Use digits only'],
    [['int8'], ['-128'], 'none'],
    [['int8'], ['-129'], '1 must be a whole number of type int8. Use digits only'],
    [['uint256'], ['1,000'], '1 must be a whole number of type uint256. Use digits only'],
    [
      ['uint256'],
      [1e20],
      '1 must be a whole number of type uint256. Write it as a text: JSON numbers are exact up to 2^53',
    ],
    [['bool'], ['yes'], '1 must be true or false'],
    [['bytes4'], ['0x123'], '1 must be 0x and 8 hex digits'],
    [['bytes'], ['12'], '1 must be 0x and pairs of hex digits'],
    [['string'], [7], '1 must be a text'],
    [['uint8[]'], ['7'], '1 must be an array (uint8[])'],
    [['uint8[2]'], [[1]], '1 must have 2 values'],
    [['(bool,address)[]'], [[[true, '0x']]], '1.1.2 must be 0x and 40 hex digits'],
    [['fixed128x18'], ['1'], '1 has the unsupported type fixed128x18'],
    [['uint8[][][][][][][][][]'], [[[[[[[[[[1]]]]]]]]]], '1.1.1.1.1.1.1.1.1 is nested too deeply'],
  ] as const) {
    it(`reports ${JSON.stringify(values)} as ${types.join(',')}: ${problem}`, () => {
      expect(problemOf(types, values)).to.equal(problem)
    })
  }
})
