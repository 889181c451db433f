import { expect } from 'chai'
import { readConfig } from '../../src/config.ts'
import { signInClients, signInWarnings } from '../../src/editor/settings.ts'
import { readWalletPlace, walletWarnings } from '../../src/wallet/settings.ts'

describe('the editor at the wallet', () => {
  const there = { WALLET_URL: 'https://wallet.example.com' }
  const read = (variables: Record<string, string>) => {
    const config = readConfig({}, variables)
    return { config, place: readWalletPlace(config, 3004) }
  }
  const callbacks = (variables: Record<string, string>, editorPort?: number): readonly string[] => {
    const { config, place } = read(variables)
    return signInClients(config, { editorPort }, place).map(({ redirectUri }) => redirectUri)
  }

  it('is sent people back on this machine at its port, and elsewhere where EDITOR_URL says so', () => {
    expect(callbacks({})).to.deep.equal(['http://localhost:3003/developer/callback'])
    expect(callbacks({ HTTP_PORT: '0' }, 40_001)).to.deep.equal(['http://localhost:40001/developer/callback'])
    expect(callbacks(there)).to.deep.equal([])
    expect(callbacks({ ...there, EDITOR_URL: 'https://editor.example.com/' })).to.deep.equal([
      'https://editor.example.com/developer/callback',
    ])
    // It need not be of the same site.
    expect(callbacks({ ...there, EDITOR_URL: 'https://editor.example.org' })).to.deep.equal([
      'https://editor.example.org/developer/callback',
    ])
  })

  it('is sent nobody back without TLS, and the log says so', () => {
    expect(callbacks({ ...there, EDITOR_URL: 'http://editor.example.com' })).to.deep.equal([])
    const warned = (url: string): string => {
      return signInWarnings({ EDITOR_URL: url }).join()
    }
    expect(warned('https://editor.example.com')).to.equal('')
    expect(warned('http://editor.example.com')).to.include('EDITOR_URL').and.include('https')
  })

  it('may use no passkey of the wallet: its own origin alone may, and a relying party above it is warned of', () => {
    const { place } = read({})
    expect(
      ['http://localhost:3004', 'http://localhost:3003'].filter((origin) => place.party.allows(origin)),
    ).to.deep.equal(['http://localhost:3004'])
    const above = read({ ...there, WALLET_RP_ID: 'example.com', EDITOR_URL: 'https://editor.example.com' })
    expect(above.place.party.allows('https://editor.example.com')).to.equal(false)
    expect(walletWarnings(above.config, above.place).join()).to.include('WALLET_RP_ID')
  })
})
