import { expect } from 'chai'
import fc from 'fast-check'
import { contains, normalize } from '../../platform/ranges.ts'
import type { HeightRange } from '../../platform/ranges.ts'
import { cellBorders, heightsPerCell, partsPerCell } from './pace.ts'

const limit = 80
const range = fc
  .tuple(fc.nat(limit), fc.nat(limit))
  .map(([a, b]): HeightRange => ({ from: Math.min(a, b), to: Math.max(a, b) }))
const set = fc.array(range, { maxLength: 12 }).map(normalize)

describe('coverage in cells', () => {
  it('cells have similar lengths, contain every height once and are never empty', () => {
    fc.assert(
      fc.property(range, fc.integer({ min: 1, max: 200 }), (whole, count) => {
        const borders = cellBorders(whole, count)
        expect(borders).to.have.lengthOf(Math.min(count, whole.to - whole.from) + 1)
        expect(borders[0]).to.equal(whole.from)
        expect(borders.at(-1)).to.equal(whole.to)
        const lengths = borders.slice(1).map((border, i) => border - (borders[i] ?? 0))
        if (lengths.length > 0) {
          expect(Math.min(...lengths)).to.be.at.least(1)
          expect(Math.max(...lengths) - Math.min(...lengths)).to.be.at.most(1)
        }
      }),
    )
  })

  it('counts the covered heights of each cell', () => {
    fc.assert(
      fc.property(set, range, fc.integer({ min: 1, max: 100 }), (heights, whole, count) => {
        const borders = cellBorders(whole, count)
        const expected = borders.slice(1).map((to, i) => {
          let held = 0
          for (let height = borders[i] ?? 0; height < to; height++) if (contains(heights, height)) held++
          return held
        })
        expect(heightsPerCell(heights, borders)).to.deep.equal(expected)
      }),
    )
  })

  it('rounds to two decimals, but never to empty or full', () => {
    fc.assert(
      fc.property(set, fc.integer({ min: 1, max: 12 }), (heights, count) => {
        const borders = cellBorders({ from: 0, to: limit }, count)
        const held = heightsPerCell(heights, borders)
        for (const [i, part] of partsPerCell(heights, borders).entries()) {
          const length = (borders[i + 1] ?? 0) - (borders[i] ?? 0)
          expect(part === 0).to.equal(held[i] === 0)
          expect(part === 1).to.equal(held[i] === length)
          expect(Math.abs(part - (held[i] ?? 0) / length)).to.be.at.most(0.01)
          expect(part).to.equal(Math.round(part * 100) / 100)
        }
      }),
    )
    const borders = cellBorders({ from: 0, to: 100_000 }, 1)
    expect(
      partsPerCell(
        [
          { from: 0, to: 50_000 },
          { from: 50_001, to: 100_000 },
        ],
        borders,
      ),
    ).to.deep.equal([0.99])
    expect(partsPerCell([{ from: 7, to: 8 }], borders)).to.deep.equal([0.01])
  })
})
