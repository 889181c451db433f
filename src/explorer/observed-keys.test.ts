import { expect } from 'chai'
import type { ChainAccount } from '../flow/chain-reader.ts'
import { ChainUnavailableError, maxAccountsOfKey, maxObservedKeys, maxUnindexedAccounts } from './present-chain.ts'
import { ObservedKeys, UnindexedKeys } from './present-chain.ts'

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

describe('UnindexedKeys', () => {
  it('reads each account once, at most a number of accounts, and again a minute after a failure', async () => {
    const read: string[] = []
    let [now, isSilent] = [0, true]
    const keys = new UnindexedKeys({
      read: async (address) => {
        if (isSilent) throw new ChainUnavailableError('no access node responds')
        read.push(address)
        return Promise.resolve(account(address, `key of ${address}`))
      },
      now: () => now,
    })
    const all = Array.from({ length: maxUnindexedAccounts + 1 }, (_, index) => String(index))
    const list = (): Promise<string[]> => Promise.resolve(all)
    await keys.update(list)
    isSilent = false
    await keys.update(list)
    expect(read).to.deep.equal([])
    now += 60_000
    await keys.update(list)
    now += 60_000
    await keys.update(list)
    expect(read).to.deep.equal(all.slice(0, maxUnindexedAccounts))
    expect(keys.keys.accountsOf('key of 7')).to.deep.equal(['7'])
  })

  it('tries again at once if the accounts could not be listed', async () => {
    const keys = new UnindexedKeys({ read: (address) => Promise.resolve(account(address, 'aa')), now: () => 0 })
    const failed = await keys.update(() => Promise.reject(new Error('no database'))).catch(String)
    expect(failed).to.include('no database')
    await keys.update(() => Promise.resolve(['0x01']))
    expect(keys.keys.accountsOf('aa')).to.deep.equal(['0x01'])
  })
})
