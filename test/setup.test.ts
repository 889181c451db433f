import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { showProgress } from '../scripts/setup/progress.mjs'
import { satisfies } from '../scripts/setup/tree.mjs'
import { repositoryRoot } from './support/repository.ts'

interface Result {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

describe('setup', () => {
  const children: ChildProcess[] = []
  let root: string

  /** A project with the real setup and one local dependency, so that npm needs no network. */
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'setup-test-'))
    cpSync(join(repositoryRoot, 'scripts/setup'), join(root, 'scripts/setup'), { recursive: true })
    cpSync(join(repositoryRoot, 'scripts/setup.mjs'), join(root, 'scripts/setup.mjs'))
    mkdirSync(join(root, 'dependency'))
    const scripts = { install: `node -e "fs.writeFileSync('an-install-script-ran', '')"` }
    const manifest = { name: 'project', version: '1.0.0', scripts, dependencies: { dependency: 'file:dependency' } }
    writeJson('package.json', manifest)
    writeJson('dependency/package.json', { name: 'dependency', version: '1.0.0' })
    writeJson('package-lock.json', {
      name: 'project',
      version: '1.0.0',
      lockfileVersion: 3,
      packages: {
        '': manifest,
        dependency: { version: '1.0.0' },
        'node_modules/dependency': { resolved: 'dependency', link: true },
      },
    })
    writeFileSync(join(root, 'program.ts'), 'console.log("ran", process.argv.slice(2).join(" ")); process.exitCode = 3')
  })

  afterEach(() => {
    // Each child has a process group, since a setup that fails to forward a signal leaves its
    // program running.
    for (const { pid } of children.splice(0)) if (pid !== undefined) killGroup(pid)
    rmSync(root, { recursive: true, force: true })
  })

  function writeJson(path: string, value: unknown): void {
    writeFileSync(join(root, path), JSON.stringify(value))
  }

  function start(...args: string[]): ChildProcess {
    const argv = ['scripts/setup.mjs', ...args]
    const child = spawn(process.execPath, argv, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'], detached: true })
    children.push(child)
    return child
  }

  async function run(...args: string[]): Promise<Result> {
    const child = start(...args)
    const output = { stdout: '', stderr: '' }
    child.stdout?.on('data', (data: Buffer) => (output.stdout += data.toString()))
    child.stderr?.on('data', (data: Buffer) => (output.stderr += data.toString()))
    const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null]
    return { code, signal, ...output }
  }

  it('installs missing packages once, and runs the program with its arguments and exit code', async () => {
    const first = await run('program.ts', 'a', 'b')
    expect(first.stderr).to.match(
      /^Installing dependencies .+\n(?:  \w+: \d of 1 packages, \d+ s\n)*Installed in \d+ s\.\n$/,
    )
    expect(first).to.include({ code: 3, stdout: 'ran a b\n' })
    expect(existsSync(join(root, 'node_modules/dependency/package.json'))).to.equal(true)
    expect(await run('program.ts')).to.include({ code: 3, stderr: '' })
  })

  it('disables install scripts', async () => {
    await run('program.ts')
    expect(existsSync(join(root, 'an-install-script-ran'))).to.equal(false)
    const npm = spawn('npm', ['ci'], { cwd: root, stdio: 'ignore' })
    await once(npm, 'close')
    expect(existsSync(join(root, 'an-install-script-ran'))).to.equal(true)
  })

  for (const [where, isTTY, form] of [
    [
      'on one line of a terminal',
      true,
      /^(?:\r\x1B\[2K  (?:Downloading|Unpacking): \d of 1 packages, \d+ s)+\r\x1B\[2K$/,
    ],
    ['in a log, a line each time', false, /^(?:  (?:Downloading|Unpacking): \d of 1 packages, \d+ s\n)+$/],
  ] as const) {
    it(`shows its progress ${where}`, async () => {
      let text = ''
      const { promise, resolve } = Promise.withResolvers<void>()
      const end = showProgress(
        root,
        {
          isTTY,
          write: (part) => {
            text += part
            if (text.includes('0 of 1')) mkdirSync(join(root, 'node_modules/dependency'), { recursive: true })
            if (text.includes('0 of 1')) writeJson('node_modules/dependency/package.json', {})
            if (text.includes('Unpacking: 1 of 1')) resolve()
          },
        },
        { first: 0, later: 1 },
      )
      await promise
      end()
      expect(text).to.match(form).and.include('Downloading: 0 of 1 packages, 0 s')
    })
  }

  it('accepts node_modules of another installer, and repairs an incomplete one', async () => {
    const npm = spawn('npm', ['ci'], { cwd: root, stdio: 'ignore' })
    expect(await once(npm, 'close')).to.deep.equal([0, null])
    expect(await run('program.ts')).to.include({ code: 3, stderr: '' })
    rmSync(join(root, 'node_modules/.package-lock.json'))
    expect((await run('program.ts')).stderr).to.contain('Installing')
  })

  it('installs once for two concurrent starts', async () => {
    const both = await Promise.all([run('program.ts', 'one'), run('program.ts', 'two')])
    expect(both.map(({ stdout }) => stdout)).to.deep.equal(['ran one\n', 'ran two\n'])
    expect(both.filter(({ stderr }) => stderr.includes('Installing'))).to.have.length(1)
  })

  it('takes over the lock of a dead process', async () => {
    mkdirSync(join(root, '.flowfarm'))
    writeFileSync(join(root, '.flowfarm/setup.lock'), 'gone')
    utimesSync(join(root, '.flowfarm/setup.lock'), new Date(0), new Date(0))
    expect(await run('program.ts')).to.include({ code: 3, stdout: 'ran \n' })
    expect(existsSync(join(root, '.flowfarm/setup.lock'))).to.equal(false)
  })

  it('shows the npm error and the remedy if the installation fails', async () => {
    writeJson('package.json', { name: 'project', version: '1.0.0', dependencies: { other: 'file:other' } })
    rmSync(join(root, 'dependency'), { recursive: true })
    const { code, stderr, stdout } = await run('program.ts')
    expect({ code, stdout }).to.deep.equal({ code: 1, stdout: '' })
    expect(stderr).to.contain('npm error').and.contain('package.json and package-lock.json differ')
    expect(stderr).to.not.contain('    at ')
    expect(existsSync(join(root, '.flowfarm/setup.lock'))).to.equal(false)
  })

  it('explains an untrusted registry certificate', async () => {
    const npm = join(root, 'npm-cli.js')
    writeFileSync(npm, 'console.error("npm error code SELF_SIGNED_CERT_IN_CHAIN"); process.exitCode = 1')
    const child = spawn(process.execPath, ['scripts/setup.mjs', 'program.ts'], {
      cwd: root,
      env: { npm_execpath: npm, npm_node_execpath: process.execPath },
      stdio: ['ignore', 'ignore', 'pipe'],
      detached: true,
    })
    children.push(child)
    let errors = ''
    child.stderr.on('data', (data: Buffer) => (errors += data.toString()))
    expect(await once(child, 'close')).to.deep.equal([1, null])
    expect(errors).to.include('is not trusted: set NODE_EXTRA_CA_CERTS')
  })

  it('requires a newer Node before it installs anything', async () => {
    const path = join(root, 'scripts/setup/node-program.mjs')
    writeFileSync(path, readFileSync(path, 'utf8').replace('neededMajor = 24', 'neededMajor = 999'))
    const { code, stderr } = await run('program.ts')
    expect(code).to.equal(1)
    expect(stderr).to.match(
      /^flowfarm needs Node 999 or newer; .+ No Node package exists for .+: install Node 999 .+\n$/,
    )
    expect(existsSync(join(root, 'node_modules'))).to.equal(false)
  })

  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    it(`forwards ${signal} and exits like the program`, async () => {
      writeFileSync(
        join(root, 'program.ts'),
        `process.on('${signal}', () => { console.log('told'); process.exit(7) })
        setInterval(() => {}, 1e6)
        console.log('up')`,
      )
      const child = start('program.ts')
      let stdout = ''
      child.stdout?.on('data', (data: Buffer) => {
        stdout += data.toString()
        if (stdout === 'up\n') child.kill(signal)
      })
      expect(await once(child, 'close')).to.deep.equal([7, null])
      expect(stdout).to.equal('up\ntold\n')
    })
  }

  it('exits with the signal that terminated the program', async () => {
    writeFileSync(join(root, 'program.ts'), `process.kill(process.pid, 'SIGKILL')`)
    expect(await run('program.ts')).to.include({ code: null, signal: 'SIGKILL' })
  })
})

