import { expect } from 'chai'
import { readConfig } from '../base/config.ts'
import { editorUrl, withEditor } from './editor-origin.ts'
import { Shared } from './shared.ts'
import { readWalletPlace, walletWarnings } from './wallet-settings.ts'

describe('pages of the editor at the wallet', () => {
  const allowed = (variables: Record<string, string>, origins: readonly string[], editorPort?: number): readonly string[] => {
    const config = readConfig({}, variables)
    const { party } = withEditor(readWalletPlace(config, 3004), config, Object.assign(new Shared(), { editorPort }))
    return origins.filter((origin) => party.allows(origin))
  }
  const there = { WALLET_URL: 'https://wallet.example.com', WALLET_RP_ID: 'example.com' }

  it('may sign in on this machine at the port of the editor, and at no other', () => {
    const origins = ['http://localhost:3004', 'http://localhost:3003', 'http://localhost:3005', 'http://127.0.0.1:3003', 'https://localhost:3003', 'http://app.localhost:3003']
    expect(allowed({}, origins)).to.deep.equal(['http://localhost:3004', 'http://localhost:3003'])
    expect(allowed({ HTTP_PORT: '0' }, ['http://localhost:3003', 'http://localhost:40001'], 40_001)).to.deep.equal(['http://localhost:40001'])
  })

  it('may sign in elsewhere where EDITOR_URL says so, that one origin alone', () => {
    const origins = [
      'https://wallet.example.com', 'https://editor.example.com', 'https://editor.example.com:444', 'http://editor.example.com', 'https://other.example.com',
      'https://editor.example.com.evil.example', 'HTTPS://EDITOR.EXAMPLE.COM', 'null', '', 'http://localhost:3003',
    ]
    expect(allowed(there, origins)).to.deep.equal(['https://wallet.example.com'])
    expect(allowed({ ...there, EDITOR_URL: 'https://editor.example.com/' }, origins)).to.deep.equal(['https://wallet.example.com', 'https://editor.example.com'])
    expect(allowed({ ...there, EDITOR_URL: 'https://editor.example.org' }, ['https://editor.example.org'])).to.deep.equal([])
  })

  it('may not without TLS: whoever is on the way would have the sessions of everybody', () => {
    expect(allowed({ ...there, EDITOR_URL: 'http://editor.example.com' }, ['http://editor.example.com', 'https://editor.example.com'])).to.deep.equal([])
    expect(allowed({ EDITOR_URL: 'http://localhost:5000' }, ['http://localhost:5000', 'http://localhost:3003'])).to.deep.equal(['http://localhost:5000'])
  })

  it('that cannot sign in are told of', () => {
    const warned = (url: string): string => {
      const config = readConfig({}, { ...there, MAIL_FROM: 'no-reply@example.com', SMTP_URL: 'smtp://mail.example.com', EDITOR_URL: url })
      return walletWarnings(config, withEditor(readWalletPlace(config, 3004), config, new Shared())).join()
    }
    expect(warned('https://editor.example.com')).to.equal('')
    for (const url of ['http://editor.example.com', 'https://editor.example.org']) expect(warned(url)).to.include('EDITOR_URL').and.include('https').and.include('example.com')
  })

  it('are where settings say', () => {
    expect([editorUrl({ EDITOR_URL: undefined, HTTP_PORT: 3003 }), editorUrl({ EDITOR_URL: 'https://e.example.com//', HTTP_PORT: 1 }, 2)]).to.deep.equal(['http://localhost:3003', 'https://e.example.com'])
  })
})
