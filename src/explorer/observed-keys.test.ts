import { expect } from 'chai'
import type { ChainAccount } from '../flow/chain-reader.ts'
import { maxAccountsOfKey, maxObservedKeys, ObservedKeys } from './present-chain.ts'

function account(address: string, ...publicKeys: readonly string[]): ChainAccount {
  const keys = publicKeys.map((publicKey, index) => ({
    index,
    publicKey,
    signatureAlgorithm: 2,
    hashAlgorithm: 3,
    weight: 1000,
    isRevoked: false,
    sequenceNumber: 0,
  }))
  return { address, keys, balance: '0.00000000', contracts: new Map() }
}

describe('ObservedKeys', () => {
  it('returns the accounts of a key', () => {
    const seen = new ObservedKeys()
    for (const address of ['0x01', '0x02', '0x01']) seen.add(account(address, 'aa', 'bb'))
    expect(seen.accountsOf('bb')).to.deep.equal(['0x01', '0x02'])
    expect(seen.accountsOf('cc')).to.deep.equal([])
  })

  it('is bounded in keys and accounts, evicting the least recently seen', () => {
    const seen = new ObservedKeys()
    for (let i = 0; i <= maxAccountsOfKey; i++) seen.add(account(`0x${i}`, 'aa'))
    expect(seen.accountsOf('aa')).to.have.length(maxAccountsOfKey)
    for (let i = 0; i < maxObservedKeys - 1; i++) seen.add(account('0x01', `key ${i}`))
    expect(seen.accountsOf('aa')).to.have.length(maxAccountsOfKey)
    seen.add(account('0x01', 'one more'))
    expect([seen.accountsOf('aa'), seen.accountsOf('key 0'), seen.accountsOf('one more')]).to.deep.equal([
      [],
      ['0x01'],
      ['0x01'],
    ])
  })
})
