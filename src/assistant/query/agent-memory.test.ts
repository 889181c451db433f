import { expect } from 'chai'
import { similarity, nGrams } from './agent-memory.ts'

const similarityOf = (a: string, b: string): number => similarity(new Set(nGrams(a)), new Set(nGrams(b)))

describe('n-grams', () => {
  it('splits words into trigrams and Chinese text into one and two characters', () => {
    expect(nGrams('FLOW tx')).to.deep.equal(['<fl', 'flo', 'low', 'ow>', '<tx', 'tx>'])
    expect(nGrams('转账数')).to.deep.equal(['转', '账', '数', '转账', '账数'])
    expect(nGrams('转账ft')).to.deep.equal(['转', '账', '转账', '<ft', 'ft>'])
    expect(nGrams(' ,;— ')).to.deep.equal([])
  })

  it('matches a rephrased question and no other', () => {
    const question = 'How many transactions were there yesterday?'
    expect(similarityOf(question, 'how many TRANSACTION were yesterday')).to.be.above(0.7)
    expect(similarityOf(question, 'Which accounts hold the most FLOW?')).to.be.below(0.3)
    expect(similarityOf('昨天有多少笔交易？', '昨天的交易有多少')).to.be.above(0.5)
    expect(similarityOf('昨天有多少笔交易？', '持有最多 FLOW 的账户')).to.be.below(0.3)
    expect(similarityOf('', '')).to.equal(0)
  })
})
