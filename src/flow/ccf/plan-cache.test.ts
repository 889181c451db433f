import { expect } from 'chai'
import { PlanCache } from './plan-cache.ts'
import type { EventPlan } from './plan-cache.ts'

const [onePlan, twoPlan] = ['A', 'B'].map((type): EventPlan => ({ shape: { type, fields: [] }, fields: [] })) as [
  EventPlan,
  EventPlan,
]
const prefix = (text: string): Buffer => Buffer.from(text)

describe('PlanCache', () => {
  it('finds a plan by the prefix of a payload', () => {
    const cache = new PlanCache()
    cache.add('A', prefix('one'), onePlan)
    cache.add('A', prefix('two'), twoPlan)
    expect(cache.find('A', prefix('one and more'))?.plan).to.equal(onePlan)
    expect(cache.find('A', prefix('two and more'))?.plan).to.equal(twoPlan)
    expect(cache.find('A', prefix('three'))).to.equal(undefined)
    expect(cache.find('A', prefix('on'))).to.equal(undefined)
    expect(cache.find('B', prefix('one'))).to.equal(undefined)
  })

  it('copies the prefix', () => {
    const cache = new PlanCache()
    const bytes = prefix('one')
    cache.add('A', bytes, onePlan)
    bytes.fill(0)
    expect(cache.find('A', prefix('one'))?.plan).to.equal(onePlan)
  })

  it('evicts the least recently used types', () => {
    const cache = new PlanCache({ types: 100, bytes: 1 << 20 })
    for (let i = 0; i < 10_000; i++) {
      cache.add(`type ${i}`, prefix('one'), onePlan)
      expect(cache.find('type 0', prefix('one')), `after ${i}`).to.not.equal(undefined)
      expect(cache.size).to.be.at.most(100)
    }
    expect(cache.find('type 9999', prefix('one'))).to.not.equal(undefined)
    expect(cache.find('type 1', prefix('one'))).to.equal(undefined)
    expect(cache.bytes).to.equal(cache.size * 3)
  })

  it('limits the bytes and the forms per type', () => {
    const cache = new PlanCache({ types: 100, bytes: 6400 })
    for (let i = 0; i < 1000; i++) cache.add('A', Buffer.from(`${i}`.padEnd(50)), onePlan)
    expect(cache.bytes).to.equal(8 * 50)
    for (let i = 0; i < 1000; i++) cache.add(`type ${i}`, Buffer.alloc(100), onePlan)
    expect(cache.bytes).to.be.at.most(6400)
    cache.add('long', Buffer.alloc(101), onePlan)
    expect(cache.find('long', Buffer.alloc(101))).to.equal(undefined)
  })
})
