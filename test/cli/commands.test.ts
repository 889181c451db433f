import { mkdtemp, chmod, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { startEmbeddedPostgres } from '../../src/platform/db/embedded/start-embedded-postgres.ts'
import { migrate } from '../../src/platform/db/migrate.ts'
import { createPool } from '../../src/platform/db/pool.ts'
import { createEmptyDatabase } from '../support/database.ts'
import { runCommandLine } from '../support/command-line.ts'
import type { ProcessResult } from '../support/command-line.ts'
import { readRepositoryFile, repositoryRoot } from '../support/repository.ts'

/** Commands of `scripts/farm.ts` that are also npm scripts. */
const ownScripts: readonly string[] = ['raw', 'rebuild', 'verify']
const commands = [
  'status',
  'backfill',
  'rederive',
  'raw',
  'leases',
  'labels',
  'template',
  'rebuild',
  'verify',
  'webhook-receiver',
] as const

describe('commands', () => {
  const folders: string[] = []
  const newFolder = async (): Promise<string> => {
    const folder = await mkdtemp(join(tmpdir(), 'flowfarm-commands-'))
    await chmod(folder, 0o711)
    folders.push(folder)
    return folder
  }
  after(async () => {
    for (const folder of folders) await rm(folder, { recursive: true, force: true })
  })

  const run = (name: string, args: readonly string[], variables: Record<string, string> = {}): Promise<ProcessResult> =>
    runCommandLine(name, args, { DATA_FOLDER: join(tmpdir(), 'flowfarm-is-not-here'), ...variables })

  it('have npm scripts, and help with an example and every option', async () => {
    const { scripts } = JSON.parse(readRepositoryFile('package.json')) as { scripts: Record<string, string> }
    for (const name of commands) {
      const script = name === 'webhook-receiver' || ownScripts.includes(name) ? name : `farm -- ${name}`
      if (ownScripts.includes(name))
        expect(scripts[name]).to.equal(`exec node scripts/setup.mjs scripts/farm.ts ${name}`)
      const { code, stdout, stderr } = await run(name, ['--help'])
      expect({ code, stderr }, name).to.deep.equal({ code: 0, stderr: '' })
      expect(stdout)
        .to.match(new RegExp(`^Usage: npm run ${script}(?: --)? `, 'm'))
        .and.match(/^Examples:\n {2}npm run/m)
      expect(stdout)
        .to.match(/^Exit codes:\n {2}0 .*\n {2}1 /m)
        .and.match(/^ {2}--json /m)
      expect(stdout.split('\n').filter((line) => line.length > 100)).to.deep.equal([])
    }
  })

  it('report invalid arguments with the expected form', async () => {
    const wrong: readonly (readonly [string, string[], ...string[]])[] = [
      ['status', ['--jsn'], '--jsn', 'did you mean --json', 'npm run farm -- status --help'],
      ['backfill', ['--from', '5'], '--to is missing', '--from <height> --to <height>'],
      ['backfill', ['--from', '1', '--to', '2', '--workers', 'tokens'], '"tokens"', 'token_worker'],
      ['rederive', ['--from', '1', '--to', '2'], '--workers <names>', '--all'],
      ['raw', [], 'list', 'skip', 'retry'],
      ['raw', ['delete', '5'], '"delete"', 'Unexpected argument'],
      ['leases', ['skip', '--all'], '--reason is missing'],
      ['leases', ['requeue'], '--all'],
      ['leases', ['split', '--all', '--status', 'active'], '--status active', 'failed and flagged'],
    ]
    for (const [name, args, ...words] of wrong) {
      const { code, stdout, stderr } = await run(name, args)
      expect({ code, stdout }, `${name} ${args.join(' ')}`).to.deep.equal({ code: 1, stdout: '' })
      for (const word of words) expect(stderr, `${name} ${args.join(' ')}`).to.include(word)
      expect(stderr).to.not.match(/^ +at /m)
    }
  })

  it('report the database locations that they tried, and the remedy', async () => {
    for (const [name, args] of [
      ['status', []],
      ['backfill', ['--from', '1', '--to', '2']],
    ] as const) {
      const { code, stderr } = await run(name, args)
      expect(code, name).to.equal(1)
      expect(stderr).to.include('flowfarm-is-not-here').and.include('npm start').and.include('DB_URL')
      expect(stderr).to.not.match(/^ +at /m)
    }
    const json = await run('status', ['--json'])
    expect(JSON.parse(json.stdout)).to.have.nested.property('error.code', 'no-database')
  })

  it('report an unreachable database, an unsupported version and an invalid configuration', async () => {
    const gone = await run('status', [], { DB_URL: 'postgresql://somebody:secret@127.0.0.1:1/flowfarm' })
    expect(gone.code).to.equal(75)
    expect(gone.stderr).to.include('127.0.0.1:1/flowfarm').and.include('DB_URL').and.not.include('secret')
    const empty = await createEmptyDatabase()
    const outdated = await run('leases', ['list'], { DB_URL: empty.url })
    await empty.drop()
    expect(outdated.code).to.equal(1)
    expect(outdated.stderr).to.include('npm start')
    const bad = await run('status', [], { DB_URL: 'localhost' })
    expect(bad.code).to.equal(1)
    expect(bad.stderr).to.include('DB_URL must be a URL')
  })

  it('connect to the database that runs in DATA_FOLDER', async () => {
    const dataFolder = await newFolder()
    const server = await startEmbeddedPostgres({
      dataFolder,
      log: () => undefined,
      settings: { fsync: 'off', shared_buffers: '32MB' },
    })
    const pool = createPool(server.url, { max: 1 })
    await migrate(pool, join(repositoryRoot, 'migrations'))
    await pool.end()
    const { code, stdout } = await run('status', [], { DATA_FOLDER: dataFolder })
    await server.stop()
    expect(code).to.equal(0)
    expect(stdout).to.include('stored nothing yet').and.include('token_worker')
    expect(stdout).to.include('No farm process is running')
  })
})
