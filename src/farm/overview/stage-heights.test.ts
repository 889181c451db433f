import { expect } from 'chai'
import fc from 'fast-check'
import { contains, normalize } from '../../platform/ranges.ts'
import type { HeightRange, HeightSet } from '../../platform/ranges.ts'
import { availableToForward, availableToHistory, availableToWorker, numbersOf } from './stage-plan.ts'

const limit = 50
const range = fc
  .tuple(fc.nat(limit), fc.nat(limit))
  .map(([a, b]): HeightRange => ({ from: Math.min(a, b), to: Math.max(a, b) }))
const set = fc.array(range, { maxLength: 8 }).map(normalize)

function heights(of: HeightSet): number[] {
  return of.flatMap(({ from, to }) => Array.from({ length: to - from }, (_, i) => from + i))
}

describe('the heights of a stage', () => {
  it('match a count height by height', () => {
    fc.assert(
      fc.property(set, set, set, (covered, available, skipped) => {
        const numbers = numbersOf({ covered, available, skipped })
        const done = heights(covered)
        const backlog = heights(available).filter((height) => !contains(covered, height) && !contains(skipped, height))
        expect(numbers).to.deep.include({
          covered: done.length,
          available: heights(available).length,
          backlog: backlog.length,
          lowest: done[0] ?? null,
          highest: done.at(-1) ?? null,
        })
        // A gap begins at a height that does not follow another height of the backlog.
        const between = backlog.filter(
          (height) => done.some((other) => other < height) && done.some((other) => other > height),
        )
        expect(numbers.holes).to.equal(
          between.filter((height) => !backlog.includes(height - 1) || !between.includes(height - 1)).length,
        )
      }),
    )
  })

  it('are available to a worker once all followed workers have passed them', () => {
    fc.assert(
      fc.property(set, fc.array(set, { maxLength: 3 }), (stored, passable) => {
        const expected = heights(stored).filter((height) => passable.every((passed) => contains(passed, height)))
        expect(heights(availableToWorker(stored, passable))).to.deep.equal(expected)
      }),
    )
  })

  it('include, for the forward ingester, all heights from its start to the head', () => {
    expect(availableToForward([], 0, 100)).to.deep.equal([])
    expect(availableToForward([], 90, 100)).to.deep.equal([{ from: 90, to: 101 }])
    expect(
      availableToForward(
        [
          { from: 80, to: 85 },
          { from: 87, to: 90 },
        ],
        90,
        100,
      ),
    ).to.deep.equal([{ from: 80, to: 101 }])
    // The known head can be older than the stored blocks.
    expect(availableToForward([{ from: 80, to: 90 }], 0, undefined)).to.deep.equal([{ from: 80, to: 90 }])
    expect(availableToForward([{ from: 80, to: 90 }], 0, 85)).to.deep.equal([{ from: 80, to: 90 }])
  })

  it('include, for the history ingester, all heights below down to the end of history', () => {
    expect(availableToHistory([], [], 10)).to.deep.equal([])
    expect(availableToHistory([], [{ from: 100, to: 110 }], undefined)).to.deep.equal([])
    expect(availableToHistory([], [{ from: 100, to: 110 }], 10)).to.deep.equal([{ from: 10, to: 100 }])
    expect(availableToHistory([{ from: 50, to: 60 }], [{ from: 100, to: 110 }], undefined)).to.deep.equal([
      { from: 50, to: 100 },
    ])
    expect(availableToHistory([{ from: 5, to: 60 }], [{ from: 100, to: 110 }], 10)).to.deep.equal([
      { from: 5, to: 100 },
    ])
    expect(availableToHistory([{ from: 50, to: 60 }], [], 10)).to.deep.equal([{ from: 10, to: 60 }])
  })
})
