import { expect } from 'chai'
import { markText, namedPoints, pointName, valueAxis } from './chart-axis.ts'

describe('axes of charts', () => {
  it('have round marks up to the highest value, and little room above it', () => {
    expect(valueAxis(120_000, true).marks).to.deep.equal([0, 50_000, 100_000, 150_000])
    expect(valueAxis(26, true).marks).to.deep.equal([0, 10, 20, 30])
    expect(valueAxis(100, true).marks).to.deep.equal([0, 25, 50, 75, 100])
    expect(valueAxis(0.013, false).marks.map(markText)).to.deep.equal(['0', '0.005', '0.01', '0.015'])
    for (let highest = 1; highest < 5000; highest += 7) {
      const { marks, top } = valueAxis(highest, true)
      expect(top).to.be.within(highest, highest * 2)
      expect(marks.length).to.be.within(2, 5)
      expect(marks.every(Number.isInteger)).to.equal(true)
    }
  })

  it('have no marks between two counts, and something to stand on where all is nought', () => {
    expect(valueAxis(1, true).marks).to.deep.equal([0, 1])
    expect(valueAxis(3, true).marks).to.deep.equal([0, 1, 2, 3])
    expect(valueAxis(0, true)).to.deep.equal({ marks: [0, 1], top: 1 })
    expect(valueAxis(Number.NEGATIVE_INFINITY, false)).to.deep.equal({ marks: [0, 1], top: 1 })
  })

  it('say marks shortly', () => {
    expect([0, 0.25, 7, 2500, 50_000, 12_500, 1_500_000, 2e9].map(markText)).to.deep.equal([
      '0', '0.25', '7', '2,500', '50k', '12.5k', '1.5M', '2B',
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
      'Mar 14', 'Mar 14', 'Epoch 3', '#280',
    ])
  })
})
