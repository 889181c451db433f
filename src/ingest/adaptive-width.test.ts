import { expect } from 'chai'
import { AdaptiveWidth } from './adaptive-width.ts'

/** Fetches that take `fetchMs`, and a taker that takes at most `perSecond`, as they would go with the width at hand. */
function settle(
  width: AdaptiveWidth,
  clock: { ms: number },
  fetchMs: number,
  perSecond: number,
  seconds: number,
): void {
  let due = 0
  const end = clock.ms + seconds * 1000
  while (clock.ms < end) {
    clock.ms += 10
    due += Math.min(perSecond, (width.value / fetchMs) * 1000) / 100
    for (; due >= 1; due--) {
      width.fetched(fetchMs)
      width.taken()
    }
  }
}

describe('adaptive width', () => {
  it('stays small where fetches are quick', () => {
    const clock = { ms: 0 }
    const width = new AdaptiveWidth(5, () => clock.ms)
    settle(width, clock, 4, 1500, 5)
    expect(width.value).to.be.within(5, 24)
  })

  it('grows until the taker is busy where fetches take long', () => {
    const clock = { ms: 0 }
    const width = new AdaptiveWidth(5, () => clock.ms)
    settle(width, clock, 100, 800, 10)
    expect(width.value).to.be.within(160, 200)
  })

  it('follows a node that becomes quicker', () => {
    const clock = { ms: 0 }
    const width = new AdaptiveWidth(5, () => clock.ms)
    settle(width, clock, 100, 800, 10)
    settle(width, clock, 10, 800, 10)
    expect(width.value).to.be.below(40)
  })

  it('is halved by a failure and comes back', () => {
    const clock = { ms: 0 }
    const width = new AdaptiveWidth(5, () => clock.ms)
    settle(width, clock, 100, 800, 10)
    const before = width.value
    width.failed()
    expect(width.value).to.equal(Math.floor(before / 2))
    for (let i = 0; i < 20; i++) width.failed()
    expect(width.value).to.equal(1)
    settle(width, clock, 100, 800, 10)
    expect(width.value).to.be.at.least(before - 5)
  })

  it('never exceeds its bound', () => {
    const clock = { ms: 0 }
    const width = new AdaptiveWidth(5, () => clock.ms)
    settle(width, clock, 2000, 5000, 30)
    expect(width.value).to.equal(256)
  })
})
