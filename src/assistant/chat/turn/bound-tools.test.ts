import { expect } from 'chai'
import { maxResultCharacters, ResultBudget } from './bound-tools.ts'

const cutAt = (text: string): number => Number(/\[Truncated: (\d+) of/.exec(text)?.[1] ?? text.length)

describe('the room for what tools gave', () => {
  it('leaves alone what is short', () => {
    expect(new ResultBudget().cut('a', 'short')).to.equal('short')
  })

  it('cuts one result at its own length, and all together at theirs', () => {
    const budget = new ResultBudget()
    const long = 'x'.repeat(100_000)
    expect(['a', 'b', 'c', 'd', 'e'].map((call) => cutAt(budget.cut(call, long)))).to.deep.equal([
      60_000, 60_000, 60_000, 60_000, 4000,
    ])
  })

  it('cuts a result that is asked for again where it did before', () => {
    const budget = new ResultBudget()
    const long = 'x'.repeat(100_000)
    for (const call of ['a', 'b', 'c', 'd']) budget.cut(call, long)
    expect(cutAt(budget.cut('a', long))).to.equal(maxResultCharacters)
    expect(cutAt(budget.cut('e', long))).to.equal(4000)
  })

  it('leaves no half of a character', () => {
    const cut = new ResultBudget().cut('a', `x${'😀'.repeat(50_000)}`)
    expect(cut.isWellFormed()).to.equal(true)
  })
})
