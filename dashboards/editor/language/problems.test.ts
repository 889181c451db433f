import { Text } from '@codemirror/state'
import { expect } from 'chai'
import fc from 'fast-check'
import { marksOf, problemsOf } from './problems.ts'

const at = (
  line: number,
  character: number,
  severity?: 1 | 2,
): {
  range: { start: { line: number; character: number }; end: { line: number; character: number } }
  message: string
  severity?: 1 | 2
} => ({
  range: { start: { line, character }, end: { line, character: character + 2 } },
  message: `${line}:${character}`,
  ...(severity === undefined ? {} : { severity }),
})

describe('diagnostics', () => {
  it('are sorted by severity and count from 1', () => {
    expect(
      problemsOf('a.cdc', [at(4, 0, 2), at(9, 1), at(2, 3, 1)]).map(({ severity, line, column }) => [
        severity,
        line,
        column,
      ]),
    ).to.deep.equal([
      ['error', 3, 4],
      ['error', 10, 2],
      ['warning', 5, 1],
    ])
  })

  it('are clamped to the document', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: fc.constantFrom('a', '😀', '\n') })),
        fc.integer({ min: -2, max: 50 }),
        fc.integer({ min: -2, max: 50 }),
        (lines, line, character) => {
          const doc = Text.of(lines.join('').split('\n'))
          for (const { from, to } of marksOf([at(line, character)], doc)) {
            expect(from).to.be.within(0, doc.length)
            expect(to).to.be.within(from, doc.length)
          }
        },
      ),
    )
  })

  it('count UTF-16 units', () => {
    expect(marksOf([at(1, 2)], Text.of(['x', '😀ab']))).to.deep.include({
      from: 4,
      to: 6,
      severity: 'error',
      message: '1:2',
    })
  })
})
