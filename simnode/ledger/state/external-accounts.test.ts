import { expect } from 'chai'
import { externalAccount, publishedPayer, inventedKey } from '../world/account.ts'
import { ExternalAccounts } from './external-accounts.ts'

describe('external accounts of a simulated chain', () => {
  it('have the same addresses with and without the published payer', () => {
    for (const hasPayer of [false, true]) {
      const externalAccounts = ExternalAccounts.atGenesis(hasPayer)
      expect([externalAccounts.create(), externalAccounts.create()]).to.deep.equal([
        externalAccount(1),
        externalAccount(2),
      ])
      expect(externalAccounts.next).to.equal(externalAccount(3))
      expect(externalAccounts.exists(publishedPayer.account)).to.equal(hasPayer)
      expect(externalAccounts.supply).to.equal(hasPayer ? externalAccounts.moved(publishedPayer.account) : 0n)
    }
  })

  it('are independent of their copies', () => {
    const [first, second] = [externalAccount(1), externalAccount(2)]
    const externalAccounts = ExternalAccounts.atGenesis(true)
    externalAccounts.create()
    externalAccounts.addKey(first, inventedKey(first, 0))
    const copy = externalAccounts.copy()
    copy.propose(first, 0)
    copy.revokeKey(first, 0)
    copy.noteMove(publishedPayer.account, first, 7n)
    copy.create()
    copy.putContract(first, { name: 'Counter', code: Buffer.from('1') })
    copy.putContract(first, { name: 'Counter', code: Buffer.from('2') })
    expect([externalAccounts.contracts(first), copy.contracts(first)]).to.deep.equal([
      [],
      [{ name: 'Counter', code: Buffer.from('2') }],
    ])
    expect(externalAccounts.keys(first)).to.deep.equal([
      { ...inventedKey(first, 0), sequenceNumber: 0, isRevoked: false },
    ])
    expect([externalAccounts.moved(first), externalAccounts.exists(second)]).to.deep.equal([0n, false])
    externalAccounts.noteMove(publishedPayer.account, first, 1n)
    expect([copy.moved(first), copy.moved(publishedPayer.account) - publishedPayer.funds]).to.deep.equal([7n, -7n])
    expect(copy.keys(first)).to.deep.equal([{ ...inventedKey(first, 0), sequenceNumber: 1, isRevoked: true }])
  })
})
