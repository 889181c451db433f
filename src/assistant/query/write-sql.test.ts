import { expect } from 'chai'
import { sqlCandidates } from './write-sql.ts'

const sql = 'SELECT max(height)\nFROM raw.blocks'
const fence = (content: string, language = 'sql'): string => `\`\`\`${language}\n${content}\n\`\`\``

describe('statement extraction from a reply', () => {
  for (const [name, reply] of [
    ['alone', sql],
    ['in a fence', fence(sql)],
    ['in a fence without a language', fence(sql, '')],
    ['in a fence of another name', fence(sql, 'PostgreSQL')],
    ['in an indented fence', `1. First:\n  \`\`\`sql\n${sql}\n  \`\`\`\n`],
    ['in a fence that is not closed', `\`\`\`sql\n${sql}`],
    ['between prose', `Here is what you want:\n\n${sql};\n\nIt reads the highest block.`],
    ['before prose in the next paragraph', `${sql}\n\nThis gives the highest block.`],
    ['with a semicolon', `${sql};`],
    ['in the last of several fences', `${fence('SELECT 1')}\nOr rather:\n${fence(sql)}`],
    ['in a fence of SQL after one of text', `${fence('some words', 'text')}\n${fence(sql)}`],
  ]) {
    it(`finds the statement ${name}`, () => {
      expect(sqlCandidates(reply ?? '')[0]?.replace(/;$/, '')).to.equal(sql)
    })
  }

  it('finds no statement in prose', () => {
    expect(sqlCandidates('I cannot answer that. Selecting is not possible; please ask about blocks.')).to.deep.equal([])
    expect(sqlCandidates('')).to.deep.equal([])
    expect(sqlCandidates(fence('{"a": 1}', 'json'))).to.deep.equal([])
  })

  it('also tries the statement with its blank lines', () => {
    const long = 'WITH a AS (SELECT 1)\n\nSELECT * FROM a'
    expect(sqlCandidates(long)).to.include(long)
    expect(sqlCandidates(fence(long))).to.deep.equal([long])
  })

  it('preserves semicolons and code fences in string literals', () => {
    const odd = "SELECT 'a;b', '```'"
    expect(sqlCandidates(fence(odd))).to.deep.equal([odd])
    expect(sqlCandidates(odd)).to.include(odd)
  })

  it('is found in time that grows with the length of the reply, and has a maximum of candidates', () => {
    for (const reply of [
      '```' + '-'.repeat(100_000),
      '```\nSELECT 1\n```\n'.repeat(10_000),
      'SELECT 1\n'.repeat(20_000),
    ])
      expect(sqlCandidates(reply).length).to.be.at.most(20)
  })
})
