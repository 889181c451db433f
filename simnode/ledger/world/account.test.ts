import { expect } from 'chai'
import fc from 'fast-check'
import { accountAt, accountOfAddress } from './account.ts'

describe('accounts of the ledger', () => {
  it('are found by their addresses', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2 ** 45 - 1 }), (index) => {
        const account = accountAt(index)
        expect(accountOfAddress(account.address)?.index).to.equal(index)
        const other = Buffer.from(account.address)
        other.writeUInt8(other.readUInt8(3) ^ 0x10, 3)
        expect(accountOfAddress(other)).to.equal(undefined)
      }),
    )
    expect(accountAt(1).hex).to.equal('f8d6e0586b0a20c7')
    expect(accountOfAddress(Buffer.alloc(8))).to.equal(undefined)
  })
})
