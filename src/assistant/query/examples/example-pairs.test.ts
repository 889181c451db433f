import { expect } from 'chai'
import { networks } from '../../../flow/network.ts'
import { examplePairs, inNetwork } from './example-pairs.ts'

const indexer = examplePairs('indexer', 'mainnet')
const evm = examplePairs('evm', 'mainnet')
const all = [...indexer, ...evm]

describe('the example questions', () => {
  it('are at least sixty of the indexer, a third of them also in Chinese', () => {
    const inChinese = indexer.filter(({ questions }) => questions.some((question) => /\p{Script=Han}/u.test(question)))
    expect(indexer.length).to.be.at.least(60)
    expect(inChinese.length).to.be.at.least(indexer.length / 3)
    expect(evm.length).to.be.at.least(10)
  })

  it('are each there once', () => {
    const questions = all.flatMap(({ questions }) => questions.map((question) => question.toLowerCase()))
    expect(questions.filter((question, i) => questions.indexOf(question) !== i)).to.deep.equal([])
    const statements = all.map(({ sql }) => sql)
    expect(statements.filter((sql, i) => statements.indexOf(sql) !== i)).to.deep.equal([])
  })

  it('have one statement each that ends by itself and bounds its rows or gives few', () => {
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

  it('name the core contracts of each network, none by a name that is left over', () => {
    for (const network of networks) {
      const texts = examplePairs('indexer', network).flatMap(({ questions, sql }) => [...questions, sql])
      expect(texts.filter((text) => /[{}]/.test(text))).to.deep.equal([])
    }
    expect(JSON.stringify(indexer)).to.include('A.1654653399040a61.FlowToken')
  })

  it('refuse the name of a contract that there is not', () => {
    expect(() => inNetwork([{ questions: ['Who?'], sql: `select '{constructor}'` }], 'mainnet')).to.throw('constructor')
  })
})
