import { expect } from 'chai'
import { withFollowed, withFollowers } from './requests.ts'

describe('workers that hang together', () => {
  const workers = [
    { name: 'd', follows: ['c'] },
    { name: 'a', follows: [] },
    { name: 'b', follows: ['a'] },
    { name: 'c', follows: ['b', 'x'] },
    { name: 'x', follows: [] },
  ]

  it('are those that follow, directly or not', () => {
    expect(withFollowers(workers, ['a'])).to.deep.equal(['d', 'a', 'b', 'c'])
    expect(withFollowers(workers, ['c', 'x'])).to.deep.equal(['d', 'c', 'x'])
    expect(withFollowers(workers, ['d'])).to.deep.equal(['d'])
    expect(withFollowers(workers, [])).to.deep.equal([])
  })

  it('are those that are followed, directly or not', () => {
    expect(withFollowed(workers, ['d'])).to.deep.equal(['d', 'a', 'b', 'c', 'x'])
    expect(withFollowed(workers, ['b'])).to.deep.equal(['a', 'b'])
    expect(withFollowed(workers, ['a', 'x'])).to.deep.equal(['a', 'x'])
  })
})
