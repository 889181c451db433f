import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import type { RecordedEvent } from '../../scripts/worker/generate.ts'
import { registerOwnWorker } from '../../src/own-tables/registry.ts'
import { readDeclaration } from '../../src/own-tables/read-declaration.ts'
import { withTransaction } from '../../src/platform/db/pool.ts'
import { ProgramRun } from '../support/command-line.ts'
import type { ProcessResult } from '../support/command-line.ts'
import type { TestDatabase } from '../support/database.ts'
import { deriveRecording } from '../support/explored-chain.ts'
import { startRecordedNode } from '../support/replay.ts'
import { repositoryRoot } from '../support/repository.ts'

const tally = 'A.f3fcd2c1a78f5eee.Tally'

describe('worker commands', () => {
  let database: TestDatabase
  let folder: string

  before(async () => {
    database = await deriveRecording()
    folder = mkdtempSync(join(tmpdir(), 'flowfarm-own-workers-'))
    mkdirSync(join(folder, 'node_modules'))
    symlinkSync(repositoryRoot, join(folder, 'node_modules', 'flowfarm'))
    symlinkSync(join(repositoryRoot, 'node_modules', 'chai'), join(folder, 'node_modules', 'chai'))
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  })
  after(async () => {
    rmSync(folder, { recursive: true, force: true })
    await database.drop()
  })

  const run = (args: readonly string[], variables: Record<string, string> = {}): Promise<ProcessResult> => {
    const program = join(repositoryRoot, 'scripts', 'worker.ts')
    return new ProgramRun(program, args, { DB_URL: database.url, ...variables }, { cwd: folder }).ended
  }
  const init = (...args: readonly string[]): Promise<ProcessResult> => run(['init', ...args])
  const refusal = async (...args: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await run(args)
    expect({ code, stdout }, stderr).to.deep.equal({ code: 1, stdout: '' })
    expect(stderr).to.not.match(/^ +at /m)
    return stderr
  }

  it('write a worker with recorded events, whose test passes', async () => {
    await using node = await startRecordedNode('base')
    const { code, stdout, stderr } = await init(tally, '--node', node.endpoint)
    expect({ code, stderr }).to.deep.equal({ code: 0, stderr: `Reading ${tally} from ${node.endpoint}.\n` })
    expect(stdout).to.include('my-workers/tally').and.to.include('2 tables of Counted, Cleared')
    const path = join(folder, 'my-workers', 'tally')
    const files = ['README.md', 'events.gen.ts', 'events.json', 'worker.test.ts', 'worker.ts']
    expect(readdirSync(path).toSorted()).to.deep.equal(files)
    expect(readdirSync(join(folder, 'my-workers'))).to.deep.equal(['tally'])
    const events = JSON.parse(readFileSync(join(path, 'events.json'), 'utf8')) as RecordedEvent[]
    const { rows } = await database.pool.query(
      `select type, count(*)::integer from raw.events where type like '${tally}.%' group by type`,
    )
    expect(events.filter(({ name }) => name === 'Counted')).to.have.lengthOf(3)
    expect(rows).to.have.lengthOf(2)
    for (const { type, height, txIndex, index, fields } of events) {
      const { rows: stored } = await database.pool.query(
        'select payload from raw.events where type = $1 and block_height = $2 and tx_index = $3 and event_index = $4',
        [type, height, txIndex, index],
      )
      expect(stored).to.deep.equal([{ payload: fields }])
    }
    // An update of the contract added a field.
    expect(readFileSync(join(path, 'events.gen.ts'), 'utf8')).to.include('at?: string')
    const mocha = join(repositoryRoot, 'node_modules', 'mocha', 'bin', 'mocha.js')
    const test = promisify(execFile)(process.execPath, [mocha, '--no-config', join(path, 'worker.test.ts')], {
      cwd: folder,
    })
    expect((await test).stdout).to.include('2 passing')
  })

  it('never overwrite files', async () => {
    expect(await refusal('init', tally)).to.include('my-workers/tally exists')
  })

  it('read contracts by name from the database, and select events', async () => {
    const code = `access(all) contract Tally {
      access(all) event Counted(n: Int)
      access(all) event Cleared(was: Int)
    }`
    const hash = createHash('sha3-256').update(code).digest()
    await database.pool.query(
      `insert into app.contract_code (code_hash, code, kind, imports, found_in) values ($1, $2, 'CONTRACT', '{}', 'chain')`,
      [hash, code],
    )
    expect(await refusal('init', 'Tally', '--name', 'other')).to.include('--node <host:port>')
    await database.pool.query("update app.smart_contracts set code_hash = $1 where name = 'Tally'", [hash])
    const { code: exit, stdout } = await init('Tally', '--name', 'counted-only', '--events', 'count*', '--dir', 'more')
    expect({ exit, stdout }, stdout).to.deep.include({ exit: 0 })
    const text = readFileSync(join(folder, 'more', 'counted-only', 'worker.ts'), 'utf8')
    expect(text).to.include("events: ['Counted']").and.to.not.include('Cleared')
  })

  it('explain what cannot be read', async () => {
    expect(await refusal('init')).to.include('A.<address>.<name>')
    expect(await refusal('init', 'A.1.Tally')).to.include('A.<address>.<name>')
    expect(await refusal('init', 'Tallly')).to.include(`Did you mean ${tally}?`)
    expect(await refusal('init', 'A.0000000000000001.Tally', '--name', 'y')).to.include('Did you mean')
    expect(await refusal('init', tally, '--name', 'Not allowed')).to.include('--name must be')
    expect(await refusal('init', tally, '--name', 'x', '--events', 'Sold')).to.include(
      'Its events are Counted, Cleared',
    )
    expect(existsSync(join(folder, 'my-workers', 'x'))).to.equal(false)
  })

  it('list and remove workers', async () => {
    expect(await run(['list'])).to.deep.include({ code: 0 })
    const declaration = readDeclaration({
      contract: tally,
      version: 3,
      tables: { counted: { columns: { n: { type: 'numeric' } } } },
    })
    await withTransaction(database.pool, (client) =>
      registerOwnWorker(client, { name: 'own_tally', declaration, codeHash: '' }, false),
    )
    const { stdout } = await run(['list', '--json'])
    const { workers } = JSON.parse(stdout) as { workers: readonly { heights: number; start_height: number }[] }
    expect(workers).to.have.lengthOf(1)
    expect(workers[0]).to.deep.include({
      name: 'own_tally',
      contract: tally,
      version: 3,
      covered_heights: 0,
      error: null,
    })
    expect(workers[0]?.heights).to.equal(281 - (workers[0]?.start_height ?? 0))
    expect((await run(['list'])).stdout).to.match(/own_tally +A\.f3fcd2c1a78f5eee\.Tally +3 +\d+ +0 % +0 +0/)
    expect(await refusal('init', tally, '--dir', 'third')).to.include('npm run worker -- remove own_tally')
    expect(await refusal('remove', 'tally')).to.include('--yes')
    expect((await run(['remove', 'tally', '--yes'])).stdout).to.include('own_tally and its tables are deleted')
    expect(await refusal('remove', 'tally', '--yes')).to.include('no worker own_tally')
    expect((await run(['list'])).stdout).to.include('No workers yet')
  })
})
