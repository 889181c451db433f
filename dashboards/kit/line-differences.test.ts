import { expect } from 'chai'
import fc from 'fast-check'
import { compareLines, maxEdits, maxOneSidedLines, lineHunks } from './line-differences.ts'

const signs = { same: ' ', old: '-', new: '+' } as const
const numbered = (prefix: string, count: number): string =>
  Array.from({ length: count }, (_, i) => `${prefix}${i}`).join('\n')

describe('line differences', () => {
  it('are the shortest list of changes', () => {
    const marked = compareLines('a\nb\nc\nd', 'a\nc\nx\nd')?.map(({ kind, text }) => `${signs[kind]}${text}`)
    expect(marked).to.deep.equal([' a', '-b', ' c', '+x', ' d'])
    expect(compareLines('a', 'a')).to.deep.equal([{ kind: 'same', text: 'a' }])
  })

  it('contain both versions, for any two texts', () => {
    const text = fc.array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 12 }).map((lines) => lines.join('\n'))
    fc.assert(
      fc.property(text, text, (before, after) => {
        const lines = compareLines(before, after) ?? []
        const without = (kind: string): string =>
          lines
            .filter((line) => line.kind !== kind)
            .map((line) => line.text)
            .join('\n')
        expect(without('new')).to.equal(before)
        expect(without('old')).to.equal(after)
      }),
    )
  })

  it('are found up to the edit limit, and not above it', () => {
    const half = maxEdits / 2
    const [before, after] = [numbered('a', half), numbered('b', half)]
    expect(compareLines(before, after)).to.have.lengthOf(maxEdits)
    expect(compareLines(before, `${after}\none more`)).to.equal(undefined)
    expect(compareLines(numbered('a', maxEdits), numbered('b', 3))).to.equal(undefined)
  })

  it('have a lower edit limit for very long texts', () => {
    const lines = Array.from({ length: 100_000 }, () => '')
    const changed = (count: number): string =>
      lines
        .map((line, i) => (i % 4000 === 0 && i / 4000 < count - 1 ? 'x' : line))
        .with(99_999, 'x')
        .join('\n')
    expect(compareLines(lines.join('\n'), changed(25))).to.have.lengthOf(100_025)
    expect(compareLines(lines.join('\n'), changed(26))).to.equal(undefined)
  })

  it('have a separate limit for lines that are only added or removed', () => {
    const lines = numbered('a', maxOneSidedLines)
    expect(compareLines('start\nend', `start\n${lines}\nend`)).to.have.lengthOf(maxOneSidedLines + 2)
    expect(compareLines(`start\n${lines}\nmore\nend`, 'start\nend')).to.equal(undefined)
  })
})

describe('hunks of lines', () => {
  const before = Array.from({ length: 20 }, (_, i) => `line ${i + 1}`)

  it('number the changed lines in both texts and count the omitted ones', () => {
    const after = [...before.slice(0, 4), 'put in', ...before.slice(4, 14), ...before.slice(15)]
    const hunks = lineHunks(compareLines(before.join('\n'), after.join('\n')) ?? [], 1)
    expect(hunks.map(({ skipped }) => skipped)).to.deep.equal([3, 8])
    expect(
      hunks.map(({ lines }) => lines.map((line) => [line.kind, line.before, line.after, line.text])),
    ).to.deep.equal([
      [
        ['same', 4, 4, 'line 4'],
        ['new', undefined, 5, 'put in'],
        ['same', 5, 6, 'line 5'],
      ],
      [
        ['same', 14, 15, 'line 14'],
        ['old', 15, undefined, 'line 15'],
        ['same', 16, 16, 'line 16'],
      ],
    ])
  })

  it('are empty without changes', () => {
    expect(lineHunks(compareLines('a\nb', 'a\nb') ?? [], 3)).to.deep.equal([])
  })
})
