import { expect } from 'chai'
import { FatalError } from '../platform/errors.ts'
import { checkEditorUrl, editorWarnings } from './editor-settings.ts'

describe('settings of the editor', () => {
  it('have a host alone for where people reach it', () => {
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
        /^EDITOR_URL: .* has more than a host/,
      )
    }
  })

  it('that leave nowhere to sign in are told of', () => {
    const warned = (EDITOR_URL?: string, WALLET_URL?: string): string =>
      editorWarnings({ EDITOR_URL, WALLET_URL }).join()
    expect(warned('https://editor.example.com')).to.include('WALLET_URL')
    expect([
      warned(),
      warned('http://localhost:3003'),
      warned('https://editor.example.com', 'https://wallet.example.com'),
    ]).to.deep.equal(['', '', ''])
  })
})
