import { expect } from 'chai'
import fc from 'fast-check'
import { axisLabels, cutText, plotScales } from './plot-scales.ts'

const plane = { left: 40, right: 640, top: 10, floor: 230 }

describe('where a chart is drawn', () => {
  it('bars stand at nought, those below it hang', () => {
    const { y, base } = plotScales([[10, -5]], 'bar', plane)
    expect(base).to.equal(y(0))
    expect(y(10)).to.be.lessThan(base)
    expect(y(-5)).to.be.greaterThan(base)
  })

  it('a line of values that are close together is not flat', () => {
    const { y, marks } = plotScales([[100, 101, 102]], 'line', plane)
    expect(y(100) - y(102)).to.be.greaterThan(100)
    expect(Math.min(...marks)).to.be.greaterThan(90)
    expect(plotScales([[1, 102]], 'line', plane).marks[0]).to.equal(0)
  })

  it('everything lies within its plane, whatever the values', () => {
    const value = fc.oneof(
      fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e15, max: 1e15 }),
      fc.integer({ min: -3, max: 3 }),
    )
    fc.assert(
      fc.property(
        fc.array(value, { minLength: 1, maxLength: 20 }),
        fc.constantFrom('bar' as const, 'line' as const),
        (values, shape) => {
          const { x, y, base } = plotScales([values], shape, plane)
          for (const [i, each] of values.entries()) {
            expect(x(i)).to.be.within(plane.left, plane.right)
            expect(y(each)).to.be.within(plane.top - 1e-6, plane.floor + 1e-6)
          }
          expect(base).to.be.within(plane.top - 1e-6, plane.floor + 1e-6)
        },
      ),
    )
  })
})

describe('the labels of an axis', () => {
  it('are all there where they have room', () => {
    expect(axisLabels(['a', 'b', 'c'], 600)).to.deep.equal({ places: [0, 1, 2], characters: 1 })
    expect(axisLabels(['USD Coin Bridged', 'FLOW'], 160).characters).to.equal(10)
  })

  it('are fewer where they have none', () => {
    const { places, characters } = axisLabels(
      Array.from({ length: 60 }, (_, i) => `2026-01-${i}`),
      600,
    )
    expect(characters).to.equal(10)
    expect(places.length).to.be.within(5, 9)
    expect(places[0]).to.equal(0)
  })

  it('are cut by signs', () => {
    expect(cutText('𝒻𝒻𝒻𝒻', 3)).to.equal('𝒻𝒻…')
    expect(cutText('abc', 3)).to.equal('abc')
    expect(cutText('A long name of a token', 10)).to.equal('A long na…')
    expect(cutText('0x1654653399040a61', 10)).to.equal('0x1654…a61')
  })
})
