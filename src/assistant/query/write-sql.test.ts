import { expect } from 'chai'
import { sqlCandidates } from './write-sql.ts'

const sql = 'SELECT max(height)\nFROM raw.blocks'
const fence = (content: string, language = 'sql'): string => `\`\`\`${language}\n${content}\n\`\`\``

describe('the statement in a reply', () => {
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
    it(`is found ${name}`, () => {
      expect(sqlCandidates(reply ?? '')[0]?.replace(/;$/, '')).to.equal(sql)
    })
  }

  it('is not there in prose alone', () => {
    expect(sqlCandidates('I cannot answer that. Selecting is not possible; please ask about blocks.')).to.deep.equal([])
    expect(sqlCandidates('')).to.deep.equal([])
    expect(sqlCandidates(fence('{"a": 1}', 'json'))).to.deep.equal([])
  })

  it('is tried with its empty lines too, where it has some', () => {
    const long = 'WITH a AS (SELECT 1)\n\nSELECT * FROM a'
    expect(sqlCandidates(long)).to.include(long)
    expect(sqlCandidates(fence(long))).to.deep.equal([long])
  })

  it('keeps the semicolons and fences in its texts', () => {
    const odd = "SELECT 'a;b', '```'"
    expect(sqlCandidates(fence(odd))).to.deep.equal([odd])
    expect(sqlCandidates(odd)).to.include(odd)
  })
})
