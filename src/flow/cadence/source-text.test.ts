import { expect } from 'chai'
import fc from 'fast-check'
import { SourceText } from './source-text.ts'

describe('source positions', () => {
  it('are in lines and characters, independent of the byte length', () => {
    const source = new SourceText('ab\n你😀c\n')
    expect([0, 1, 3, 6, 10, 12].map((offset) => source.placeOf(offset))).to.deep.equal([
      { line: 1, column: 1 },
      { line: 1, column: 2 },
      { line: 2, column: 1 },
      { line: 2, column: 2 },
      { line: 2, column: 3 },
      { line: 3, column: 1 },
    ])
    expect(source.placeOf(5), 'the last byte of a character').to.deep.equal({ line: 2, column: 1 })
    expect(source.placeOf(999)).to.deep.equal({ line: 3, column: 1 })
    expect(source.offsetOf({ line: 2, column: 3 })).to.equal(10)
    expect(source.offsetOf({ line: 9, column: 1 })).to.equal(undefined)
    expect(source.shownLine(2)).to.equal('你😀c')
    expect(source.slice(3, 5)).to.equal('你')
  })

  it('round-trip', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('a', ' ', '\n', '你', '😀', 'é'), { maxLength: 60 }), (characters) => {
        const code = characters.join('')
        const source = new SourceText(code)
        let offset = 0
        for (const character of characters) {
          expect(source.offsetOf(source.placeOf(offset))).to.equal(offset)
          offset += Buffer.byteLength(character)
        }
      }),
    )
  })
})
