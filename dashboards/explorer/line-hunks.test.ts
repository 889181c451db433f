import { expect } from 'chai'
import { compareLines } from './line-differences.ts'
import { lineHunks } from './line-hunks.ts'

describe('hunks of lines', () => {
  const before = Array.from({ length: 20 }, (_, i) => `line ${i + 1}`)

  it('number the lines that changed in both texts, and say how many are left out', () => {
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

  it('are none where nothing changed', () => {
    expect(lineHunks(compareLines('a\nb', 'a\nb') ?? [], 3)).to.deep.equal([])
  })
})
