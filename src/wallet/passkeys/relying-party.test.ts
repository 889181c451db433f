import { expect } from 'chai'
import { FatalError } from '../../platform/errors.ts'
import { readRelyingParty } from './relying-party.ts'
import type { RelyingPartySettings } from './relying-party.ts'

const usual: RelyingPartySettings = {
  url: 'https://wallet.example.com',
  rpId: undefined,
  rpName: 'Wallet',
  origins: [],
}

describe('relying party', () => {
  it('defaults to the wallet host, and allows its pages only', () => {
    const party = readRelyingParty({ ...usual, url: 'https://wallet.example.com/start' })
    expect([party.id, party.name]).to.deep.equal(['wallet.example.com', 'Wallet'])
    expect(party.allows('https://wallet.example.com')).to.equal(true)
    for (const origin of [
      'https://a.wallet.example.com',
      'https://example.com',
      'http://wallet.example.com',
      'https://wallet.example.com:444',
    ]) {
      expect(party.allows(origin), origin).to.equal(false)
    }
  })

  it('is localhost for a local wallet, with additional ports from settings', () => {
    const party = readRelyingParty({ ...usual, url: 'http://localhost:3004' })
    expect(party.id).to.equal('localhost')
    expect(party.allows('http://localhost:3004')).to.equal(true)
    expect(party.allows('http://localhost:3005')).to.equal(false)
    expect(party.allows('http://127.0.0.1:3004')).to.equal(false)
  })

  it('allows subdomains of a pattern by whole labels, with its scheme and port', () => {
    const party = readRelyingParty({
      ...usual,
      rpId: 'example.com',
      origins: ['https://*.example.com', 'https://*.dev.example.com:8443'],
    })
    for (const origin of ['https://a.example.com', 'https://a.b.example.com', 'https://x.dev.example.com:8443'])
      expect(party.allows(origin), origin).to.equal(true)
    for (const origin of [
      'https://example.com',
      'https://evilexample.com',
      'https://a.example.com.evil.org',
      'https://a.example.com:8443',
      'http://a.example.com',
      'https://.example.com',
      'https://a.example.com/',
      'https://a@a.example.com',
      'https://A.example.com',
      'https://a.example.com.',
      'https://evil.org#.example.com',
      'https://evil.org/.example.com',
      'https://evil.org\\.example.com',
      'blob:https://a.example.com/x',
      'null',
      '',
    ])
      expect(party.allows(origin), origin).to.equal(false)
  })

  const wrong: readonly (readonly [string, Partial<RelyingPartySettings>, string])[] = [
    ['an address as relying party', { url: 'http://127.0.0.1:3004' }, 'WALLET_RP_ID'],
    ['a host without a name of its own', { url: 'https://intranet' }, 'WALLET_RP_ID'],
    ['a relying party with a scheme', { rpId: 'https://example.com' }, 'WALLET_RP_ID'],
    ['a relying party with a port', { rpId: 'example.com:443' }, 'WALLET_RP_ID'],
    ['all of a top-level domain', { rpId: 'com' }, 'WALLET_RP_ID'],
    ['a wallet that is not below the relying party', { rpId: 'other.org' }, 'WALLET_URL'],
    ['a wallet without TLS', { url: 'http://wallet.example.com' }, 'WALLET_URL'],
    ['an origin of another domain', { rpId: 'example.com', origins: ['https://other.org'] }, 'WALLET_ORIGINS'],
    [
      'an origin that only ends like the relying party',
      { rpId: 'example.com', origins: ['https://evilexample.com'] },
      'WALLET_ORIGINS',
    ],
    ['an origin without TLS', { rpId: 'example.com', origins: ['http://a.example.com'] }, 'WALLET_ORIGINS'],
    ['an origin with a path', { rpId: 'example.com', origins: ['https://a.example.com/x'] }, 'WALLET_ORIGINS'],
    ['an invalid origin', { rpId: 'example.com', origins: ['example.com'] }, 'WALLET_ORIGINS'],
    ['a pattern of all there is', { rpId: 'example.com', origins: ['https://*'] }, 'WALLET_ORIGINS'],
    ['a pattern of a top-level domain', { rpId: 'example.com', origins: ['https://*.com'] }, 'WALLET_ORIGINS'],
    ['a star in a label', { rpId: 'example.com', origins: ['https://a*.example.com'] }, 'WALLET_ORIGINS'],
    ['two stars', { rpId: 'example.com', origins: ['https://*.*.example.com'] }, 'WALLET_ORIGINS'],
  ]
  for (const [what, settings, variable] of wrong) {
    it(`rejects ${what}, and names the variable`, () => {
      expect(() => readRelyingParty({ ...usual, ...settings })).to.throw(FatalError, new RegExp(`^${variable}: `))
    })
  }
})
