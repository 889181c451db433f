import { expect } from 'chai'
import { LivePlace } from './live-place.ts'

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
