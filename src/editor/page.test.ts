import { expect } from 'chai'
import { editorPolicy } from './page.ts'

describe("the policy of the editor's page", () => {
  it('lets it call the channel, the wallet and the nodes, by origin and each once', () => {
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

  it('takes nothing but URLs', () => {
    expect(() => editorPolicy('', ["'unsafe-inline'; script-src *"])).to.throw(TypeError)
  })
})
