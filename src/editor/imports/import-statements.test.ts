import assert from 'node:assert/strict'
import fc from 'fast-check'
import { declarationsIn, importStatements, declaringTokens, sourceTokens } from './import-statements.ts'
import { blankOut, replaceLocations } from './lay-out-contracts.ts'
import { scriptImports } from '../../flow/code/script-imports.ts'

const read = (code: string) => importStatements(sourceTokens(code))

/** Fragments of sources with imports, including hostile ones. */
const piece = fc.oneof(
  fc.constantFrom(
    'import A from 0xf233dcee88fe0abe',
    'import A, B from 0x1',
    'import A as Z, B from 0x0_1',
    'import "Foo"',
    'import Crypto',
    'import X from "./x.cdc"',
    'import 0x1',
    '// import C from 0x1',
    '/* import D from 0x1',
    '*/',
    '"',
    '\\',
    '\\(',
    '"\\("import E from 0x1")"',
    ')',
    '(',
    '{',
    '}',
    '\n',
    '\r\n',
    '\r',
    ' ',
    ';',
    ',',
    'from',
    'import',
    'as',
    '😀',
    'é',
    '\uD83D',
    '\u2028',
    'a.import b',
    'contract C',
    'contract interface',
    'contract',
    '.',
    'as',
    'A',
    'é\u{20000}import',
    'import\u{20000}',
    'imported',
    'subcontract D',
    'as {',
    '"\\(.',
    '//',
  ),
  fc.string({ unit: 'grapheme', maxLength: 8 }),
)
const source = fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join(' '))

describe('imports of a source', () => {
  it('are found in every spelling, across lines and comments', () => {
    const code =
      'import /* x */ A,\n  B as C // y\n from 0xF233DCEE_88fe0abe;import "Foo"\nimport Crypto import X from "./x.cdc"\nimport 0x1'
    assert.deepEqual(
      read(code).map(({ names, location: { kind, value } }) => [
        names.map(({ name, alias }) => alias ?? name).join(),
        kind,
        value,
      ]),
      [
        ['A,C', 'address', 'f233dcee88fe0abe'],
        ['', 'string', 'Foo'],
        ['', 'identifier', 'Crypto'],
        ['X', 'string', './x.cdc'],
        ['', 'address', '0000000000000001'],
      ],
    )
  })

  it('are ignored in comments, strings, members and incomplete statements', () => {
    for (const code of [
      '// import A from 0x1',
      '/* /* */ import A from 0x1 */',
      'let a = "import A from 0x1"',
      'let a = "\\("import A from 0x1")"',
      'a.import B',
      'import A from',
      'import A,',
      'import',
      'let a = "\\" import A from 0x1',
      'import "unfinished',
      'import A from 0x11112222333344445',
    ])
      assert.deepEqual(read(code), [], code)
  })

  it('are found after an unterminated string and after a template', () => {
    assert.equal(read('let a = "open\nimport A from 0x1').length, 1)
    assert.equal(read('let a = "\\(f((1)))" import A from 0x1').length, 1)
  })

  it('match those of the script reader', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.constantFrom(
            'import A from 0x1\n',
            'import B, C from 0xf8d6e0586b0a20c7\n',
            '/* import D from 0x2 */',
            '"import E from 0x3"\n',
            'let x = 1\n',
          ),
        ),
        (pieces) => {
          const code = pieces.join('')
          const own = read(code).flatMap(({ names, location: { value } }) =>
            names.map(({ name }) => `${value}.${name}`),
          )
          assert.deepEqual(
            new Set(own),
            new Set(scriptImports(code).map(({ name, address }) => `${address ?? ''}.${name}`)),
          )
        },
      ),
    )
  })

  it('have exact token positions, for any text', () => {
    fc.assert(
      fc.property(source, (code) => {
        let last = 0
        for (const token of sourceTokens(code)) {
          assert.ok(token.start >= last && token.end > token.start && token.end <= code.length)
          assert.equal(code.slice(token.start, token.end), token.text)
          last = token.end
        }
      }),
    )
  })

  it('are the same with the fast tokenizer, for any text', () => {
    const spaced = fc
      .array(piece, { maxLength: 30 })
      .chain((pieces) => fc.constantFrom('', ' ').map((between) => pieces.join(between)))
    fc.assert(
      fc.property(spaced, (code) => {
        assert.deepEqual(declarationsIn(declaringTokens(code)), declarationsIn(sourceTokens(code)))
      }),
      {
        numRuns: 1000,
        examples: [
          'import A as { from 0x1',
          'import A as ., B from 0x1',
          'a. /* x */ import B from 0x1',
          'éimport A from 0x1',
          'importé A from 0x1',
          'contract interface . import C',
          '"\\(contract A) import B from 0x1',
          'contract\n// x\nA { import C from 0x1 }',
        ].map((code) => [code]),
      },
    )
  })

  it('are read in linear time from long hostile texts', () => {
    for (const part of ['/*', '"\\(', 'import A, ', '"', '\\(', 'import A from ', '(']) {
      // Quadratic time would take minutes.
      read(part.repeat(100_000))
      declaringTokens(part.repeat(100_000))
    }
  })
})

describe('replaced import locations', () => {
  it('shift only text after a longer literal, for any text', () => {
    fc.assert(
      fc.property(source, fc.stringMatching(/^[a-z_/.0-9]{0,30}$/), (code, path) => {
        const statements = read(code)
        const changed = replaceLocations(
          code,
          statements.map(({ location }) => ({ location, path })),
        )
        const before = code.split('\n')
        const after = changed.split('\n')
        assert.equal(after.length, before.length)
        for (const [line, text] of before.entries()) {
          const other = after[line] ?? ''
          const changes = statements
            .map(({ location }) => location)
            .filter(({ start }) => code.slice(0, start).split('\n').length - 1 === line)
          if (changes.length === 0) assert.equal(other, text)
          const begin = code.split('\n').slice(0, line).join('\n').length + (line === 0 ? 0 : 1)
          // Text outside the literals stays in place, unless its line became longer: then it is
          // shifted up to the last literal.
          const lastStart = Math.max(0, ...changes.map(({ start }) => start - begin))
          for (let at = 0; at < (other.length === text.length ? text.length : lastStart); at++) {
            if (changes.some(({ start, end }) => at >= start - begin && at < end - begin)) continue
            assert.equal(other[at], text[at])
          }
        }
      }),
    )
  })

  it('are string literals with the path', () => {
    const code = 'import A from 0xf233dcee88fe0abe\nimport "EVM" // why\nimport "B"; import "C"\nlet x = 1'
    const changed = replaceLocations(
      code,
      read(code).map(({ location }) => ({ location, path: '_/3f2a.cdc' })),
    )
    assert.equal(
      changed,
      'import A from "_/3f2a.cdc"      \nimport "_/3f2a.cdc" // why\nimport "B"; import "_/3f2a.cdc"\nlet x = 1',
    )
    assert.deepEqual(
      read(changed).map(({ location }) => location.value),
      ['_/3f2a.cdc', '_/3f2a.cdc', 'B', '_/3f2a.cdc'],
    )
  })

  it('blankOut blanks ranges and preserves lines', () => {
    assert.equal(
      blankOut('ab\ncd ef', [
        { start: 1, end: 4 },
        { start: 6, end: 8 },
      ]),
      'a \n d   ',
    )
  })
})
