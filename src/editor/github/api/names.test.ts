import { expect } from 'chai'
import fc from 'fast-check'
import {
  asSegments,
  below,
  branchName,
  environmentName,
  isWorkflowPath,
  ownerName,
  pathProblem,
  readId,
  repositoryName,
  secretNames,
} from './names.ts'

const isBranch = (name: string): boolean => branchName.safeParse(name).success

describe('names at GitHub and in Git', () => {
  it('reject paths that leave the root, enter .git or contain hidden characters', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: 'grapheme', maxLength: 60 }),
          fc
            .array(
              fc.constantFrom(
                'a',
                '..',
                '.',
                '',
                '.git',
                '.GIT',
                'git~1',
                '.git ',
                '.git.',
                '.git::$DATA',
                'b.cdc',
                ' ',
                '\u202e',
                '\\',
                '\0',
                'é',
                'e\u0301',
              ),
              { maxLength: 6 },
            )
            .map((parts) => parts.join('/')),
        ),
        (path) => {
          if (pathProblem(path) !== undefined) return
          const parts = path.split('/')
          expect(
            parts.some((part) => ['', '.', '..'].includes(part)),
            path,
          ).to.equal(false)
          expect(
            parts.some((part) => /^\.git[ .]*(?::.*)?$/i.test(part)),
            path,
          ).to.equal(false)
          expect(path).not.to.match(/[\\\p{Cc}\p{Cf}]/u)
          expect(path.normalize('NFC')).to.equal(path)
        },
      ),
      { numRuns: 2000 },
    )
  })

  it('accept common file names', () => {
    for (const path of [
      'flow.json',
      'cadence/contracts/Foo.cdc',
      '.gitignore',
      '.github/dependabot.yml',
      'a b/c (1).cdc',
      'Ünï/😀.cdc',
      '.gitattributes',
      'x.git/y',
      '...x',
      'a..b',
      "it's",
      '100%',
      '#1',
      'a?b',
      'a&b=c',
    ])
      expect(pathProblem(path), path).to.equal(undefined)
    for (const path of [
      '',
      '/',
      '/a',
      'a/',
      '..',
      '.git',
      'a/.Git/b',
      '.ｇｉｔ/config',
      'a'.repeat(201),
      Array<string>(21).fill('a').join('/'),
      'a.',
      '\ud800',
      '\u200b',
    ])
      expect(pathProblem(path), path).to.be.a('string')
  })

  it('round-trip as URL path segments', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }).filter((path) => pathProblem(path) === undefined),
        (path) => {
          const url = new URL(`https://api.github.com/repos/o/r/contents/${asSegments(path)}`)
          expect([url.host, url.search, url.hash]).to.deep.equal(['api.github.com', '', ''])
          expect(decodeURIComponent(url.pathname)).to.equal(`/repos/o/r/contents/${path}`)
        },
      ),
    )
  })

  it('of branches follow the rules of Git', () => {
    for (const name of [
      'main',
      'feature/x',
      'v1.2',
      'a-b_c',
      'dependabot/npm_and_yarn/x-1.0',
      'Ünï',
      '1',
      'x#1',
      'a+b',
    ])
      expect(isBranch(name), name).to.equal(true)
    for (const name of [
      '',
      '@',
      '-x',
      '/x',
      'x/',
      'x.',
      '.x',
      'a/.b',
      'a..b',
      'a//b',
      'x.lock',
      'a.lock/b',
      'a b',
      'a~b',
      'a^b',
      'a:b',
      'a?b',
      'a*b',
      'a[b',
      'a\\b',
      'a@{b',
      'a\0b',
      'a\nb',
      'refs/heads/x',
      '\u200bx',
      'a'.repeat(300),
      '..',
    ])
      expect(isBranch(name), name).to.equal(false)
  })

  it('of accounts, repositories and environments contain no URL syntax', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 30 }), (text) => {
        for (const schema of [ownerName, repositoryName, environmentName]) {
          if (schema.safeParse(text).success) expect(encodeURIComponent(text)).to.equal(text)
        }
      }),
    )
    for (const name of ['.', '..', 'a.git', 'a/b', '', 'a'.repeat(101)])
      expect(repositoryName.safeParse(name).success, name).to.equal(false)
  })

  it('of secrets follow the rules of GitHub', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[A-Za-z][A-Za-z0-9_-]{0,39}$/), (name) => {
        for (const secret of Object.values(secretNames(name))) expect(secret).to.match(/^FLOW_[A-Z0-9_]+$/)
      }),
    )
  })

  it('of workflows are matched regardless of spelling', () => {
    for (const path of ['.github/workflows/x.yml', '.GITHUB/workflows/x', '.github/Workflows', '.ｇithub/workflows/x'])
      expect(isWorkflowPath(path), path).to.equal(true)
    for (const path of ['.github/x.yml', 'a/.github/workflows/x.yml', '.github/workflows2/x'])
      expect(isWorkflowPath(path), path).to.equal(false)
  })

  it('and numbers are integers in the range of GitHub', () => {
    expect([readId('1', 'x'), readId('123456789012', 'x'), below('', 'a'), below('a', 'b')]).to.deep.equal([
      1,
      123_456_789_012,
      'a',
      'a/b',
    ])
    for (const text of ['0', '-1', '01', '1e3', '1.5', '', ' 1', '99999999999999999', '１'])
      expect(() => readId(text, 'x'), text).to.throw(/numeric GitHub id/)
  })
})
