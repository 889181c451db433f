import { expect } from 'chai'
import fc from 'fast-check'
import { readSqlTokens } from './sql-tokens.ts'

const kinds = (sql: string): string[] =>
  readSqlTokens(sql)
    .filter(({ text }) => text.trim() !== '')
    .map(({ kind, text }) => `${kind} ${text}`)

describe('SQL in colours', () => {
  it('has keywords, names, calls, texts, numbers and comments', () => {
    expect(
      kinds(
        `SELECT count(*), 'it''s' AS "from" -- all\nFROM raw.blocks WHERE height > 1_000 /* x */ AND a::numeric = $t$y$t$`,
      ),
    ).to.deep.equal([
      'keyword SELECT',
      'call count',
      'plain (*), ',
      "text 'it''s'",
      'keyword AS',
      'plain "from"',
      'comment -- all',
      'keyword FROM',
      'plain raw',
      'plain .',
      'plain blocks',
      'keyword WHERE',
      'plain height',
      'plain  > ',
      'number 1_000',
      'comment /* x */',
      'keyword AND',
      'plain a',
      'plain ::',
      'type numeric',
      'plain  = ',
      'text $t$y$t$',
    ])
  })

  it('is the statement when joined, also one that is being written', () => {
    const piece = fc.constantFrom(
      "'",
      '"',
      '$$',
      '$a$',
      '--',
      '/*',
      '*/',
      'SELECT',
      ' ',
      '\n',
      '1',
      '.',
      '列',
      'e',
      '(',
    )
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 20 }).map((pieces) => pieces.join('')),
        (sql) => {
          expect(
            readSqlTokens(sql)
              .map(({ text }) => text)
              .join(''),
          ).to.equal(sql)
        },
      ),
      { numRuns: 2000 },
    )
  })
})
