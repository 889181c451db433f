import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect } from 'chai'

const command = resolve(import.meta.dirname, '../../scripts/test.ts')

describe('the test command in lanes', function () {
  this.timeout(120_000)
  let folder: string
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'flowfarm-lanes-'))
  })
  after(() => rmSync(folder, { recursive: true }))

  function run(files: Readonly<Record<string, string>>): { code: number | null; all: string; lines: string[] } {
    const paths = Object.entries(files).map(([name, content]) => {
      const path = join(folder, `${name}.test.ts`)
      writeFileSync(path, `${content}\n`)
      return path
    })
    const { CI: _, ...env } = process.env
    const { status, stdout, stderr } = spawnSync(process.execPath, [command, '--lanes=2', ...paths], { encoding: 'utf8', env })
    return { code: status, all: stdout + stderr, lines: stdout.trimEnd().split('\n') }
  }

  it('counts the tests of all files, and keeps together what each printed', () => {
    const slow = (name: string): string => `describe('${name}', () => {
      it('${name} begins', () => new Promise((resolve) => setTimeout(resolve, 100)))
      it('${name} ends')
    })`
    const { code, lines, all } = run({ one: slow('one'), two: slow('two'), three: slow('three') })
    expect(lines.at(-1)).to.equal('3 passed, 0 failed, 3 skipped')
    expect(code).to.equal(0)
    for (const name of ['one', 'two', 'three']) expect(all).to.match(new RegExp(`${name} begins.*\\n +- ${name} ends\\n`))
    expect(all).to.match(/Slowest:\n +\d+\.\d s .*\.test\.ts/)
  })

  it('fails with a test that fails, a file that cannot be loaded and one that ends the process, and runs what is left', () => {
    const { code, lines, all } = run({
      bad: `describe('bad', () => { it('fails', () => { throw new Error('as always') }) })`,
      deadly: `describe('deadly', () => { it('ends the process', () => process.exit(0)) })`,
      deadlier: `describe('deadlier', () => { it('ends the process', () => process.exit(7)) })`,
      unloadable: `import './nowhere.ts'`,
      good: `describe('good', () => { it('passes', () => undefined) })`,
    })
    expect(lines.at(-1)).to.equal('1 passed, 4 failed')
    expect(code).to.equal(1)
    expect(all).to.contain('Error: as always').and.to.match(/bad\.test\.ts: bad fails\n/)
    expect(all).to.match(/deadly\.test\.ts: the process ended\n/).and.to.match(/deadlier\.test\.ts: the process ended\n/)
    expect(all).to.match(/unloadable\.test\.ts: the file cannot be loaded\n/)
  })

  it('fails when something is left open', () => {
    const { code, lines, all } = run({
      open: `describe('open', () => { it('leaves a timer', () => { setInterval(() => undefined, 1000) }) })`,
      closed: `describe('closed', () => { it('passes', () => undefined) })`,
    })
    expect(lines.at(-1)).to.equal('2 passed, 1 failed')
    expect(code).to.equal(1)
    expect(all).to.contain('something is still open: Timeout').and.to.contain('at the end of a lane: something was left open')
  })
})
