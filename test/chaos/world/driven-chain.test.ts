import { expect } from 'chai'
import { forkedBranch } from './driven-chain.ts'

describe('branches of a chaos run', () => {
  it('leave the current branch and omit replaced forks', () => {
    expect(forkedBranch('', 100, 0).name).to.equal('100b')
    expect(forkedBranch('100b', 150, 1).name).to.equal('100b.150c')
    expect(forkedBranch('100b.150c', 120, 2).name).to.equal('100b.120d')
    expect(forkedBranch('100b.150c', 100, 3).name).to.equal('100e')
    expect(forkedBranch('100b.150c', 40, 4).name).to.equal('40f')
  })

  it('have distinct letters, regardless of their number', () => {
    const names = Array.from({ length: 2000 }, (_, number) => forkedBranch('', 7, number).name)
    expect(new Set(names)).to.have.property('size', names.length)
  })
})
