import { expect } from 'chai'
import fc from 'fast-check'
import { compareLines } from './line-differences.ts'

describe('differences of two versions', () => {
  it('are the least that one can say', () => {
    const told = compareLines('a\nb\nc\nd', 'a\nc\nx\nd').map(({ kind, text }) => `${{ same: ' ', old: '-', new: '+' }[kind]}${text}`)
    expect(told).to.deep.equal([' a', '-b', ' c', '+x', ' d'])
    expect(compareLines('a', 'a')).to.deep.equal([{ kind: 'same', text: 'a' }])
  })

  it('hold both versions, whatever they are', () => {
    const text = fc.array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 12 }).map((lines) => lines.join('\n'))
    fc.assert(
      fc.property(text, text, (before, after) => {
        const lines = compareLines(before, after)
        const without = (kind: string): string => lines.filter((line) => line.kind !== kind).map((line) => line.text).join('\n')
        expect(without('new')).to.equal(before)
        expect(without('old')).to.equal(after)
      }),
    )
  })
})
