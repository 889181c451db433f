import { expect } from 'chai'
import fc from 'fast-check'
import { maxDecimalBytes, putFixed8, putInteger, formatFixed, formatInteger } from './decimal.ts'
import { WordTexts } from './text-caches.ts'

type Put = typeof putInteger

function spelled(put: Put, value: bigint): string {
  const target = Buffer.alloc(maxDecimalBytes + 2, 0x2a)
  const end = put(target, 1, Number(value >> 32n), Number(value & 0xffff_ffffn))
  expect(target.toString('latin1', 0, 1) + target.toString('latin1', end, end + 1)).to.equal('**')
  return target.toString('latin1', 1, end)
}

const powersOfTen = Array.from({ length: 20 }, (_, exponent) => 10n ** BigInt(exponent))
/** Boundary values for digits, word halves and exact doubles, with their neighbours. */
const edges = [0n, 1n << 32n, 1n << 53n, 1n << 63n, (1n << 64n) - 2n, ...powersOfTen]
  .flatMap((edge) => [edge - 1n, edge, edge + 1n])
  .filter((value) => value >= 0n)

describe('decimal text', () => {
  const values = fc.oneof(fc.bigInt({ min: 0n, max: (1n << 64n) - 1n }), fc.constantFrom(...edges))

  it('formats integers as BigInt does', () => {
    for (const edge of edges) expect(spelled(putInteger, edge)).to.equal(edge.toString())
    fc.assert(
      fc.property(values, (value) => {
        expect(spelled(putInteger, value)).to.equal(value.toString())
      }),
    )
  })

  it('formats fixed-point numbers with eight decimals', () => {
    fc.assert(
      fc.property(values, (value) => {
        const digits = value.toString().padStart(9, '0')
        expect(spelled(putFixed8, value)).to.equal(`${digits.slice(0, -8)}.${digits.slice(-8)}`)
      }),
    )
  })
})

const words = fc.oneof(
  fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
  fc.bigInt({ min: 0n, max: 2n ** 53n + 10n }),
  fc.bigInt({ min: 0n, max: 2_000_000_000n }),
  fc.integer({ min: 0, max: 19 }).map((power) => 10n ** BigInt(power)),
  fc.integer({ min: 0, max: 19 }).map((power) => 10n ** BigInt(power) - 1n),
)

describe('decimal text from words', () => {
  const halves = (value: bigint): [number, number] => [Number(value >> 32n), Number(value & 0xffff_ffffn)]

  it('formats integers', () => {
    fc.assert(
      fc.property(words, (value) => {
        expect(formatInteger(...halves(value))).to.equal(value.toString())
      }),
      { numRuns: 2000 },
    )
  })

  it('formats numbers with 8 decimals', () => {
    fc.assert(
      fc.property(words, (value) => {
        const digits = value.toString().padStart(9, '0')
        expect(formatFixed(...halves(value))).to.equal(`${digits.slice(0, -8)}.${digits.slice(-8)}`)
      }),
      { numRuns: 2000 },
    )
  })

  it('stays correct when table entries are replaced', () => {
    const texts = new WordTexts(formatInteger)
    fc.assert(
      fc.property(fc.array(fc.oneof(words, fc.bigInt({ min: 0n, max: 9n })), { maxLength: 40 }), (values) => {
        for (const value of [...values, ...values]) expect(texts.of(...halves(value))).to.equal(value.toString())
      }),
      { numRuns: 500 },
    )
  })
})
