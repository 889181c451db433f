import { expect } from 'chai'
import { tellChanges } from './told-changes.ts'
import type { Statement } from './told-moves.ts'

const change = (name: string, payload: unknown, prefix = 'flow'): Parameters<typeof tellChanges>[0][number] => {
  return { type: `${prefix}.${name}`, event_name: name, payload }
}

const say = ({ said, details }: Statement): unknown => {
  const text = said
    .map((piece) => (typeof piece === 'string' ? piece : 'account' in piece ? piece.account : piece.text))
    .join('')
  return details.length === 0 ? text : [text, details.length]
}

describe('what a transaction changed', () => {
  it('is told of accounts, keys and contracts', () => {
    const told = tellChanges([
      change('AccountKeyAdded', { address: '0x01' }),
      change('AccountKeyRemoved', { address: '0x01' }),
      change('AccountContractAdded', { address: '0x01', contract: 'Moss' }),
      change('AccountContractUpdated', { address: '0x01', contract: 'Moss' }),
      change('CadenceOwnedAccountCreated', { address: 'ab' }, 'A.01.EVM'),
      change('CapabilityPublished', { address: '0x01' }),
      change('AccountCreated', { address: '0x02' }, 'A.01.Fake'),
    ])
    expect(told.map(say)).to.deep.equal([
      '0x01 deployed the contract Moss',
      '0x01 updated the contract Moss',
      '0x01 got a new key',
      'A key of 0x01 was revoked',
      'The address 0xab was created in the EVM, for an account to act there',
    ])
    expect(told[0]?.said.at(-1)).to.deep.equal({ contract: 'A.01.Moss', text: 'Moss' })
  })

  it('sums up what happened to several, and does not speak of the keys of a new account', () => {
    const addresses = ['0x01', '0x02']
    const told = tellChanges([
      ...addresses.map((address) => change('AccountCreated', { address })),
      ...addresses.map((address) => change('AccountKeyAdded', { address })),
    ])
    expect(told.map(say)).to.deep.equal([['2 accounts were created', 2]])
  })

  it('is told as far as it is known where an event could not be decoded', () => {
    expect(tellChanges([change('AccountCreated', null)]).map(say)).to.deep.equal(['An account was created'])
    expect(tellChanges([change('AccountContractAdded', { address: 7 })]).map(say)).to.deep.equal([
      'somebody deployed the contract of an unknown name',
    ])
  })
})
