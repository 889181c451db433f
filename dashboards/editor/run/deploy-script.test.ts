import { expect } from 'chai'
import { nameOfScript } from '../../../clients/signing/transactions/known-transaction.ts'
import { deployScript } from './deploy-script.ts'

describe('the transaction that deploys a contract', () => {
  it('is one that the wallet describes', () => {
    expect(nameOfScript(deployScript('add', []), 'mainnet')).to.equal('add-contract')
    expect(nameOfScript(deployScript('update', []), 'testnet')).to.equal('update-contract')
  })

  it('passes the arguments of init in order', () => {
    const script = deployScript('add', [
      { name: 'code', type: '{String: Int}' },
      { name: 'name', type: 'Address?' },
    ])
    expect(script).to.include(
      'transaction(name: String, code: String, argument0: {String: Int}, argument1: Address?) {',
    )
    expect(script).to.include('contracts.add(name: name, code: code.utf8, argument0, argument1)')
  })
})
