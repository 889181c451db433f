import { expect } from 'chai'
import fc from 'fast-check'
import { pieSlices, readChart, valueText, axisLabels, cutText, plotScales } from './chart-data.ts'

const given = { chartType: 'bar', title: 'Fees', labels: ['a', 'b'], datasets: [{ label: 'FLOW', data: [1, 2.5] }] }

describe('chart data', () => {
  it('is read from the tool output', () => {
    expect(readChart(given)).to.deep.equal({
      kind: 'bar',
      title: 'Fees',
      labels: ['a', 'b'],
      sets: [{ label: 'FLOW', values: [1, 2.5] }],
    })
  })

  it('is undefined for invalid output', () => {
    for (const wrong of [
      { chartType: 'radar' },
      { chartType: 'constructor' },
      { labels: [] },
      { labels: ['a'] },
      { labels: 'ab' },
      { labels: [{}, {}] },
      { datasets: [] },
      { datasets: [{ label: 'x', data: [1] }] },
      { datasets: [{ label: 'x', data: [1, '2'] }] },
      { datasets: [{ label: 'x', data: [1, null] }] },
      { datasets: [{ label: 'x', data: [1, Infinity] }] },
      { datasets: Array(9).fill(given.datasets[0]) },
    ])
      expect(readChart({ ...given, ...wrong }), JSON.stringify(wrong)).to.equal(undefined)
  })

  it('never throws for any output', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (labels, datasets) => {
        readChart({ ...given, labels, datasets })
        readChart(labels)
      }),
    )
  })

  it('formats values exactly', () => {
    expect(valueText(1234567.891)).to.equal('1,234,567.891')
  })
})

describe('pie slices', () => {
  const pie = (values: readonly number[]) =>
    pieSlices({ kind: 'pie', title: '', labels: values.map((_, i) => `l${i}`), sets: [{ label: '', values }] })

  it('are the positive values', () => {
    expect(pie([2, 0, 1])).to.deep.equal([
      { label: 'l0', value: 2, colour: 0 },
      { label: 'l2', value: 1, colour: 1 },
    ])
  })

  it('are the seven largest and the rest', () => {
    const slices = pie([1, 9, 8, 7, 6, 5, 4, 3, 2])
    expect(slices.map(({ label, value }) => `${label} ${value}`)).to.deep.equal([
      'l1 9',
      'l2 8',
      'l3 7',
      'l4 6',
      'l5 5',
      'l6 4',
      'l7 3',
      '2 others 3',
    ])
  })

  it('are empty for negative or all-zero values', () => {
    expect(pie([1, -1])).to.deep.equal([])
    expect(pie([0, 0])).to.deep.equal([])
  })
})

const plane = { left: 40, right: 640, top: 10, floor: 230 }

describe('chart layout', () => {
  it('starts bars at zero', () => {
    const { y, base } = plotScales([[10, -5]], 'bar', plane)
    expect(base).to.equal(y(0))
    expect(y(10)).to.be.lessThan(base)
    expect(y(-5)).to.be.greaterThan(base)
  })

  it('zooms in on a line of close values', () => {
    const { y, marks } = plotScales([[100, 101, 102]], 'line', plane)
    expect(y(100) - y(102)).to.be.greaterThan(100)
    expect(Math.min(...marks)).to.be.greaterThan(90)
    expect(plotScales([[1, 102]], 'line', plane).marks[0]).to.equal(0)
  })

  it('stays within the plane for any values', () => {
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

describe('axis labels', () => {
  it('are complete if they fit', () => {
    expect(axisLabels(['a', 'b', 'c'], 600)).to.deep.equal({ places: [0, 1, 2], characters: 1 })
    expect(axisLabels(['USD Coin Bridged', 'FLOW'], 160).characters).to.equal(10)
  })

  it('are thinned out if they do not fit', () => {
    const { places, characters } = axisLabels(
      Array.from({ length: 60 }, (_, i) => `2026-01-${i}`),
      600,
    )
    expect(characters).to.equal(10)
    expect(places.length).to.be.within(5, 9)
    expect(places[0]).to.equal(0)
  })

  it('are shortened', () => {
    expect(cutText('𝒻𝒻𝒻𝒻', 3)).to.equal('𝒻𝒻…')
    expect(cutText('abc', 3)).to.equal('abc')
    expect(cutText('A long name of a token', 10)).to.equal('A long na…')
    expect(cutText('0x1654653399040a61', 10)).to.equal('0x1654…a61')
  })
})
