import { expect } from 'chai'
import { networks } from '../../flow/network.ts'
import { examplePairs, withAddresses } from './example-pairs.ts'

const indexer = examplePairs('indexer', 'mainnet')
const evm = examplePairs('evm', 'mainnet')
const all = [...indexer, ...evm]

describe('example questions', () => {
  it('include at least sixty for the indexer, a third of them in Chinese too', () => {
    const inChinese = indexer.filter(({ questions }) => questions.some((question) => /\p{Script=Han}/u.test(question)))
    expect(indexer.length).to.be.at.least(60)
    expect(inChinese.length).to.be.at.least(indexer.length / 3)
    expect(evm.length).to.be.at.least(10)
  })

  it('are unique', () => {
    const questions = all.flatMap(({ questions }) => questions.map((question) => question.toLowerCase()))
    expect(questions.filter((question, i) => questions.indexOf(question) !== i)).to.deep.equal([])
    const statements = all.map(({ sql }) => sql)
    expect(statements.filter((sql, i) => statements.indexOf(sql) !== i)).to.deep.equal([])
  })

  it('have one statement each, which has no semicolon and returns few rows', () => {
    for (const {
      sql,
      questions: [question],
    } of all) {
      expect(sql, question).to.match(/^(select|with)\b/)
      expect(sql, question).to.not.include(';')
      if (!/\blimit \d+$/.test(sql))
        expect(sql, question).to.match(/\b(count|sum|percentile_cont|max|group by|where)\b/)
    }
  })

  it('resolve the core contracts of each network, without placeholders', () => {
    for (const network of networks) {
      const texts = examplePairs('indexer', network).flatMap(({ questions, sql }) => [...questions, sql])
      expect(texts.filter((text) => /[{}]/.test(text))).to.deep.equal([])
    }
    expect(JSON.stringify(indexer)).to.include('A.1654653399040a61.FlowToken')
  })

  it('reject an unknown contract name', () => {
    expect(() => withAddresses(`select '{constructor}'`, 'mainnet')).to.throw('constructor')
  })
})
