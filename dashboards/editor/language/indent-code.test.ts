import { expect } from 'chai'
import fc from 'fast-check'
import { readCadenceTokens } from '../../kit/code-tokens.ts'
import { examples } from '../project/examples.ts'
import { templates } from '../project/templates.ts'
import { indentCode } from './indent-code.ts'

const written = [...templates, ...examples.flatMap(({ files }) => files)].filter(({ path }) => path.endsWith('.cdc'))

describe('indentation of Cadence', () => {
  it('restores templates and examples whose lines start anywhere', () => {
    for (const { path, code } of written) {
      expect(indentCode(code), path).to.equal(code)
      const flat = code.replaceAll(/^ +/gm, '')
      expect(indentCode(flat), path).to.equal(code)
    }
  })

  it('knows cases, conditions, operators, strings and comments', () => {
    const code = `access(all) fun main(a: Int): Int {
    pre {
        a > 0:
            "a { must be positive"
    }
    // }
    switch a {
        case 1:
            return 1
        default:
            break
    }
    let b =
        a
    /* {
  stays
*/
    return foo([
        a
            ?? 1,
        b
    ])
}
`
    expect(indentCode(code.replaceAll(/^(?! {2}stays) +/gm, ''))).to.equal(code)
  })

  it('changes no token, and nothing the second time, for any text', () => {
    const piece = fc.constantFrom(
      '{',
      '}',
      '(',
      ')',
      '[',
      ']',
      '\n',
      '\n',
      ' ',
      '\t',
      '"',
      '\\',
      '//',
      '/*',
      '*/',
      'case',
      ':',
      '=',
      'a',
      '.',
      '\r',
      '\0',
    )
    const shape = (code: string): string[] =>
      readCadenceTokens(code).flatMap(({ kind, text }) =>
        kind === 'comment' || kind === 'text' ? [text] : [text.replaceAll(/\s/g, '')].filter(Boolean),
      )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
        const code = pieces.join('')
        const once = indentCode(code)
        expect(shape(once).join(' ')).to.equal(shape(code).join(' '))
        expect(indentCode(once)).to.equal(once)
        expect(once.split('\n').map((line) => line.trimStart())).to.deep.equal(
          code.split('\n').map((line) => line.trimStart()),
        )
      }),
      { numRuns: 2000 },
    )
  })
})
