import { expect } from 'chai'
import { maxResultCharacters, ResultBudget } from './bound-tools.ts'

const cutAt = (text: string): number => Number(/\[Truncated: (\d+) of/.exec(text)?.[1] ?? text.length)

describe('tool result limits', () => {
  it('leave short results unchanged', () => {
    expect(new ResultBudget().cut('a', 'short')).to.equal('short')
  })

  it('truncate each result to its own limit and all results to a total limit', () => {
    const budget = new ResultBudget()
    const long = 'x'.repeat(100_000)
    expect(['a', 'b', 'c', 'd', 'e'].map((call) => cutAt(budget.cut(call, long)))).to.deep.equal([
      60_000, 60_000, 60_000, 60_000, 4000,
    ])
  })

  it('truncate a repeated result at the same position', () => {
    const budget = new ResultBudget()
    const long = 'x'.repeat(100_000)
    for (const call of ['a', 'b', 'c', 'd']) budget.cut(call, long)
    expect(cutAt(budget.cut('a', long))).to.equal(maxResultCharacters)
    expect(cutAt(budget.cut('e', long))).to.equal(4000)
  })

  it('leave no unpaired surrogates', () => {
    const cut = new ResultBudget().cut('a', `x${'😀'.repeat(50_000)}`)
    expect(cut.isWellFormed()).to.equal(true)
  })
})
