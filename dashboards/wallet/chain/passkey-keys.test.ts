import { expect } from 'chai'
import fc from 'fast-check'
import type { ChainAccount } from '../answers.gen.ts'
import type { ChainKey } from '../types.ts'
import { findImportKey, passkeyOfKey, signersOf, signersFor, passkeyName, withUniqueNames } from './passkey-keys.ts'

const phone = { id: 'phone', publicKeySec1Hex: `04${'a1'.repeat(64)}` }
const stick = { id: 'stick', publicKeySec1Hex: `04${'b2'.repeat(64)}` }
const good = (index: number, digits: string): ChainKey => ({
  index,
  public_key: digits.repeat(64),
  signature_algorithm: 'ECDSA_P256',
  hash_algorithm: 'SHA2_256',
  weight: 1000,
  is_revoked: false,
  sequence_number: '0',
})
const accountOf = (...keys: readonly ChainKey[]): ChainAccount => ({ address: '0x01', balance: '1.00000000', keys })

describe('keys of an account and their passkeys', () => {
  it('match ignoring case', () => {
    const account = accountOf(good(0, 'A1'), { ...good(1, 'b2'), is_revoked: true }, good(2, 'c3'), {
      ...good(3, 'c3'),
      is_revoked: true,
    })
    expect(signersOf(account, [phone, stick])).to.deep.equal({ passkeys: [phone], others: 1 })
    expect(passkeyOfKey([phone, stick], good(0, 'B2'))).to.equal(stick)
    expect(passkeyOfKey([phone], good(0, 'b2'))).to.equal(undefined)
  })

  it('allow an import with a passkey that signs alone', () => {
    expect(findImportKey(accountOf({ ...good(0, 'a1'), weight: 999 }, good(1, 'b2')), [phone, stick])).to.deep.equal({
      kind: 'key',
      passkey: stick,
    })
  })

  it('explain what prevents an import, easiest fix first', () => {
    const why = (...keys: readonly ChainKey[]): string => {
      const found = findImportKey(accountOf(...keys), [phone, stick])
      return found.kind === 'bad-key' ? `${found.passkey.id} ${found.why}` : found.kind
    }
    expect(why()).to.equal('no-key')
    expect(why(good(0, 'c3'))).to.equal('no-key')
    expect(why({ ...good(0, 'a1'), is_revoked: true })).to.equal('phone revoked')
    expect(why({ ...good(0, 'a1'), hash_algorithm: 'SHA3_256' })).to.equal('phone algorithm')
    expect(
      why(
        { ...good(0, 'a1'), is_revoked: true },
        { ...good(1, 'a1'), signature_algorithm: 'ECDSA_secp256k1' },
        { ...good(2, 'b2'), weight: 500 },
      ),
    ).to.equal('stick weight')
  })

  it('allow an import exactly if a passkey can sign', () => {
    const key = fc.record({
      public_key: fc.constantFrom('a1', 'b2', 'c3').map((digits) => digits.repeat(64)),
      weight: fc.constantFrom(0, 999, 1000),
      is_revoked: fc.boolean(),
      signature_algorithm: fc.constantFrom('ECDSA_P256', 'ECDSA_secp256k1'),
      hash_algorithm: fc.constantFrom('SHA2_256', 'SHA3_256'),
      index: fc.nat(9),
      sequence_number: fc.constant('0'),
    })
    fc.assert(
      fc.property(fc.array(key, { maxLength: 6 }), (keys) => {
        const account = accountOf(...keys)
        const found = findImportKey(account, [phone, stick])
        expect(found.kind === 'key').to.equal(
          keys.some(
            (one) =>
              !one.public_key.startsWith('c3') &&
              one.weight === 1000 &&
              !one.is_revoked &&
              one.signature_algorithm === 'ECDSA_P256' &&
              one.hash_algorithm === 'SHA2_256',
          ),
        )
        expect(found.kind === 'no-key').to.equal(keys.every((one) => one.public_key.startsWith('c3')))
      }),
    )
  })
})

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

describe('signing passkey', () => {
  it('is that of the account by default', () => {
    expect(names({ ...passkey('a'), others: [passkey('b'), passkey('c')] }, state('a', 'b'))).to.deep.equal(['a', 'b'])
  })

  it('is the one last used in this browser, else the last one used', () => {
    const account = {
      ...passkey('a', '2026-01-01T00:00:00Z'),
      others: [passkey('b', '2026-01-03T00:00:00Z'), passkey('c', '2026-01-02T00:00:00Z')],
    }
    expect(names(account, state('a', 'b', 'c'))).to.deep.equal(['b', 'c', 'a'])
    expect(names(account, state('a', 'b', 'c'), 'a')).to.deep.equal(['a', 'b', 'c'])
    expect(names(account, state('a', 'b', 'c'), 'gone')).to.deep.equal(['b', 'c', 'a'])
  })

  it('is an active key of the account', () => {
    expect(names({ ...passkey('f'), others: [passkey('e')] }, state('f', 'a'), 'f')).to.deep.equal([])
  })
})

describe('names of passkeys', () => {
  it('are unique', () => {
    const named = (
      authenticatorName: string | null,
    ): { authenticatorName: string | null; deviceType: 'singleDevice' } => ({
      authenticatorName,
      deviceType: 'singleDevice',
    })
    const names = (...given: (string | null)[]): string[] => withUniqueNames(given.map(named)).map(passkeyName)
    expect(names('Passkey', 'My phone', 'Passkey')).to.deep.equal(['Passkey (1)', 'My phone', 'Passkey (2)'])
    expect(names(null, null)).to.deep.equal(['Device-bound passkey (1)', 'Device-bound passkey (2)'])
    expect(names('Passkey', 'passkey')).to.deep.equal(['Passkey', 'passkey'])
  })
})
