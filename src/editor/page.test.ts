import { expect } from 'chai'
import { editorPolicy } from './page.ts'

describe('content security policy of the editor page', () => {
  it('allows connections to the channel, the wallet and the nodes, each origin once', () => {
    const policy = editorPolicy('', [
      'ws://localhost:3002/lsp',
      'http://localhost:3005/auth/v1',
      'http://localhost:3005/session',
      'https://rest-mainnet.onflow.org',
    ])
    expect(policy.split('; ')).to.include(
      "connect-src 'self' ws://localhost:3002 http://localhost:3005 https://rest-mainnet.onflow.org",
    )
    expect(policy).to.include("script-src 'self' 'wasm-unsafe-eval';").and.to.include("default-src 'none'")
  })

  it('accepts URLs only', () => {
    expect(() => editorPolicy('', ["'unsafe-inline'; script-src *"])).to.throw(TypeError)
  })
})
