import { expect } from 'chai'
import { blockPace } from './block-pace.ts'

const block = (height: number, seconds: number): { height: number; timestamp: string } => ({
  height,
  timestamp: new Date(Date.UTC(2026, 2, 14) + seconds * 1000).toISOString(),
})

describe('the pace of blocks', () => {
  it('is that of most of them, whatever one long pause was', () => {
    expect(blockPace([block(13, 5002.4), block(12, 5001.6), block(11, 5000.8), block(10, 5000), block(9, 0)])).to.equal(
      'a new one every 0.8 s',
    )
  })

  it('counts blocks that are not among them, and is said in whole seconds where it is slow', () => {
    expect(blockPace([block(20, 0), block(22, 3)])).to.equal('a new one every 1.5 s')
    expect(blockPace([block(1, 0), block(2, 12.4)])).to.equal('a new one every 12 s')
  })

  it('is not said of one block or none', () => {
    expect([blockPace([]), blockPace([block(7, 1)])]).to.deep.equal([undefined, undefined])
  })
})
