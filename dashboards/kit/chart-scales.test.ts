import { expect } from 'chai'
import { tickLabel, chartScales, labelledPoints, pointLabel } from './chart-scales.ts'

const plane = { left: 40, right: 640, top: 10, floor: 160 }
const ticksTo = (...values: number[]): readonly number[] => chartScales(values, 'bars', plane).ticks

describe('chart scales', () => {
  it('have round ticks up to the highest value', () => {
    expect(ticksTo(3, 120_000)).to.deep.equal([0, 50_000, 100_000, 150_000])
    expect(ticksTo(26)).to.deep.equal([0, 10, 20, 30])
    expect(ticksTo(0.013).map(tickLabel)).to.deep.equal(['0', '0.005', '0.01', '0.015'])
    for (let highest = 1; highest < 5000; highest += 7) {
      const ticks = ticksTo(highest)
      expect(ticks.at(-1)).to.be.within(highest, highest * 2)
      expect(ticks.length).to.be.within(2, 6)
      expect(ticks.every(Number.isInteger)).to.equal(true)
    }
  })

  it('have whole ticks for counts, and a scale for zeros and empty data', () => {
    expect(ticksTo(1)).to.deep.equal([0, 1])
    expect(ticksTo(3)).to.deep.equal([0, 1, 2, 3])
    expect(ticksTo(0, 0)).to.deep.equal([0, 1])
    expect(ticksTo()).to.deep.equal([0, 1])
  })

  it('center bars in their bands and span lines over the full width', () => {
    const bars = chartScales([1, 2, 3, 4], 'bars', plane)
    expect([0, 1, 3].map(bars.x)).to.deep.equal([115, 265, 565])
    expect(bars.step).to.equal(150)
    const line = chartScales([1, 2, 3, 4], 'line', plane)
    expect([0, 1, 3].map(line.x)).to.deep.equal([40, 240, 640])
    expect(chartScales([7], 'line', plane).x(0)).to.equal(340)
  })

  it('draw 0 at the bottom, the last tick at the top, and negative values as 0', () => {
    const { y, ticks } = chartScales([5, 30], 'line', plane)
    expect([0, -3, ticks.at(-1) ?? 0].map(y)).to.deep.equal([160, 160, 10])
  })
})

describe('chart axes', () => {
  it('shorten tick labels', () => {
    expect([0, 0.25, 7, 2500, 50_000, 12_500, 1_500_000, 2e9].map(tickLabel)).to.deep.equal([
      '0',
      '0.25',
      '7',
      '2,500',
      '50k',
      '12.5k',
      '1.5M',
      '2B',
    ])
  })

  it('label as many points as fit, always including the last', () => {
    expect(labelledPoints(30, 600, 70)).to.deep.equal([1, 5, 9, 13, 17, 21, 25, 29])
    expect(labelledPoints(3, 600, 70)).to.deep.equal([0, 1, 2])
    expect(labelledPoints(30, 60, 70)).to.deep.equal([29])
    expect(labelledPoints(0, 600, 70)).to.deep.equal([])
  })

  it('shorten dates and keep other text', () => {
    expect(['2026-03-14', '2026-03-14T23:59:59.000Z', 'Epoch 3', '#280'].map(pointLabel)).to.deep.equal([
      'Mar 14',
      'Mar 14',
      'Epoch 3',
      '#280',
    ])
  })
})
