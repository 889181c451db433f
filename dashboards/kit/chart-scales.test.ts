import { expect } from 'chai'
import { markText, chartScales, namedPoints, pointName } from './chart-scales.ts'

const plane = { left: 40, right: 640, top: 10, floor: 160 }
const marksTo = (...values: number[]): readonly number[] => chartScales(values, 'bars', plane).marks

describe('scales of charts', () => {
  it('have round marks up to the highest value, and little room above it', () => {
    expect(marksTo(3, 120_000)).to.deep.equal([0, 50_000, 100_000, 150_000])
    expect(marksTo(26)).to.deep.equal([0, 10, 20, 30])
    expect(marksTo(0.013).map(markText)).to.deep.equal(['0', '0.005', '0.01', '0.015'])
    for (let highest = 1; highest < 5000; highest += 7) {
      const marks = marksTo(highest)
      expect(marks.at(-1)).to.be.within(highest, highest * 2)
      expect(marks.length).to.be.within(2, 6)
      expect(marks.every(Number.isInteger)).to.equal(true)
    }
  })

  it('have no marks between two counts, and something to stand on where all is nought or nothing is there', () => {
    expect(marksTo(1)).to.deep.equal([0, 1])
    expect(marksTo(3)).to.deep.equal([0, 1, 2, 3])
    expect(marksTo(0, 0)).to.deep.equal([0, 1])
    expect(marksTo()).to.deep.equal([0, 1])
  })

  it('put bars in the middle of their own width, and lead lines from edge to edge', () => {
    const bars = chartScales([1, 2, 3, 4], 'bars', plane)
    expect([0, 1, 3].map(bars.x)).to.deep.equal([115, 265, 565])
    expect(bars.step).to.equal(150)
    const line = chartScales([1, 2, 3, 4], 'line', plane)
    expect([0, 1, 3].map(line.x)).to.deep.equal([40, 240, 640])
    expect(chartScales([7], 'line', plane).x(0)).to.equal(340)
  })

  it('draw nought on the floor, the last mark at the top, and what is below nought as nought', () => {
    const { y, marks } = chartScales([5, 30], 'line', plane)
    expect([0, -3, marks.at(-1) ?? 0].map(y)).to.deep.equal([160, 160, 10])
  })
})

describe('axes of charts', () => {
  it('say marks shortly', () => {
    expect([0, 0.25, 7, 2500, 50_000, 12_500, 1_500_000, 2e9].map(markText)).to.deep.equal([
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

  it('name as many points as have room, the last one always', () => {
    expect(namedPoints(30, 600, 70)).to.deep.equal([1, 5, 9, 13, 17, 21, 25, 29])
    expect(namedPoints(3, 600, 70)).to.deep.equal([0, 1, 2])
    expect(namedPoints(30, 60, 70)).to.deep.equal([29])
    expect(namedPoints(0, 600, 70)).to.deep.equal([])
  })

  it('say days shortly, and leave alone what is none', () => {
    expect(['2026-03-14', '2026-03-14T23:59:59.000Z', 'Epoch 3', '#280'].map(pointName)).to.deep.equal([
      'Mar 14',
      'Mar 14',
      'Epoch 3',
      '#280',
    ])
  })
})
