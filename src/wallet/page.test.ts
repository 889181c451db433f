import { expect } from 'chai'
import { walletPolicy } from './page.ts'

const connects = (policy: string): string | undefined =>
  policy.split('; ').find((part) => part.startsWith('connect-src'))

describe("the policy of the wallet's pages", () => {
  it('lets them call their own host alone, or the auth server of somebody else with it, whatever its path', () => {
    expect(connects(walletPolicy('', undefined))).to.equal("connect-src 'self'")
    expect(connects(walletPolicy('', 'https://auth.example.com/auth/v1'))).to.equal(
      "connect-src 'self' https://auth.example.com",
    )
    expect(connects(walletPolicy('', 'http://127.0.0.1:9999/'))).to.equal("connect-src 'self' http://127.0.0.1:9999")
    const policy = walletPolicy('<style>a{}</style>', 'https://auth.example.com/x')
    expect(policy.match(/auth\.example\.com/g)).to.have.length(1)
    expect(policy).to.include("script-src 'self';").and.to.include("form-action 'self'")
  })

  it('takes nothing but a URL', () => {
    for (const text of ["'unsafe-inline'; script-src *", '*', ''])
      expect(() => walletPolicy('', text), text).to.throw(TypeError)
  })
})
