import { expect } from 'chai'
import fc from 'fast-check'
import { TokenBuckets } from './token-buckets.ts'

describe('token buckets', () => {
  let now = 0
  const clock = (): number => now

  beforeEach(() => {
    now = 1000
  })

  const isAllowed = (buckets: TokenBuckets, name: string, rate: number, burst: number): boolean =>
    buckets.take(name, { rate, burst }).isAllowed

  it('allow a burst at once, then the rate', () => {
    const buckets = new TokenBuckets({ idleMs: 60_000, clock })
    const first = Array.from({ length: 12 }, () => isAllowed(buckets, 'a', 5, 10))
    expect(first).to.deep.equal([...Array<boolean>(10).fill(true), false, false])
    now += 199
    expect(isAllowed(buckets, 'a', 5, 10)).to.equal(false)
    now += 1
    expect(isAllowed(buckets, 'a', 5, 10)).to.equal(true)
    expect(isAllowed(buckets, 'a', 5, 10)).to.equal(false)
    expect(isAllowed(buckets, 'b', 5, 10)).to.equal(true)
  })

  it('report the remaining tokens and the wait', () => {
    const buckets = new TokenBuckets({ idleMs: 60_000, clock })
    expect(buckets.take('a', { rate: 0.5, burst: 2 })).to.deep.equal({
      isAllowed: true,
      remaining: 1,
      fullInSeconds: 2,
      nextInSeconds: 0,
    })
    expect(buckets.take('a', { rate: 0.5, burst: 2 })).to.deep.equal({
      isAllowed: true,
      remaining: 0,
      fullInSeconds: 4,
      nextInSeconds: 2,
    })
    now += 500
    expect(buckets.take('a', { rate: 0.5, burst: 2 })).to.deep.equal({
      isAllowed: false,
      remaining: 0,
      fullInSeconds: 4,
      nextInSeconds: 2,
    })
    now += 1500
    expect(buckets.take('a', { rate: 0.5, burst: 2 }).isAllowed).to.equal(true)
  })

  it('report the refill time exactly for clocks with fractional milliseconds', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1e9, noNaN: true }), (start) => {
        const buckets = new TokenBuckets({ idleMs: 60_000, clock: () => start })
        expect(buckets.take('a', { rate: 0.01, burst: 3 }).fullInSeconds).to.equal(100)
      }),
    )
  })

  it('never allow more than burst and rate, for any distribution of requests', () => {
    const pauses = fc.array(fc.integer({ min: 0, max: 2000 }), { minLength: 1, maxLength: 200 })
    fc.assert(
      fc.property(pauses, fc.integer({ min: 1, max: 20 }), fc.integer({ min: 1, max: 30 }), (gaps, rate, burst) => {
        now = 0
        const buckets = new TokenBuckets({ idleMs: 1e9, clock })
        const allowed: number[] = []
        for (const gap of gaps) {
          now += gap
          if (isAllowed(buckets, 'a', rate, burst)) allowed.push(now)
          for (const from of allowed) {
            const within = allowed.filter((at) => at >= from).length
            expect(within).to.be.at.most(burst + ((now - from) * rate) / 1000 + 1e-6)
          }
        }
      }),
      { numRuns: 60 },
    )
  })

  it('are removed when unused, up to a maximum number', () => {
    const buckets = new TokenBuckets({ idleMs: 1000, maxBuckets: 100, clock })
    for (let i = 0; i < 1000; i++) buckets.take(`client ${i}`, { rate: 1, burst: 1 })
    expect(buckets.size).to.equal(100)
    now += 1000
    for (let i = 0; i < 60; i++) buckets.take('one', { rate: 1, burst: 1 })
    expect(buckets.size).to.equal(1)
  })

  it('are retained for a client that keeps sending requests', () => {
    const buckets = new TokenBuckets({ idleMs: 1000, maxBuckets: 3, clock })
    expect(isAllowed(buckets, 'a', 0.001, 1)).to.equal(true)
    for (let i = 0; i < 50; i++) {
      buckets.take(`other ${i}`, { rate: 1, burst: 1 })
      expect(isAllowed(buckets, 'a', 0.001, 1)).to.equal(false)
    }
  })
})
