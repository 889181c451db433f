import { expect } from 'chai'
import type { ChainAccount } from '../contract.ts'
import { signersFor } from './signing-passkey.ts'

const keyOf = (name: string): string => name.repeat(128)
const passkey = (name: string, lastUsedAt: string | null = null) => ({
  credentialId: name,
  publicKeySec1Hex: `04${keyOf(name)}`,
  lastUsedAt,
})
const state = (...names: readonly string[]): ChainAccount => ({
  address: '0x01',
  balance: '1.00000000',
  keys: names.map((name, index) => ({
    index,
    public_key: keyOf(name),
    weight: 1000,
    is_revoked: name === 'f',
    sequence_number: '0',
    signature_algorithm: 'ECDSA_P256',
    hash_algorithm: 'SHA2_256',
  })),
})
const names = (account: Parameters<typeof signersFor>[0], chain: ChainAccount, here?: string): readonly string[] =>
  signersFor(account, chain, here).map(({ credentialId }) => credentialId)

describe('the passkey that signs', () => {
  it('is that of the account, where nothing tells of another', () => {
    expect(names({ ...passkey('a'), others: [passkey('b'), passkey('c')] }, state('a', 'b'))).to.deep.equal(['a', 'b'])
  })

  it('is the one that was used in this browser, or else the one that was used last', () => {
    const account = {
      ...passkey('a', '2026-01-01T00:00:00Z'),
      others: [passkey('b', '2026-01-03T00:00:00Z'), passkey('c', '2026-01-02T00:00:00Z')],
    }
    expect(names(account, state('a', 'b', 'c'))).to.deep.equal(['b', 'c', 'a'])
    expect(names(account, state('a', 'b', 'c'), 'a')).to.deep.equal(['a', 'b', 'c'])
    expect(names(account, state('a', 'b', 'c'), 'gone')).to.deep.equal(['b', 'c', 'a'])
  })

  it('is a key of the account that is good', () => {
    expect(names({ ...passkey('f'), others: [passkey('e')] }, state('f', 'a'), 'f')).to.deep.equal([])
  })
})
