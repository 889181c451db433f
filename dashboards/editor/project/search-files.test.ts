import { expect } from 'chai'
import fc from 'fast-check'
import { maxMatches, searchFiles } from './search-files.ts'

const files = new Map([
  ['b.cdc', 'access(all) fun main(): Int {\n    return Counter.count\n}\n'],
  ['a.cdc', 'access(all) contract Counter {}\n'],
])

describe('a search in all files', () => {
  it('finds plain text with line and column, by path', () => {
    expect(searchFiles(files, 'counter', { isCaseSensitive: false })).to.deep.equal({
      matches: [
        { path: 'a.cdc', line: 1, column: 22, parts: ['access(all) contract ', 'Counter', ' {}'] },
        { path: 'b.cdc', line: 2, column: 12, parts: ['return ', 'Counter', '.count'] },
      ],
      isPartial: false,
    })
    expect(searchFiles(files, 'counter', { isCaseSensitive: true }).matches).to.deep.equal([])
    expect(searchFiles(files, '(): Int {', { isCaseSensitive: true }).matches).to.have.length(1)
    expect(searchFiles(files, '', { isCaseSensitive: false }).matches).to.deep.equal([])
  })

  it('takes any text literally', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...Array.from('a.*+?()[]{}|/\\^$-😀')), minLength: 1 }), (text) => {
        const [match] = searchFiles(new Map([['a', `x${text}y`]]), text, { isCaseSensitive: true }).matches
        expect(match?.parts[1]).to.equal(text)
      }),
    )
  })

  it('stops at a number of matches', () => {
    const many = new Map([['a', 'x\n'.repeat(maxMatches + 5)]])
    const { matches, isPartial } = searchFiles(many, 'x', { isCaseSensitive: false })
    expect([matches.length, isPartial]).to.deep.equal([maxMatches, true])
  })
})
