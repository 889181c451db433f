import { expect } from 'chai'
import fc from 'fast-check'
import { pathProblem } from './path-problem.ts'

describe('paths of a project, as they are typed', () => {
  const taken = ['main.cdc', 'contracts/Token.cdc']
  for (const path of ['a.cdc', 'contracts/B.cdc', 'contracts/very/deep/Ünïcode.cdc', 'README.md', '.gitignore']) {
    it(`may be ${path}`, () => expect(pathProblem(path, taken)).to.equal(undefined))
  }

  const refused: readonly (readonly [string, RegExp])[] = [
    ['', /name/],
    ['/etc/passwd', /first slash/],
    ['../up.cdc', /\.\./],
    ['a/../b', /\.\./],
    ['a//b', /no name/],
    ['a\\b', /parted by/],
    ['a\u202Etxt.cdc', /cannot be seen/],
    ['a\u200Bb', /cannot be seen/],
    ['a\nb', /cannot be seen/],
    ['e\u0301.cdc', /NFC/],
    ['dot.', /dot/],
    ['space ', /space/],
    ['CON', /Windows/],
    ['nul.txt', /Windows/],
    ['deps/A.cdc', /imported/],
    ['Imports/A.cdc', /imported/],
    ['main.cdc', /there already/],
    ['MAIN.cdc', /differ in case/],
    ['contracts', /folder already/],
    ['main.cdc/x', /is a file/],
    ['a/'.repeat(10) + 'b', /deep/],
    ['x'.repeat(201), /200 bytes/],
  ]
  for (const [path, reason] of refused) {
    it(`may not be ${JSON.stringify(path.slice(0, 30))}`, () => expect(pathProblem(path, taken)).to.match(reason))
  }

  it('never lead out of the project', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('.', '/', 'a', '\\', ' ', 'é', '\u0000') }), (path) => {
        if (pathProblem(path) !== undefined) return
        expect(path.split('/')).not.to.include('..')
        expect(new URL(path, 'file:///project/').pathname.startsWith('/project/')).to.equal(true)
      }),
    )
  })
})
