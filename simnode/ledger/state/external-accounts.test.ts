import { expect } from 'chai'
import { outsideAccount, publishedPayer, inventedKey } from '../world/account.ts'
import { Outsiders } from './external-accounts.ts'

describe('people outside of a simulated chain', () => {
  it('have the same accounts with and without the published payer', () => {
    for (const hasPayer of [false, true]) {
      const outsiders = Outsiders.atGenesis(hasPayer)
      expect([outsiders.create(), outsiders.create()]).to.deep.equal([outsideAccount(1), outsideAccount(2)])
      expect(outsiders.next).to.equal(outsideAccount(3))
      expect(outsiders.exists(publishedPayer.account)).to.equal(hasPayer)
      expect(outsiders.supply).to.equal(hasPayer ? outsiders.moved(publishedPayer.account) : 0n)
    }
  })

  it('change nothing of what a copy has, nor the other way round', () => {
    const [first, second] = [outsideAccount(1), outsideAccount(2)]
    const outsiders = Outsiders.atGenesis(true)
    outsiders.create()
    outsiders.addKey(first, inventedKey(first, 0))
    const copy = outsiders.copy()
    copy.propose(first, 0)
    copy.revokeKey(first, 0)
    copy.noteMove(publishedPayer.account, first, 7n)
    copy.create()
    expect(outsiders.keys(first)).to.deep.equal([{ ...inventedKey(first, 0), sequenceNumber: 0, isRevoked: false }])
    expect([outsiders.moved(first), outsiders.exists(second)]).to.deep.equal([0n, false])
    outsiders.noteMove(publishedPayer.account, first, 1n)
    expect([copy.moved(first), copy.moved(publishedPayer.account) - publishedPayer.funds]).to.deep.equal([7n, -7n])
    expect(copy.keys(first)).to.deep.equal([{ ...inventedKey(first, 0), sequenceNumber: 1, isRevoked: true }])
  })
})
