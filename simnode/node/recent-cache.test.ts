import { expect } from 'chai'
import fc from 'fast-check'
import { RecentCache } from './recent-cache.ts'

/** CPU time per added value in µs, at a given cache size. */
function costAt(limit: number): number {
  const cache = new RecentCache<number, number>(limit)
  for (let key = 0; key < 2 * limit; key++) cache.get(key, () => key)
  const more = 50_000
  const start = process.threadCpuUsage()
  for (let key = 2 * limit; key < 2 * limit + more; key++) cache.get(key, () => key)
  const { user, system } = process.threadCpuUsage(start)
  return (user + system) / more
}

describe('recent cache', () => {
  it('contains the newest values, independent of reads and deletions', () => {
    const step = fc.record({ key: fc.nat(12), isDeleted: fc.boolean() })
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 6 }), fc.array(step, { maxLength: 80 }), (limit, steps) => {
        const kept = new RecentCache<number, number>(limit)
        const expected: Array<readonly [key: number, value: number]> = []
        steps.forEach(({ key, isDeleted }, at) => {
          const place = expected.findIndex(([other]) => other === key)
          if (isDeleted) {
            kept.delete(key)
            if (place >= 0) expected.splice(place, 1)
          } else {
            const value = kept.get(key, () => at)
            if (place < 0) expected.push([key, at])
            if (expected.length > limit) expected.shift()
            expect(value).to.equal(expected.find(([other]) => other === key)?.[1])
          }
          expect([...kept.values()]).to.deep.equal(expected.map(([, value]) => value))
        })
      }),
    )
  })

  it('evicts in constant time at a large size', () => {
    costAt(1000)
    const [few, many] = [costAt(1000), costAt(100_000)]
    // It was 70 times as slow when each removal iterated from the front.
    expect(many / few).to.be.lessThan(25)
  })
})
