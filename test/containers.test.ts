import { spawnSync } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { expect } from 'chai'
import { parse } from 'yaml'
import { settings } from '../src/config.ts'
import { isServiceName } from '../src/services.ts'
import { createEmptyDatabase, type TestDatabase } from './support/database.ts'
import { startHalfOpenProxy } from './support/half-open-proxy.ts'
import { ProgramRun } from './support/command-line.ts'
import { readRepositoryFile, repositoryRoot, trackedFiles } from './support/repository.ts'

interface Instruction {
  readonly name: string
  readonly args: string
}

/** The instructions of each stage. A stage starts with FROM. */
const stages = readRepositoryFile('Dockerfile')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .map((line): Instruction => ({ name: line.split(' ', 1)[0] ?? '', args: line.slice(line.indexOf(' ') + 1) }))
  .reduce<Instruction[][]>(
    (all, line) => (line.name === 'FROM' ? [...all, [line]] : [...all.slice(0, -1), [...(all.at(-1) ?? []), line]]),
    [],
  )

const last = stages.at(-1) ?? []
const argsOf = (name: string): string => last.find((instruction) => instruction.name === name)?.args ?? ''
const nobody = 65_534
const isRoot = process.getuid?.() === 0

describe('image', () => {
  let folder: string
  let db: TestDatabase
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'flowfarm-image-'))
    chmodSync(folder, 0o755)
    db = await createEmptyDatabase()
  })
  after(async () => {
    rmSync(folder, { recursive: true, force: true })
    await db.drop()
  })

  it('builds in an empty folder, and serves without root and without writing to it', async function () {
    const files = trackedFiles()
    if (files === undefined) this.skip()
    const ignored = readRepositoryFile('.dockerignore').trim().split('\n')
    const context = files.filter((file) => !ignored.some((path) => file === path || file.startsWith(`${path}/`)))
    const roots = stages.map((_stage, index) => join(folder, `${index}`))
    for (const [index, stage] of stages.entries()) {
      const root = roots[index] ?? folder
      for (const { name, args } of stage) {
        if (name === 'COPY') copy(args, context, roots[0] ?? folder, root)
        else if (name === 'RUN') run(args, root)
      }
    }
    // Over TCP, because only the owner may use the socket of the test server.
    const database = await startHalfOpenProxy(db.url)
    const port = 20_000 + (process.pid % 20_000)
    const [program = '', ...rest] = JSON.parse(argsOf('ENTRYPOINT')) as string[]
    expect(program).to.equal('node')
    const variables = { DB_URL: database.url, PORT: String(port), HOST: '127.0.0.1', ...environment(argsOf('ENV')) }
    const server = new ProgramRun(rest[0] ?? '', ['api'], variables, {
      cwd: roots.at(-1) ?? folder,
      ...(isRoot ? { user: nobody } : {}),
    })
    try {
      await server.printed(/API listening/)
      const [, check = '[]'] = /CMD (\[.*\])$/.exec(argsOf('HEALTHCHECK')) ?? []
      const [, ...probe] = JSON.parse(check) as string[]
      const health = spawnSync(process.execPath, probe, { env: { PORT: String(port) } })
      expect(health.status).to.equal(0)
      expect(spawnSync(process.execPath, probe, { env: { PORT: '1' } }).status).to.equal(1)
      const page = await fetch(`http://127.0.0.1:${port}/`, { headers: { accept: 'text/html' } })
      expect(await page.text()).to.include('<script')
    } finally {
      server.child.kill('SIGTERM')
    }
    expect(await server.ended).to.include({ code: 0 })
    await database.close()
  })

  it('runs as an unprivileged user', () => {
    expect(argsOf('USER')).to.equal('node')
  })
})

describe('compose file', () => {
  interface ComposeService {
    readonly image: string
    readonly command?: string[]
    readonly environment?: Record<string, string>
  }
  const { services } = parse(readRepositoryFile('compose.yaml'), { merge: true }) as {
    services: Record<string, ComposeService>
  }
  const own = Object.values(services).filter(({ image }) => image === 'flowfarm')

  it('runs the processes of the Procfile, except for the proxy', () => {
    const processes = [...readRepositoryFile('Procfile').matchAll(/src\/main\.ts (.+)$/gm)].flatMap(([, names = '']) =>
      names.split(' '),
    )
    const started = own.flatMap(({ command = [] }) => command)
    expect(started.filter((name) => !isServiceName(name))).to.deep.equal([])
    expect([...new Set(started)].toSorted()).to.deep.equal(
      [...new Set(processes)].filter((name) => name !== 'proxy').toSorted(),
    )
  })

  it('sets existing variables only', () => {
    const names = new Set(own.flatMap(({ environment: variables = {} }) => Object.keys(variables)))
    expect(names).to.include.keys('DB_URL', 'REDIS_URL', 'ADMIN_TOKEN')
    expect([...names].filter((name) => !(name in settings))).to.deep.equal([])
  })

  it('has a Redis queue without eviction', () => {
    expect(services['redis']?.command?.join(' ')).to.include('--maxmemory-policy noeviction')
  })
})

/** `COPY [--from=build /app] source… target`, into `root` instead of `/app`. */
function copy(args: string, context: readonly string[], built: string, root: string): void {
  mkdirSync(root, { recursive: true })
  if (args.startsWith('--from=')) {
    cpSync(built, root, { recursive: true, verbatimSymlinks: true })
    return
  }
  const sources = args.split(' ').slice(0, -1)
  const files = sources.includes('.') ? context : sources
  for (const file of files) {
    mkdirSync(dirname(join(root, file)), { recursive: true })
    cpSync(join(repositoryRoot, file), join(root, file))
  }
}

function run(command: string, root: string): void {
  const path = `${dirname(process.execPath)}${delimiter}${process.env['PATH'] ?? ''}`
  const { status, stdout, stderr } = spawnSync('sh', ['-c', command], {
    cwd: root,
    env: { ...process.env, PATH: path },
    encoding: 'utf8',
  })
  expect(status, `${command}\n${stdout}${stderr}`).to.equal(0)
}

/** Parses `A=1 B=2`. */
function environment(args: string): Record<string, string> {
  return Object.fromEntries(
    args.split(' ').map((pair) => [pair.split('=')[0] ?? '', pair.slice(pair.indexOf('=') + 1)]),
  )
}
