import { expect } from 'chai'
import { FeedPosition, blockPace } from './live-feed.ts'

const filter = { types: ['new_block', 'rollback'] }
const fresh = { type: 'subscribe', id: 'page', batch: true, filter }

describe('feed position', () => {
  it('is empty at first, then after the last message', () => {
    const position = new FeedPosition()
    expect(position.subscription(0)).to.deep.equal(fresh)
    expect(position.isNew).to.equal(true)
    position.advance('7.0.aaaaaaaaaaaaaaaa')
    position.advance('7.1.aaaaaaaaaaaaaaaa')
    position.advance(undefined)
    position.disconnected(1000)
    expect(position.subscription(2000)).to.deep.equal({ ...fresh, after: '7.1.aaaaaaaaaaaaaaaa' })
    expect(position.isNew).to.equal(false)
  })

  it('is reset after a long break, regardless of reconnection attempts', () => {
    const position = new FeedPosition()
    position.advance('7')
    for (const now of [0, 20_000, 40_000]) position.disconnected(now)
    expect(position.subscription(40_001)).to.deep.equal(fresh)
    position.advance('9')
    position.disconnected(50_000)
    expect(position.subscription(60_000)).to.deep.equal({ ...fresh, after: '9' })
  })

  it('is empty after a reset', () => {
    const position = new FeedPosition()
    position.advance('7')
    position.reset()
    expect(position.subscription(0)).to.deep.equal(fresh)
  })
})

const block = (height: number, seconds: number): { height: number; timestamp: string } => ({
  height,
  timestamp: new Date(Date.UTC(2026, 2, 14) + seconds * 1000).toISOString(),
})

describe('block pace', () => {
  it('is the median interval', () => {
    expect(blockPace([block(13, 5002.4), block(12, 5001.6), block(11, 5000.8), block(10, 5000), block(9, 0)])).to.equal(
      'one every 0.8 s',
    )
  })

  it('accounts for missing blocks, and is in whole seconds above 10 s', () => {
    expect(blockPace([block(20, 0), block(22, 3)])).to.equal('one every 1.5 s')
    expect(blockPace([block(1, 0), block(2, 12.4)])).to.equal('one every 12 s')
  })

  it('is undefined for fewer than two blocks', () => {
    expect([blockPace([]), blockPace([block(7, 1)])]).to.deep.equal([undefined, undefined])
  })
})
