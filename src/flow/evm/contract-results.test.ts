import { expect } from 'chai'
import fc from 'fast-check'
import { callInput, textResult, uintResult } from './contract-results.ts'

const word = (value: bigint | number): string => BigInt(value).toString(16).padStart(64, '0')

function encoded(text: string): string {
  const bytes = Buffer.from(text)
  const padding = '00'.repeat((32 - (bytes.length % 32)) % 32)
  return word(32) + word(bytes.length) + bytes.toString('hex') + padding
}

describe('results of EVM contracts', () => {
  it('follow from calls with a selector and words', () => {
    expect(callInput('name()')).to.equal('06fdde03')
    expect(callInput('tokenURI(uint256)', 7n)).to.equal(`c87b56dd${word(7)}`)
  })

  it('are texts in either encoding', () => {
    expect(textResult(encoded('Wrapped Flow'), 100)).to.equal('Wrapped Flow')
    expect(textResult(Buffer.from('MKR').toString('hex').padEnd(64, '0'), 100)).to.equal('MKR')
    expect(textResult(encoded(' two\0\nlines '), 100)).to.equal('two lines')
  })

  it('are null where they are missing, empty, too long or of another type', () => {
    for (const result of [null, undefined, '', encoded(''), encoded('   '), encoded('x'.repeat(11)), word(1), '0xzz'])
      expect(textResult(result, 10), String(result)).to.equal(null)
    for (const result of [null, undefined, '', '01', `${word(1)}00`, 'g'.repeat(64)])
      expect(uintResult(result), String(result)).to.equal(null)
    expect(textResult(encoded('😀'.repeat(10)), 10)).to.equal('😀'.repeat(10))
  })

  it('of any text and number are decoded exactly', () => {
    const anyText = fc
      .string({ unit: 'grapheme', minLength: 1, maxLength: 50 })
      .filter((text) => text === text.trim() && !/[\p{Cc}\uFFFD]/u.test(text) && text.isWellFormed())
    fc.assert(fc.property(anyText, (text) => textResult(encoded(text), 1000) === text))
    fc.assert(fc.property(fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }), (value) => uintResult(word(value)) === value))
  })

  it('of any bytes never throw, and stay within the limit', () => {
    const offset = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }).map(word)
    const small = fc.integer({ min: 0, max: 200 }).map(word)
    const rest = fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes).toString('hex'))
    const hostile = fc.tuple(fc.oneof(offset, small), fc.oneof(offset, small), rest).map((parts) => parts.join(''))
    fc.assert(
      fc.property(fc.oneof(hostile, rest), (result) => {
        const text = textResult(result, 20)
        expect(Array.from(text ?? '')).to.have.lengthOf.at.most(20)
        expect(text ?? '').to.not.match(/\p{Cc}/u)
        uintResult(result)
      }),
      { numRuns: 1000 },
    )
  })
})
