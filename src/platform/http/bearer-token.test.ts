import { expect } from 'chai'
import fc from 'fast-check'
import { bearerToken } from './bearer-token.ts'

describe('the token of an Authorization header', () => {
  it('is what follows the scheme, in whatever case that is', () => {
    fc.assert(
      fc.property(
        fc.stringMatching(/^[A-Za-z0-9._~+/=-]{1,80}$/),
        fc.constantFrom('Bearer', 'bearer', 'BEARER'),
        fc.nat(3),
        (token, scheme, spaces) => {
          expect(bearerToken(`${scheme} ${' '.repeat(spaces)}${token}${' '.repeat(spaces)}`)).to.equal(token)
        },
      ),
    )
  })

  it('is none where there is another scheme, no token, or two', () => {
    for (const header of [undefined, '', 'Bearer', 'Bearer ', 'Basic YTpi', 'Bearer a b', 'xBearer a', 'Bearera'])
      expect(bearerToken(header), String(header)).to.equal(undefined)
  })
})
