import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect } from 'chai'

const command = resolve(import.meta.dirname, '../../scripts/test.ts')

describe('parallel lanes of the test command', () => {
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
    const { status, stdout, stderr } = spawnSync(process.execPath, [command, '--lanes=2', ...paths], {
      encoding: 'utf8',
      env,
    })
    return { code: status, all: stdout + stderr, lines: stdout.trimEnd().split('\n') }
  }

  it('count the tests of all files, and group the output by file', () => {
    const slow = (name: string): string => `describe('${name}', () => {
      it('${name} begins', () => new Promise((resolve) => setTimeout(resolve, 100)))
      it('${name} ends')
    })`
    const { code, lines, all } = run({ one: slow('one'), two: slow('two'), three: slow('three') })
    expect(lines.at(-1)).to.equal('3 passed, 0 failed, 3 skipped')
    expect(code).to.equal(0)
    for (const name of ['one', 'two', 'three'])
      expect(all).to.match(new RegExp(`${name} begins.*\\n +- ${name} ends\\n`))
    expect(all).to.match(/Slowest:\n +\d+\.\d s .*\.test\.ts/)
  })

  it('fail on a failing test, an unloadable file and a process exit, and still run the remaining files', () => {
    const { code, lines, all } = run({
      bad: `describe('bad', () => { it('fails', () => { throw new Error('as always') }) })`,
      deadly: `describe('deadly', () => { it('ends the process', () => process.exit(0)) })`,
      deadlier: `describe('deadlier', () => { it('ends the process', () => process.exit(7)) })`,
      unloadable: `import './nowhere.ts'`,
      good: `describe('good', () => { it('passes', () => undefined) })`,
    })
    expect(lines.at(-1)).to.equal('1 passed, 4 failed')
    expect(code).to.equal(1)
    expect(all)
      .to.contain('Error: as always')
      .and.to.match(/bad\.test\.ts: bad fails\n/)
    expect(all)
      .to.match(/deadly\.test\.ts: the process ended\n/)
      .and.to.match(/deadlier\.test\.ts: the process ended\n/)
    expect(all).to.match(/unloadable\.test\.ts: the file cannot be loaded\n/)
  })

  for (const [what, args] of [
    ['lanes', ['--lanes=2']],
    ['one process', ['--lanes=1']],
  ] as const) {
    it(`stop on SIGTERM, including lingering processes of a test, in ${what}`, async () => {
      // The test and its child ignore SIGTERM and use a database server and a temporary folder.
      const path = join(folder, `${what}.test.ts`)
      writeFileSync(
        path,
        `
        import { spawn } from 'node:child_process'
        import { mkdtempSync } from 'node:fs'
        import { tmpdir } from 'node:os'
        import { createTestDatabase } from ${JSON.stringify(resolve('test/support/database.ts'))}
        process.on('SIGTERM', () => undefined)
        it('never ends', async () => {
          const database = await createTestDatabase()
          const { rows } = await database.pool.query('select pg_backend_pid() as pid')
          const child = spawn(process.execPath, ['-e', 'process.on("SIGTERM", () => 0); setInterval(() => 0, 1000)'], { detached: true })
          const left = { pids: [process.pid, child.pid, rows[0].pid], folders: [mkdtempSync(tmpdir() + '/left-'), tmpdir()] }
          process.stderr.write('left ' + JSON.stringify(left) + '\\n')
          await new Promise(() => setInterval(() => 0, 1000))
        })`,
      )
      const run = spawn(process.execPath, [command, ...args, path, path], { stdio: ['ignore', 'ignore', 'pipe'] })
      const ended = once(run, 'exit')
      let printed = ''
      let left: { readonly pids: readonly number[]; readonly folders: readonly string[] } | undefined
      for await (const text of run.stderr.setEncoding('utf8') as AsyncIterable<string>) {
        printed += text
        const line = /^left (.*)$/m.exec(printed)?.[1]
        if (line === undefined) continue
        left = JSON.parse(line) as typeof left
        break
      }
      run.kill('SIGTERM')
      expect(await ended).to.deep.equal([1, null])
      expect(
        left?.pids.filter((pid) => existsSync(`/proc/${pid}/exe`)),
        printed,
      ).to.deep.equal([])
      expect(left?.folders.filter((path) => existsSync(path))).to.deep.equal([])
    })
  }

  it('fail on a leaked handle', () => {
    const { code, lines, all } = run({
      open: `describe('open', () => { it('leaves a timer', () => { setInterval(() => undefined, 1000) }) })`,
      closed: `describe('closed', () => { it('passes', () => undefined) })`,
    })
    expect(lines.at(-1)).to.equal('2 passed, 1 failed')
    expect(code).to.equal(1)
    expect(all).to.contain('handles are still open: Timeout').and.to.contain('at the end of a lane: open handles')
  })
})
