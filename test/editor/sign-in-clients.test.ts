import { expect } from 'chai'
import { readConfig } from '../../src/config.ts'
import { signInClients, signInWarnings } from '../../src/editor/settings.ts'
import { readWalletPlace, walletWarnings } from '../../src/wallet/settings.ts'

describe('editor client at the wallet', () => {
  const there = { WALLET_URL: 'https://wallet.example.com' }
  const read = (variables: Record<string, string>) => {
    const config = readConfig({}, variables)
    return { config, place: readWalletPlace(config, 3004) }
  }
  const callbacks = (variables: Record<string, string>, editorPort?: number): readonly string[] => {
    const { config, place } = read(variables)
    return signInClients(config, { editorPort }, place).map(({ redirectUri }) => redirectUri)
  }

  it('allows redirects to its port on this machine, or to EDITOR_URL if set', () => {
    expect(callbacks({})).to.deep.equal(['http://localhost:3003/developer/callback'])
    expect(callbacks({ HTTP_PORT: '0' }, 40_001)).to.deep.equal(['http://localhost:40001/developer/callback'])
    expect(callbacks(there)).to.deep.equal([])
    expect(callbacks({ ...there, EDITOR_URL: 'https://editor.example.com/' })).to.deep.equal([
      'https://editor.example.com/developer/callback',
    ])
    // It may be on another site.
    expect(callbacks({ ...there, EDITOR_URL: 'https://editor.example.org' })).to.deep.equal([
      'https://editor.example.org/developer/callback',
    ])
  })

  it('allows no redirects without TLS, and logs it', () => {
    expect(callbacks({ ...there, EDITOR_URL: 'http://editor.example.com' })).to.deep.equal([])
    const warned = (url: string): string => {
      return signInWarnings({ EDITOR_URL: url }).join()
    }
    expect(warned('https://editor.example.com')).to.equal('')
    expect(warned('http://editor.example.com')).to.include('EDITOR_URL').and.include('https')
  })

  it('cannot use wallet passkeys, and a relying party that covers it is logged as a warning', () => {
    const { place } = read({})
    expect(
      ['http://localhost:3004', 'http://localhost:3003'].filter((origin) => place.party.allows(origin)),
    ).to.deep.equal(['http://localhost:3004'])
    const above = read({ ...there, WALLET_RP_ID: 'example.com', EDITOR_URL: 'https://editor.example.com' })
    expect(above.place.party.allows('https://editor.example.com')).to.equal(false)
    expect(walletWarnings(above.config, above.place).join()).to.include('WALLET_RP_ID')
  })
})
