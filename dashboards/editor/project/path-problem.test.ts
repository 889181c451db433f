import { expect } from 'chai'
import fc from 'fast-check'
import { pathProblem } from './path-problem.ts'

describe('path rules', () => {
  const taken = ['main.cdc', 'contracts/Token.cdc']
  for (const path of [
    'a.cdc',
    'contracts/B.cdc',
    'contracts/very/too many folders/Ünïcode.cdc',
    'README.md',
    '.gitignore',
  ]) {
    it(`may be ${path}`, () => expect(pathProblem(path, taken)).to.equal(undefined))
  }

  const refused: readonly (readonly [string, RegExp])[] = [
    ['', /name/],
    ['/etc/passwd', /start with/],
    ['../up.cdc', /\.\./],
    ['a/../b', /\.\./],
    ['a//b', /empty folder name/],
    ['a\\b', /Separate folders/],
    ['a\u202Etxt.cdc', /invisible/],
    ['a\u200Bb', /invisible/],
    ['a\nb', /invisible/],
    ['e\u0301.cdc', /NFC/],
    ['dot.', /dot/],
    ['space ', /space/],
    ['CON', /Windows/],
    ['nul.txt', /Windows/],
    ['deps/A.cdc', /imported/],
    ['Imports/A.cdc', /imported/],
    ['main.cdc', /already exists/],
    ['MAIN.cdc', /ignore case/],
    ['contracts', /already a folder/],
    ['main.cdc/x', /is a file/],
    ['a/'.repeat(10) + 'b', /too many folders/],
    ['x'.repeat(201), /200 bytes/],
  ]
  for (const [path, reason] of refused) {
    it(`may not be ${JSON.stringify(path.slice(0, 30))}`, () => expect(pathProblem(path, taken)).to.match(reason))
  }

  it('never allow a path outside of the project', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('.', '/', 'a', '\\', ' ', 'é', '\u0000') }), (path) => {
        if (pathProblem(path) !== undefined) return
        expect(path.split('/')).not.to.include('..')
        expect(new URL(path, 'file:///project/').pathname.startsWith('/project/')).to.equal(true)
      }),
    )
  })
})
