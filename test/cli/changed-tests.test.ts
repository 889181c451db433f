import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect } from 'chai'
import { readSourceGraph, repositoryFiles } from '../../scripts/check/source-graph.ts'
import { changedFiles, testsOfChange } from '../../scripts/test/changed-tests.ts'

const sources: Readonly<Record<string, string>> = {
  'src/leaf.ts': 'export const leaf = 1',
  'src/middle.ts': "import { leaf } from './leaf.ts'\nexport const middle = leaf",
  'src/main.ts': "await import('./middle.ts')",
  'src/other.ts': '// Unlike `src/leaf.ts`.\nexport const other = 2',
  'src/middle.test.ts': "import { middle } from './middle.ts'",
  'src/other.test.ts': "import { other } from './other.ts'",
  'migrations/0001.sql': 'select 1',
  'docs/page.md': '# Page',
  'test/support/program.ts': "export const file = new URL('../../src/main.ts', import.meta.url)",
  'test/support/database.ts': "export const folder = join(root, 'migrations')",
  'test/program.test.ts': "import { file } from './support/program.ts'",
  'test/rows.test.ts': "import { folder } from './support/database.ts'",
  'test/pages.test.ts': "const page = read('docs/page.md')",
  'test/house.test.ts': "filesBelow(['src', 'jobs'], /ts$/)",
}

describe('tests affected by a change', () => {
  let root: string
  const git = (...args: string[]): string => execFileSync('git', args, { cwd: root, encoding: 'utf8' })
  const write = (file: string, text: string): void => {
    mkdirSync(dirname(join(root, file)), { recursive: true })
    writeFileSync(join(root, file), `${text}\n`)
  }

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'flowfarm-changed-'))
    git('init', '--quiet')
    for (const [file, text] of Object.entries(sources)) write(file, text)
    git('add', '--all')
    git('-c', 'user.name=a', '-c', 'user.email=a@example.com', 'commit', '--quiet', '--message', 'all')
  })
  afterEach(() => rmSync(root, { recursive: true, force: true }))

  it('include tests that import the file at any depth, start a program that does, or read its folder', () => {
    const of = (file: string): string[] => testsOfChange(root, [file])
    expect(of('src/leaf.ts')).to.deep.equal(['src/middle.test.ts', 'test/house.test.ts', 'test/program.test.ts'])
    expect(of('src/other.ts')).to.deep.equal(['src/other.test.ts', 'test/house.test.ts'])
    expect(of('migrations/0001.sql')).to.deep.equal(['test/rows.test.ts'])
    expect(of('docs/page.md')).to.deep.equal(['test/pages.test.ts'])
    expect(of('test/rows.test.ts')).to.deep.equal(['test/rows.test.ts'])
    expect(of('package-lock.json')).to.deep.equal(repositoryFiles(root).filter((file) => file.endsWith('.test.ts')))
    expect(of('LICENSE')).to.deep.equal([])
  })

  it('include those of changed, new and deleted files', () => {
    expect(changedFiles(root, 'HEAD')).to.deep.equal([])
    rmSync(join(root, 'src/leaf.ts'))
    write('src/middle.ts', 'export const middle = 3')
    write('src/new.ts', 'export const added = 4')
    expect(changedFiles(root, 'HEAD')).to.have.members(['src/leaf.ts', 'src/middle.ts', 'src/new.ts'])
    write('src/main.ts', "await import('./leaf.ts')")
    expect(testsOfChange(root, ['src/leaf.ts'])).to.deep.equal(['test/house.test.ts', 'test/program.test.ts'])
    expect(() => changedFiles(root, 'no-such-branch')).to.throw('no-such-branch')
  })

  it('have a digest that changes with every direct import, including a deleted one', () => {
    const digest = (file: string): string => readSourceGraph(root, repositoryFiles(root)).fingerprint(file)
    const before = [digest('src/middle.ts'), digest('src/middle.test.ts')]
    write('src/leaf.ts', 'export const leaf = "text"')
    const changed = [digest('src/middle.ts'), digest('src/middle.test.ts')]
    expect(changed[0]).to.not.equal(before[0])
    expect(changed[1]).to.equal(before[1])
    rmSync(join(root, 'src/leaf.ts'))
    expect([changed[0], before[0]]).to.not.include(digest('src/middle.ts'))
  })
})
