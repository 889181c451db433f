import { expect } from 'chai'
import fc from 'fast-check'
import {
  contains,
  difference,
  intersection,
  normalize,
  parseMultirange,
  size,
  split,
  toMultirange,
  union,
} from './ranges.ts'
import type { HeightRange, HeightSet } from './ranges.ts'

const limit = 60
const range = fc
  .tuple(fc.nat(limit), fc.nat(limit))
  .map(([a, b]): HeightRange => ({ from: Math.min(a, b), to: Math.max(a, b) }))
const ranges = fc.array(range, { maxLength: 8 })

function heights(set: Iterable<HeightRange>): Set<number> {
  const out = new Set<number>()
  for (const r of set) for (let h = r.from; h < r.to; h++) out.add(h)
  return out
}

function expectSet(set: HeightSet, expected: Set<number>): void {
  expect([...heights(set)].sort((a, b) => a - b)).to.deep.equal([...expected].sort((a, b) => a - b))
  for (const [i, r] of set.entries()) {
    expect(r.from).to.be.lessThan(r.to)
    const next = set[i + 1]
    if (next !== undefined) expect(r.to, 'ranges must not touch').to.be.lessThan(next.from)
  }
}

describe('height ranges', () => {
  it('normalize preserves every height and returns the canonical form', () => {
    fc.assert(fc.property(ranges, (a) => expectSet(normalize(a), heights(a))))
  })

  it('union, difference and intersection match sets of heights', () => {
    fc.assert(
      fc.property(ranges, ranges, (a, b) => {
        const [x, y] = [heights(a), heights(b)]
        expectSet(union(normalize(a), normalize(b)), x.union(y))
        expectSet(difference(normalize(a), normalize(b)), x.difference(y))
        expectSet(intersection(normalize(a), normalize(b)), x.intersection(y))
      }),
    )
  })

  it('contains and size match sets of heights', () => {
    fc.assert(
      fc.property(ranges, fc.nat(limit), (a, height) => {
        const set = normalize(a)
        expect(contains(set, height)).to.equal(heights(a).has(height))
        expect(size(set)).to.equal(heights(a).size)
      }),
    )
  })

  it('split returns pieces up to the maximum length that cover the range', () => {
    fc.assert(
      fc.property(range, fc.integer({ min: 1, max: 20 }), (r, length) => {
        const pieces = split(r, length)
        expect(pieces.every((p) => p.to - p.from <= length && p.from < p.to)).to.equal(true)
        expectSet(normalize(pieces), heights([r]))
      }),
    )
  })

  it('the PostgreSQL text form round-trips', () => {
    fc.assert(
      fc.property(ranges, (a) => {
        const set = normalize(a)
        expect(parseMultirange(toMultirange(set))).to.deep.equal(set)
      }),
    )
  })
})
