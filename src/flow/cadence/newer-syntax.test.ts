import { expect } from 'chai'
import fc from 'fast-check'
import { hideNewerSyntax } from './newer-syntax.ts'

describe('syntax newer than the parser', () => {
  it('is masked, and other syntax is not', () => {
    const hidden: ReadonlyArray<readonly [code: string, seen: string]> = [
      ['let a = "x \\(b) y"', 'let a = "x ____ y"'],
      ['let a = "\\(f(1, "2)")) \\(你)" + b', 'let a = "_____________ ______" + b'],
      ['let a = "\\\\(b)"', 'let a = "\\\\(b)"'],
      ['let a = "\\" \\(b)"', 'let a = "\\" ____"'],
      ['// "\\(b)\nlet a = "\\(b', '// "\\(b)\nlet a = "___'],
      ['/* "\\(b) /* */ " */ let a = 1', '/* "\\(b) /* */ " */ let a = 1'],
      ['import A as B from 0x1', 'import      B from 0x1'],
      ['import A, C as B\n from 0x1', 'import A,      B\n from 0x1'],
      ['let as = 1 as Int', 'let as = 1 as Int'],
    ]
    for (const [code, seen] of hidden) expect(hideNewerSyntax(code), code).to.equal(seen)
  })

  it('preserves source positions', () => {
    const code = fc
      .array(
        fc.oneof(
          fc.constantFrom(
            '"',
            '\\(',
            ')',
            '(',
            '/*',
            '*/',
            '//',
            '\n',
            '\\',
            'import ',
            ' as ',
            ' from ',
            'A',
            '你😀',
            ', ',
          ),
          fc.string(),
        ),
        { maxLength: 40 },
      )
      .map((parts) => parts.join(''))
    fc.assert(
      fc.property(code, (text) => {
        const hidden = hideNewerSyntax(text)
        expect(hidden.split('\n').map((line) => Buffer.byteLength(line))).to.deep.equal(
          text.split('\n').map((line) => Buffer.byteLength(line)),
        )
      }),
      { numRuns: 500 },
    )
  })
})