function killGroup(leader: number): void {
  try {
    process.kill(-leader, 'SIGKILL')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

describe('lockfile check', () => {
  const elsewhere = { os: [process.platform === 'linux' ? 'darwin' : 'linux'] }

  it('requires each package with its version and content', () => {
    const wanted = { '': {}, 'node_modules/a': { version: '1.0.0', integrity: 'sha512-a' } }
    expect(satisfies(wanted, { 'node_modules/a': { version: '1.0.0', integrity: 'sha512-a' } })).to.equal(true)
    expect(satisfies(wanted, { 'node_modules/a': { version: '1.0.1', integrity: 'sha512-a' } })).to.equal(false)
    expect(satisfies(wanted, { 'node_modules/a': { version: '1.0.0', integrity: 'sha512-b' } })).to.equal(false)
    expect(satisfies(wanted, {})).to.equal(false)
  })

  it('ignores only optional packages of other platforms', () => {
    expect(satisfies({ 'node_modules/a': { optional: true, ...elsewhere } }, {})).to.equal(true)
    expect(satisfies({ 'node_modules/a': { ...elsewhere } }, {})).to.equal(false)
    const here = { os: process.platform, cpu: [process.arch] }
    expect(satisfies({ 'node_modules/a': { optional: true, ...here } }, {})).to.equal(false)
    expect(satisfies({ 'node_modules/a': { optional: true, cpu: [`!${process.arch}`] } }, {})).to.equal(true)
    expect(satisfies({ 'node_modules/a': { optional: true } }, {})).to.equal(false)
  })
})
