import { expect } from 'chai'
import { walletPolicy } from './page.ts'

const connects = (policy: string): string | undefined =>
  policy.split('; ').find((part) => part.startsWith('connect-src'))

describe('content security policy of the wallet pages', () => {
  it('allows connections to the wallet and the external auth server only, as origins', () => {
    expect(connects(walletPolicy('', undefined))).to.equal("connect-src 'self'")
    expect(connects(walletPolicy('', 'https://auth.example.com/auth/v1'))).to.equal(
      "connect-src 'self' https://auth.example.com",
    )
    expect(connects(walletPolicy('', 'http://127.0.0.1:9999/'))).to.equal("connect-src 'self' http://127.0.0.1:9999")
    const policy = walletPolicy('<style>a{}</style>', 'https://auth.example.com/x')
    expect(policy.match(/auth\.example\.com/g)).to.have.length(1)
    expect(policy).to.include("script-src 'self';").and.to.include("form-action 'self'")
  })

  it('allows pictures of NFTs where they are shown only', () => {
    const pictures = (policy: string): string | undefined =>
      policy.split('; ').find((part) => part.startsWith('img-src'))
    expect(pictures(walletPolicy('', undefined))).to.equal("img-src 'self' data:")
    expect(pictures(walletPolicy('', undefined, true))).to.equal("img-src 'self' data: https:")
  })

  it('accepts URLs only', () => {
    for (const text of ["'unsafe-inline'; script-src *", '*', ''])
      expect(() => walletPolicy('', text), text).to.throw(TypeError)
  })
})
