import { expect } from 'chai'
import { withFollowed, withFollowers } from './requests.ts'

describe('linked workers', () => {
  const workers = [
    { name: 'd', follows: ['c'] },
    { name: 'a', follows: [] },
    { name: 'b', follows: ['a'] },
    { name: 'c', follows: ['b', 'x'] },
    { name: 'x', follows: [] },
  ]

  it('include direct and indirect followers', () => {
    expect(withFollowers(workers, ['a'])).to.deep.equal(['d', 'a', 'b', 'c'])
    expect(withFollowers(workers, ['c', 'x'])).to.deep.equal(['d', 'c', 'x'])
    expect(withFollowers(workers, ['d'])).to.deep.equal(['d'])
    expect(withFollowers(workers, [])).to.deep.equal([])
  })

  it('include directly and indirectly followed workers', () => {
    expect(withFollowed(workers, ['d'])).to.deep.equal(['d', 'a', 'b', 'c', 'x'])
    expect(withFollowed(workers, ['b'])).to.deep.equal(['a', 'b'])
    expect(withFollowed(workers, ['a', 'x'])).to.deep.equal(['a', 'x'])
  })
})
