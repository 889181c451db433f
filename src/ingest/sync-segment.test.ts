import { expect } from 'chai'
import fc from 'fast-check'
import { normalize } from '../platform/ranges.ts'
import { HeightWalk } from './sync-segment.ts'

describe('height walk', () => {
  const sets = fc
    .array(fc.tuple(fc.nat(60), fc.nat(9)), { maxLength: 6 })
    .map((ranges) => normalize(ranges.map(([from, length]) => ({ from, to: from + length }))))

  for (const direction of ['up', 'down'] as const) {
    it(`returns every height once, ${direction}, with the next height and the remaining count`, () => {
      fc.assert(
        fc.property(sets, (set) => {
          const expected = set.flatMap(({ from, to }) => Array.from({ length: to - from }, (_, i) => from + i))
          if (direction === 'down') expected.reverse()
          const walk = new HeightWalk(set, direction)
          for (const [i, height] of expected.entries()) {
            expect(walk.left).to.equal(expected.length - i)
            expect(walk.next).to.equal(height)
            expect(walk.take()).to.equal(height)
          }
          expect([walk.left, walk.next, walk.take()]).to.deep.equal([0, undefined, undefined])
        }),
      )
    })
  }

  it('does not modify the set', () => {
    const set = [{ from: 1, to: 3 }]
    new HeightWalk(set, 'up').take()
    expect(set).to.deep.equal([{ from: 1, to: 3 }])
  })
})
