import { expect } from 'chai'
import fc from 'fast-check'
import { fitsChallenge, challengeOf, readChallenge } from './stores/secrets.ts'
import { readRedirect, withParameters } from './auth-parts.ts'

const rules = {
  walletUrl: 'https://wallet.example.com',
  isAllowedOrigin: (origin: string) => origin === 'https://app.example.com',
}

describe('redirect target', () => {
  it('is at the wallet or an allowed origin, without its fragment', () => {
    expect(readRedirect(undefined, rules)).to.equal(undefined)
    expect(readRedirect('', rules)).to.equal(undefined)
    expect(readRedirect('https://app.example.com/a?b=1#c', rules)).to.equal('https://app.example.com/a?b=1')
    expect(readRedirect('https://wallet.example.com', rules)).to.equal('https://wallet.example.com/')
    expect(readRedirect('HTTPS://APP.example.com:443/', rules)).to.equal('https://app.example.com/')
  })

  it('is never at another origin, for any spelling', () => {
    const hostile = fc
      .tuple(
        fc.constantFrom('https:', 'http:', 'javascript:', 'data:', ''),
        fc.constantFrom('//', '/', '\\\\', '///', ''),
        fc.constantFrom('', 'app.example.com@', 'app.example.com:x@', 'wallet.example.com\\@', '\t'),
        fc.constantFrom('app.example.com', 'evil.example', 'app.example.com.evil.example', 'xapp.example.com', '[::1]'),
        fc.constantFrom('', ':444', ':443', '%2f', '\\'),
        fc.string(),
      )
      .map((parts) => parts.join(''))
    fc.assert(
      fc.property(fc.oneof(hostile, fc.webUrl(), fc.string()), (text) => {
        let page: string | undefined
        try {
          page = readRedirect(text, rules)
        } catch {
          // Rejected.
          return
        }
        if (page === undefined) return
        const url = new URL(page)
        expect(['https://app.example.com', 'https://wallet.example.com']).to.include(url.origin)
        expect([url.username, url.password, url.hash]).to.deep.equal(['', '', ''])
      }),
      { numRuns: 2000 },
    )
  })

  it('keeps its own parameters, except those that the wallet sets', () => {
    expect(withParameters('https://app.example.com/?code=old&a=1', { code: 'new' })).to.equal(
      'https://app.example.com/?code=new&a=1',
    )
  })
})

describe('PKCE challenge', () => {
  it('matches its own verifier only', () => {
    const verifier = fc.string({
      minLength: 43,
      maxLength: 128,
      unit: fc.constantFrom('a', 'b', 'X', 'Z', '0', '9', '-', '.', '_', '~'),
    })
    fc.assert(
      fc.property(verifier, verifier, (own, other) => {
        const challenge = challengeOf(own)
        expect(readChallenge(challenge, 's256')).to.equal(challenge)
        expect(fitsChallenge(own, challenge)).to.equal(true)
        expect(fitsChallenge(other, challenge)).to.equal(own === other)
        expect(fitsChallenge(challenge, challenge)).to.equal(false)
      }),
    )
  })

  it('matches the example of RFC 7636', () => {
    expect(challengeOf('dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk')).to.equal(
      'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    )
    expect(fitsChallenge('short', challengeOf('short'))).to.equal(false)
  })
})
