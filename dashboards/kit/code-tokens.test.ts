import { expect } from 'chai'
import fc from 'fast-check'
import { readCadenceLines, readCadenceTokens, scriptParameters, readSqlTokens } from './code-tokens.ts'

describe('Cadence tokens', () => {
  it('classify keywords, types, strings, numbers, addresses, calls and comments', () => {
    const code = 'import FlowToken from 0x1654653399040a61 // it\nlet a: UFix64 = f("x\\"y", 1_0.5) /* b /* c */ d */'
    const marked = readCadenceTokens(code).filter(({ kind, text }) => kind !== 'plain' && text.trim() !== '')
    expect(marked.map(({ kind, text }) => `${kind} ${text}`)).to.deep.equal([
      'keyword import',
      'type FlowToken',
      'keyword from',
      'address 0x1654653399040a61',
      'comment // it',
      'keyword let',
      'type UFix64',
      'call f',
      'text "x\\"y"',
      'number 1_0.5',
      'comment /* b /* c */ d */',
    ])
  })

  it('keep their kind over several lines', () => {
    const lines = readCadenceLines('let a /* b\nc */ d\n\n')
    expect(lines.map((line) => line.map(({ text }) => text).join(''))).to.deep.equal(['let a /* b', 'c */ d', '', ''])
    expect([lines[0]?.at(-1), lines[1]?.[0]]).to.deep.equal([
      { kind: 'comment', text: '/* b' },
      { kind: 'comment', text: 'c */' },
    ])
  })

  it('joined are the input, for any text', () => {
    const pieces = fc.constantFrom('/*', '*/', '//', '"', '\\', '\n', 'let ', 'A', '0x1', '9', '(', ' ', '#', 'é')
    fc.assert(
      fc.property(fc.array(pieces), (texts) => {
        const code = texts.join('')
        expect(
          readCadenceTokens(code)
            .map(({ text }) => text)
            .join(''),
        ).to.equal(code)
      }),
    )
  })

  it('yield the parameters of a script with their types', () => {
    const code =
      '// transaction(no: Int)\ntransaction(to: Address, by amounts: {String: [UFix64]}, cap: Capability<&{A, B}>) { }'
    expect(scriptParameters(code)).to.deep.equal([
      { name: 'to', type: 'Address' },
      { name: 'amounts', type: '{String: [UFix64]}' },
      { name: 'cap', type: 'Capability<&{A, B}>' },
    ])
    expect(scriptParameters('transaction { }')).to.deep.equal([])
  })
})

const kinds = (sql: string): string[] =>
  readSqlTokens(sql)
    .filter(({ text }) => text.trim() !== '')
    .map(({ kind, text }) => `${kind} ${text}`)

describe('SQL tokens', () => {
  it('classify keywords, names, calls, strings, numbers and comments', () => {
    expect(
      kinds(
        `SELECT count(*), 'it''s' AS "from" -- all\n` +
          'FROM raw.blocks WHERE height > 1_000 /* x */ AND a::numeric = $t$y$t$',
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

  it('joined are the input, also for an incomplete statement', () => {
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
