import { expect } from 'chai'
import { LivePlace, blockPace } from './live-feed.ts'

const fresh = { type: 'subscribe', id: 'page', batch: true }

describe('the place of the page in the feed', () => {
  it('is none at first, and then behind the last message', () => {
    const place = new LivePlace()
    expect(place.greet(0)).to.deep.equal(fresh)
    expect(place.isNew).to.equal(true)
    place.hear('7.0.aaaaaaaaaaaaaaaa')
    place.hear('7.1.aaaaaaaaaaaaaaaa')
    place.hear(undefined)
    place.lose(1000)
    expect(place.greet(2000)).to.deep.equal({ ...fresh, after: '7.1.aaaaaaaaaaaaaaaa' })
    expect(place.isNew).to.equal(false)
  })

  it('is given up after a long break, however often a connection was tried meanwhile', () => {
    const place = new LivePlace()
    place.hear('7')
    for (const now of [0, 20_000, 40_000]) place.lose(now)
    expect(place.greet(40_001)).to.deep.equal(fresh)
    place.hear('9')
    place.lose(50_000)
    expect(place.greet(60_000)).to.deep.equal({ ...fresh, after: '9' })
  })

  it('is given up where the feed does not go back so far', () => {
    const place = new LivePlace()
    place.hear('7')
    place.forget()
    expect(place.greet(0)).to.deep.equal(fresh)
  })
})

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
