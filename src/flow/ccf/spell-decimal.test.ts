import { expect } from 'chai'
import * as fc from 'fast-check'
import { spellFixed, spellInteger } from './spell-decimal.ts'
import { WordTexts } from './word-texts.ts'

const words = fc.oneof(
  fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
  fc.bigInt({ min: 0n, max: 2n ** 53n + 10n }),
  fc.bigInt({ min: 0n, max: 2_000_000_000n }),
  fc.integer({ min: 0, max: 19 }).map((power) => 10n ** BigInt(power)),
  fc.integer({ min: 0, max: 19 }).map((power) => 10n ** BigInt(power) - 1n),
)

describe('decimal texts of words', () => {
  const halves = (value: bigint): [number, number] => [Number(value >> 32n), Number(value & 0xffff_ffffn)]

  it('are those of integers', () => {
    fc.assert(
      fc.property(words, (value) => {
        expect(spellInteger(...halves(value))).to.equal(value.toString())
      }),
      { numRuns: 2000 },
    )
  })

  it('are those of numbers with 8 decimals', () => {
    fc.assert(
      fc.property(words, (value) => {
        const digits = value.toString().padStart(9, '0')
        expect(spellFixed(...halves(value))).to.equal(`${digits.slice(0, -8)}.${digits.slice(-8)}`)
      }),
      { numRuns: 2000 },
    )
  })

  it('stay right in a table in which words take the places of others', () => {
    const texts = new WordTexts(spellInteger)
    fc.assert(
      fc.property(fc.array(fc.oneof(words, fc.bigInt({ min: 0n, max: 9n })), { maxLength: 40 }), (values) => {
        for (const value of [...values, ...values]) expect(texts.of(...halves(value))).to.equal(value.toString())
      }),
      { numRuns: 500 },
    )
  })
})
