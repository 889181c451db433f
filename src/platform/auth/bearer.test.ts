import { expect } from 'chai'
import { ApiError } from '../errors.ts'
import { admitBearer, everybody } from './bearer.ts'

describe('the token of the query service', () => {
  it('is not asked for where there is none', () => {
    expect(admitBearer('', undefined)).to.equal(everybody)
    expect(admitBearer('Bearer whatever', undefined)).to.equal(everybody)
  })

  it('lets in who shows it, in any case of the scheme, and gives each token a history of its own', () => {
    const owner = admitBearer('Bearer right', 'right')
    expect(admitBearer('bearer  right ', 'right')).to.equal(owner)
    expect(admitBearer('Bearer other', 'other')).not.to.equal(owner)
    expect(owner).not.to.include('right')
  })

  for (const [header, code] of [
    ['', 'missing-token'],
    ['right', 'missing-token'],
    ['Basic right', 'missing-token'],
    ['Bearer', 'missing-token'],
    ['Bearer wrong', 'wrong-token'],
    ['Bearer righ', 'wrong-token'],
    ['Bearer right2', 'wrong-token'],
    ['Bearer RIGHT', 'wrong-token'],
  ] as const) {
    it(`refuses "${header}"`, () => {
      expect(() => admitBearer(header, 'right'))
        .to.throw(ApiError)
        .that.includes({ status: 401, code })
    })
  }
})
