import { expect } from 'chai'
import { questionTerms, searchTerms } from './search-terms.ts'

describe('search terms', () => {
  it('include words, parts of identifiers and pairs of Chinese characters', () => {
    expect(searchTerms('run_indexer_sql')).to.deep.equal(['run_indexer_sql', 'run', 'indexer', 'sql'])
    expect(searchTerms('FlowToken.totalSupply')).to.deep.equal([
      'flowtoken',
      'flow',
      'token',
      'totalsupply',
      'total',
      'supply',
    ])
    expect(searchTerms('查询余额 now')).to.deep.equal(['now', '查询', '询余', '余额'])
    expect(searchTerms('链')).to.deep.equal(['链'])
  })

  it('include English terms for a Chinese question', () => {
    expect(questionTerms('怎么查询质押奖励')).to.include.members(['query', 'staking', 'reward'])
  })
})
