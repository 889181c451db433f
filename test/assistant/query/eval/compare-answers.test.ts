import { expect } from 'chai'
import fc from 'fast-check'
import { compareAnswers } from '../../../../scripts/eval/compare-answers.ts'
import type { ComparisonRules } from '../../../../scripts/eval/compare-answers.ts'
import type { SqlAnswer, SqlValue } from '../../../../src/assistant/query/sql/sql-runner.ts'

type Rows = readonly (readonly SqlValue[])[]

/** Column names are ignored. */
const answer = (rows: Rows, width = rows[0]?.length ?? 0): Pick<SqlAnswer, 'columns' | 'rows'> => ({
  columns: Array.from({ length: width }, (_, i) => ({ name: `c${i}`, type: 'text' })),
  rows,
})
const verdict = (known: Rows, found: Rows, rules?: ComparisonRules): string =>
  compareAnswers(answer(known), answer(found), rules).verdict

describe('answer comparison', () => {
  it('ignores row order unless the question specifies it', () => {
    expect(verdict([['a'], ['b']], [['b'], ['a']])).to.equal('same')
    expect(verdict([['a'], ['b']], [['b'], ['a']], { order: [0] })).to.equal('different')
    expect(verdict([['a'], ['a'], ['b']], [['a'], ['b'], ['b']])).to.equal('different')
    expect(verdict([['a'], ['b']], [['a']])).to.equal('different')
  })

  it('allows any order among rows with equal sort keys', () => {
    expect(
      verdict(
        [
          [1, 'x'],
          [1, 'y'],
          [2, 'z'],
        ],
        [
          [1, 'y'],
          [1, 'x'],
          [2, 'z'],
        ],
        { order: [0] },
      ),
    ).to.equal('same')
    expect(
      verdict(
        [
          [1, 'x'],
          [2, 'y'],
        ],
        [
          [2, 'y'],
          [1, 'x'],
        ],
        { order: [0] },
      ),
    ).to.equal('different')
  })

  it('equates number notations and compares long numbers digit by digit', () => {
    for (const [a, b] of [
      [7, '7'],
      ['7.00', 7],
      ['007', 7],
      ['-0', 0],
      ['0.10', 0.1],
      [1e21, '1000000000000000000000'],
    ] as const) {
      expect(verdict([[a]], [[b]]), `${a} and ${b}`).to.equal('same')
    }
    expect(verdict([['123456789012345678901']], [['123456789012345678902']])).to.equal('different')
    expect(verdict([['0.30000000000000004']], [[0.3]])).to.equal('same')
    expect(verdict([['0.301']], [[0.3]])).to.equal('different')
    expect(verdict([['10']], [['10.04']], { tolerance: 0.005 })).to.equal('same')
    expect(verdict([['10']], [['11']], { tolerance: 0.005 })).to.equal('different')
  })

  it('equates hex in either case and with or without prefix, and dates with their midnight', () => {
    expect(verdict([['0xABCDEF0123456789']], [['abcdef0123456789']])).to.equal('same')
    expect(verdict([['2026-01-05']], [['2026-01-05T00:00:00.000Z']])).to.equal('same')
    expect(verdict([['2026-01-05']], [['2026-01-05T00:00:00.001Z']])).to.equal('different')
    expect(verdict([['2026-01-05T10:00:00Z']], [['2026-01-05 10:00:00+00']])).to.equal('same')
  })

  it('distinguishes null from every other value', () => {
    for (const other of ['', 'null', 0, false, []] as SqlValue[])
      expect(verdict([[null]], [[other]]), JSON.stringify(other)).to.equal('different')
    expect(verdict([[null]], [[null]])).to.equal('same')
    expect(verdict([['true']], [[true]])).to.equal('different')
  })

  it('distinguishes reordered or additional columns from an equal answer', () => {
    expect(
      verdict(
        [
          ['a', 1],
          ['b', 2],
        ],
        [
          [1, 'a'],
          [2, 'b'],
        ],
      ),
    ).to.equal('same-values')
    expect(verdict([['a']], [['a', 'label']])).to.equal('same-values')
    expect(verdict([['a', 'label']], [['a']])).to.equal('different')
    expect(
      verdict(
        [
          [1, 2],
          [3, 4],
        ],
        [
          [2, 1],
          [3, 4],
        ],
      ),
    ).to.equal('different')
  })

  it('equates two empty answers only when their column counts match', () => {
    expect(compareAnswers(answer([], 2), answer([], 2)).verdict).to.equal('same')
    expect(compareAnswers(answer([], 2), answer([], 1)).verdict).to.equal('different')
  })

  it('reports how close a wrong answer is', () => {
    const { verdict: found, overlap } = compareAnswers(
      answer([
        ['a', 1],
        ['b', 2],
      ]),
      answer([
        ['a', 1],
        ['b', 3],
      ]),
    )
    expect({ found, overlap }).to.deep.equal({ found: 'different', overlap: 0.75 })
    expect(compareAnswers(answer([['a']]), answer([])).overlap).to.equal(0)
  })

  it('ignores field order in JSON values', () => {
    expect(verdict([[{ a: 1, b: ['0xABCDEF0123456789'] }]], [[{ b: ['0xabcdef0123456789'], a: '1' }]])).to.equal('same')
    expect(verdict([[[1, 2]]], [[[2, 1]]])).to.equal('different')
  })

  it('equates every answer with its permutations and no answer with one that has an additional row', () => {
    const value: fc.Arbitrary<SqlValue> = fc.oneof(
      fc.constant(null),
      fc.boolean(),
      fc.integer(),
      fc.bigInt().map(String),
      fc.string(),
    )
    const table = fc
      .integer({ min: 1, max: 4 })
      .chain((width) =>
        fc.array(fc.array(value, { minLength: width, maxLength: width }), { minLength: 1, maxLength: 6 }),
      )
    const mixing = table.chain((rows) =>
      fc.tuple(fc.constant(rows), fc.shuffledSubarray(rows, { minLength: rows.length })),
    )
    fc.assert(
      fc.property(mixing, ([rows, mixed]) => {
        expect(verdict(rows, mixed)).to.equal('same')
        expect(verdict(rows, [...rows, ...rows.slice(0, 1)])).to.equal('different')
      }),
    )
  })
})
