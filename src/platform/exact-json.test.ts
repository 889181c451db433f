import { expect } from 'chai'
import fc from 'fast-check'
import { parseExactJson } from './exact-json.ts'

describe('parseExactJson', () => {
  it('returns numbers that a double would round as text', () => {
    const exact = [
      '0',
      '-0',
      '1.00',
      '0.1',
      '123456789012345',
      '9007199254740991',
      '1e5',
      '1.5E-3',
      '0.000000000000001',
    ]
    for (const source of exact) expect(parseExactJson(source), source).to.equal(Number(source))
    const rounded = [
      '9007199254740993',
      '12345678901234567890',
      '1e400',
      '-0.1234567890123456789',
      '1.0000000000000000001',
    ]
    for (const source of rounded) expect(parseExactJson(`{"a":[${source}]}`), source).to.deep.equal({ a: [source] })
  })

  it('leaves texts and keys alone', () => {
    const text = '{"9007199254740993":"12345678901234567890","a\\"1e400":"\\\\","b":"1e400"}'
    expect(parseExactJson(text)).to.deep.equal(JSON.parse(text))
    fc.assert(
      fc.property(fc.json({ maxDepth: 3 }), (json) => {
        expect(parseExactJson(`[${json},9007199254740993]`)).to.deep.equal([JSON.parse(json), '9007199254740993'])
      }),
      { numRuns: 50 },
    )
  })

  it('throws for invalid texts in linear time', () => {
    for (const text of ['', '[1', '"'.repeat(100_001), '{"a":1e}']) {
      expect(() => parseExactJson(text), text.slice(0, 9)).to.throw(SyntaxError)
    }
  })
})
