import { expect } from 'chai'
import { burstSeconds, unitsOfBytes, WorkBudget } from './client-shares.ts'

describe('work budget', () => {
  it('is spent without delay, and delays overdrafts', () => {
    let now = 0
    const budget = new WorkBudget(100, () => now)
    budget.spend(100 * burstSeconds)
    expect(budget.waitMs).to.equal(0)
    budget.spend(1)
    expect(budget.waitMs).to.equal(10)
    now += 9
    expect(budget.waitMs).to.be.closeTo(1, 1e-6)
    now += 1
    expect(budget.waitMs).to.be.closeTo(0, 1e-6)
  })

  it('never exceeds its burst', () => {
    let now = 0
    const budget = new WorkBudget(100, () => now)
    now += 3_600_000
    budget.spend(100 * burstSeconds + 100)
    expect(budget.waitMs).to.equal(1000)
  })

  it('charges one unit per 8 KiB', () => {
    expect([0, 4096, 8192].map(unitsOfBytes)).to.deep.equal([0, 0.5, 1])
  })
})
