import { expect } from 'chai'
import { FatalError } from '../platform/errors.ts'
import { checkEditorUrl, editorWarnings, editorUrl, mayUseChannel } from './settings.ts'

describe('editor settings', () => {
  it('reject an EDITOR_URL with more than a host', () => {
    for (const EDITOR_URL of [
      undefined,
      'https://editor.example.com',
      'https://editor.example.com/',
      'http://localhost:3003',
    ])
      checkEditorUrl({ EDITOR_URL })
    for (const EDITOR_URL of ['https://example.com/editor', 'https://example.com/?a', 'https://me@example.com/']) {
      expect(() => checkEditorUrl({ EDITOR_URL }), EDITOR_URL).to.throw(
        FatalError,
        /^EDITOR_URL: .* must not have a path/,
      )
    }
  })

  it('warn if sign-in is impossible', () => {
    const warned = (EDITOR_URL?: string, WALLET_URL?: string): string =>
      editorWarnings({ EDITOR_URL, WALLET_URL }).join()
    expect(warned('https://editor.example.com')).to.include('WALLET_URL')
    expect([
      warned(),
      warned('http://localhost:3003'),
      warned('https://editor.example.com', 'https://wallet.example.com'),
    ]).to.deep.equal(['', '', ''])
  })

  it('give the URL of the editor', () => {
    expect([
      editorUrl({ EDITOR_URL: undefined, HTTP_PORT: 3003 }),
      editorUrl({ EDITOR_URL: 'https://e.example.com//', HTTP_PORT: 1 }, 2),
    ]).to.deep.equal(['http://localhost:3003', 'https://e.example.com'])
  })
})

describe('language server channel origins', () => {
  it('match EDITOR_URL only, if set', () => {
    const config = { EDITOR_URL: 'https://editor.example.com/', HTTP_PORT: 3003 }
    expect(mayUseChannel(config, 'https://editor.example.com', 'lsp.example.com')).to.equal(true)
    for (const origin of [
      'http://editor.example.com',
      'https://editor.example.com:444',
      'https://example.com',
      'https://editor.example.com.evil.example',
      'null',
      '',
    ]) {
      expect(mayUseChannel(config, origin, 'editor.example.com'), origin).to.equal(false)
    }
  })

  it('match the host of the channel on any port otherwise', () => {
    const config = { EDITOR_URL: undefined, HTTP_PORT: 3003 }
    for (const [origin, host] of [
      ['http://localhost:3003', 'localhost:3002'],
      ['http://127.0.0.1:3003', '127.0.0.1:3002'],
      ['http://[::1]:3003', '[::1]:3002'],
    ] as const) {
      expect(mayUseChannel(config, origin, host), origin).to.equal(true)
    }
    for (const [origin, host] of [
      ['https://evil.example', 'localhost:3002'],
      ['null', 'localhost:3002'],
      ['null', undefined],
      ['', ''],
      ['http://localhost:3003', undefined],
      ['file://', ''],
      ['http://localhost.evil.example', 'localhost:3002'],
    ] as const)
      expect(mayUseChannel(config, origin, host), `${origin} ${host}`).to.equal(false)
  })

  it('are not required from non-browser clients', () => {
    expect(mayUseChannel({ EDITOR_URL: 'https://editor.example.com', HTTP_PORT: 3003 }, undefined, undefined)).to.equal(
      true,
    )
  })
})
