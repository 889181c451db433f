import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect } from 'chai'

const command = resolve(import.meta.dirname, '../../scripts/test.ts')

describe('retries of the test command', () => {
  let folder: string
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'flowfarm-tries-'))
    write('good', `it('passes', () => undefined)`)
    write('bad', `it('fails', () => { throw new Error('as always') })`)
  })
  after(() => rmSync(folder, { recursive: true }))

  function write(name: string, content: string): void {
    writeFileSync(
      join(folder, `${name}.test.ts`),
      `import fs from 'node:fs'\ndescribe('${name}', () => { ${content} })\n`,
    )
  }

  function run(
    names: readonly string[],
    variables: Record<string, string>,
  ): { code: number | null; lines: string[]; all: string } {
    const marker = join(folder, 'was here')
    rmSync(marker, { force: true })
    write(
      'shaky',
      `it('fails once', () => { if (!fs.existsSync(${JSON.stringify(marker)})) { fs.writeFileSync(${JSON.stringify(marker)}, ''); throw new Error('too slow') } })`,
    )
    const { CI: _, ...environment } = process.env
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [command, ...names.map((name) => join(folder, `${name}.test.ts`))],
      { encoding: 'utf8', env: { ...environment, ...variables } },
    )
    return { code: status, lines: stdout.trimEnd().split('\n'), all: stdout + stderr }
  }

  it('rerun a failed file once in CI, count the passing tests and name the file', () => {
    const { code, lines, all } = run(['good', 'shaky'], { CI: 'true' })
    expect(lines.at(-1)).to.equal('2 passed, 0 failed')
    expect(code).to.equal(0)
    expect(all)
      .to.contain('Error: too slow')
      .and.to.match(/Flaky, passed at the second try: .*shaky\.test\.ts/)
  })

  it('fail the run after a second failure', () => {
    const { code, lines } = run(['good', 'shaky', 'bad'], { CI: 'true' })
    expect(lines.at(-1)).to.equal('1 passed, 2 failed')
    expect(code).to.equal(1)
  })

  it('are disabled outside CI', () => {
    const { code, lines } = run(['good', 'shaky'], {})
    expect(lines.at(-1)).to.equal('1 passed, 1 failed')
    expect(code).to.equal(1)
  })
})
