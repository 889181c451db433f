import { expect } from 'chai'
import { parseEventType } from './type-id.ts'

describe('parseEventType', () => {
  it('splits contract event types', () => {
    expect(parseEventType('A.1654653399040a61.FlowToken.TokensDeposited')).to.deep.equal({
      address: '1654653399040a61',
      contract: 'FlowToken',
      name: 'TokensDeposited',
    })
  })

  it('does not split the part after the contract', () => {
    expect(parseEventType('A.0b2a3299cc857e29.TopShot.NFT.ResourceDestroyed').name).to.equal('NFT.ResourceDestroyed')
  })

  it('recognizes protocol events', () => {
    expect(parseEventType('flow.AccountCreated')).to.deep.equal({
      address: undefined,
      contract: undefined,
      name: 'AccountCreated',
    })
  })

  it('treats any other text as a name', () => {
    for (const type of ['', 'A.', 'A.xyz.B.C', 'Event']) {
      expect(parseEventType(type)).to.deep.equal({ address: undefined, contract: undefined, name: type })
    }
  })
})
