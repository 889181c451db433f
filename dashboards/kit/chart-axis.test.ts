import { expect } from 'chai'
import { markText, namedPoints, pointName } from './chart-axis.ts'

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
