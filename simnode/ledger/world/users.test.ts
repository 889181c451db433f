import { expect } from 'chai'
import { Random } from './random.ts'
import { drawAmount } from './users.ts'

describe('amounts chosen by users', () => {
  it('are usually small, often round, and never above the limit', () => {
    const random = new Random(1)
    const amounts = Array.from({ length: 5000 }, () => drawAmount(random, 2000))
    const share = (isSo: (amount: bigint) => boolean): number => amounts.filter(isSo).length / amounts.length
    expect(share((amount) => amount <= 0n || amount > 200_000_000_000n)).to.equal(0)
    expect(share((amount) => amount <= 1_000_000_000n)).to.be.within(0.7, 0.95)
    expect(share((amount) => amount % 500_000n === 0n)).to.be.within(0.5, 0.7)
    expect(share((amount) => amount > 10_000_000_000n)).to.be.within(0.02, 0.2)
  })
})
