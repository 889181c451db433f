import { expect } from 'chai'
import fc from 'fast-check'
import { etaSeconds, PaceSamples } from './pace.ts'

describe('the pace of a stage', () => {
  it('is unknown for two seconds', () => {
    const pace = new PaceSamples()
    expect(pace.rate('a')).to.equal(null)
    pace.add('a', 1000, 10)
    pace.add('a', 2999, 20)
    expect(pace.rate('a')).to.equal(null)
    pace.add('a', 3000, 30)
    expect(pace.rate('a')).to.equal(10)
    expect(pace.rate('b')).to.equal(null)
  })

  it('covers the last thirty seconds', () => {
    const pace = new PaceSamples()
    for (let second = 0; second <= 100; second++) pace.add('a', second * 1000, second < 70 ? 0 : (second - 70) * 5)
    expect(pace.rate('a')).to.equal(5)
    for (let second = 101; second <= 131; second++) pace.add('a', second * 1000, 150)
    expect(pace.rate('a')).to.equal(0)
  })

  it('is never negative: it restarts when coverage shrinks', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(1000), { maxLength: 40 }), (covered) => {
        const pace = new PaceSamples()
        for (const [i, heights] of covered.entries()) {
          pace.add('a', i * 2000, heights)
          const rate = pace.rate('a')
          if (i === 0 || heights < (covered[i - 1] ?? 0)) expect(rate).to.equal(null)
          else expect(rate).to.be.at.least(0)
        }
      }),
    )
  })

  it('returns the remaining time if known', () => {
    expect(etaSeconds(0, 0, null)).to.equal(0)
    expect(etaSeconds(0, 0, 0)).to.equal(0)
    expect(etaSeconds(10, 0, null)).to.equal(null)
    expect(etaSeconds(10, 0, 0)).to.equal(null)
    expect(etaSeconds(10, 0, 4)).to.equal(3)
  })

  it('excludes flagged heights', () => {
    expect(etaSeconds(10, 2, 4)).to.equal(2)
    expect(etaSeconds(10, 10, 4)).to.equal(null)
    // A flagged range may contain heights that cannot be derived yet.
    expect(etaSeconds(10, 11, 4)).to.equal(null)
  })
})
