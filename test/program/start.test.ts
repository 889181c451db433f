import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { processesIn } from '../../src/platform/db/embedded/leftover-servers.ts'
import type { ReplayNode } from '../../simnode/replay/replay-node.ts'
import { createEmptyDatabase, createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { FlowfarmProcess } from '../support/flowfarm-process.ts'
import { untilStored } from '../support/ingest.ts'
import { startRecordedNode } from '../support/replay.ts'
import { directions } from '../support/faultless-digest.ts'
import { Stopwatch } from '../support/stopwatch.ts'

describe('program start', () => {
  let node: ReplayNode
  let database: TestDatabase
  const processes: FlowfarmProcess[] = []

  before(async () => {
    node = await startRecordedNode('base', { head: 60, sporkRootHeight: 21 })
    database = await createTestDatabase()
  })

  after(async () => {
    await node.stop()
    await database.drop()
  })

  afterEach(async () => {
    for (const farm of processes.splice(0)) await farm.end('SIGKILL')
  })

  function start(services: readonly string[], variables: Record<string, string> = {}): FlowfarmProcess {
    const farm = new FlowfarmProcess(services, {
      DB_URL: database.url,
      CHAIN_ACCESS_NODE: node.endpoint,
      HOST: '127.0.0.1',
      PORT: '0',
      ...variables,
    })
    processes.push(farm)
    return farm
  }

  it('reports all configuration errors, and exits with 1', async () => {
    const farm = start(['api'], {
      PORT: '99999',
      START_BLOCK: 'twelve',
      DB_URL: 'mysql://x',
      ENABLE_FORWARD_INGESTER: 'perhaps',
    })
    expect(await farm.ended()).to.equal(1)
    expect(farm.otherOutput[0]).to.equal('Invalid configuration (4 problems):')
    for (const name of ['PORT', 'START_BLOCK', 'DB_URL', 'ENABLE_FORWARD_INGESTER'])
      expect(farm.output()).to.include(`  ${name} must`)
  })

  it('lists the services if an unknown one is requested, and exits with 1', async () => {
    const farm = start(['ingest', 'weather'])
    expect(await farm.ended()).to.equal(1)
    expect(farm.output()).to.match(/Unknown service "weather"\. Services: ingest, farm, api/)
  })

  it('prints services, variables and exit codes for --help, and exits with 0', async () => {
    const farm = start(['--help'])
    expect(await farm.ended()).to.equal(0)
    expect(farm.output()).to.include('ingest').and.to.include('CHAIN_ACCESS_NODE').and.to.include('75')
  })

  it('reports that its port is in use, with the variable to change it, and exits with 1', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    const { port } = other.address() as AddressInfo
    const farm = start(['api'], { PORT: String(port) })
    expect(await farm.ended()).to.equal(1)
    expect((await farm.logged(new RegExp(`PORT ${port}|port ${port}`))).level).to.equal('fatal')
    other.close()
  })

  it('reports an unreachable database, and exits with 75 after a few seconds', async () => {
    const started = performance.now()
    const watch = new Stopwatch()
    const farm = start(['ingest'], { DB_URL: 'postgresql://me:hush@127.0.0.1:1/flowfarm' })
    await farm.logged(/is unreachable: retrying/)
    expect(await farm.ended()).to.equal(75)
    expect(performance.now() - started).to.be.at.least(4000)
    await watch.expectBelow(12_000)
    expect(
      (await farm.logged(/The database at 127\.0\.0\.1:1\/flowfarm is unreachable: .*ECONNREFUSED/)).level,
    ).to.equal('fatal')
    expect(farm.output()).to.not.include('hush')
  })

  it('rejects a database of a newer version with 1, and explains the remedy', async () => {
    const newer = await createTestDatabase()
    await newer.pool.query(
      `insert into app.schema_migrations (id, name, checksum) values (9999, '9999_from_the_future', 'x')`,
    )
    const farm = start(['ingest'], { DB_URL: newer.url })
    expect(await farm.ended()).to.equal(1)
    expect(
      (await farm.logged(/newer than this version.*9999_from_the_future.*Start the newer version/)).level,
    ).to.equal('fatal')
    await newer.drop()
  })

  it('rejects a database of another role with 1, and lists the required rights', async () => {
    const own = await createEmptyDatabase()
    const role = `stranger_${process.pid}`
    await own.pool.query(`create role ${role} login password 'hush'`)
    const url = new URL(own.url)
    url.username = role
    url.password = 'hush'
    const farm = start(['ingest'], { DB_URL: url.href })
    expect(await farm.ended()).to.equal(1)
    expect(
      (await farm.logged(/cannot be migrated: permission denied for database .*The role in DB_URL must own/)).level,
    ).to.equal('fatal')
    expect(farm.output()).to.not.include('hush')
    await own.pool.query(`drop role ${role}`)
    await own.drop()
  })

  it('rejects a start height below the history of the nodes with 1, and names the variable', async () => {
    const own = await createTestDatabase()
    const farm = start(['ingest'], { DB_URL: own.url, START_BLOCK: '5', ...directions.forward })
    expect(await farm.ended()).to.equal(1)
    expect((await farm.logged(/lowest height of the access nodes is 21\. Set START_BLOCK/)).level).to.equal('fatal')
    await own.drop()
  })

  it('logs where history ends if the nodes reach no lower', async () => {
    const own = await createTestDatabase()
    const farm = start(['ingest'], { DB_URL: own.url, ...directions.backward })
    const line = await farm.logged(/History is complete/)
    expect(line).to.include({ bottom: 21, top: 60 })
    await untilStored(own, 21, 60)
    expect(await farm.end('SIGTERM')).to.equal(0)
    await own.drop()
  })

  it('waits for a data folder in use, names its owner, and takes over when the owner is killed', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'flowfarm-start-'))
    try {
      const first = start(['ingest'], { DB_URL: '', DATA_FOLDER: folder })
      await first.logged(/Migrations applied/)
      const second = start(['ingest'], { DB_URL: '', DATA_FOLDER: folder })
      await second.logged(new RegExp(`Waiting for the data folder .* in use by process ${first.pid}`))
      await first.end('SIGKILL')
      await second.logged(/History is complete/)
      expect(await second.end('SIGTERM')).to.equal(0)
    } finally {
      await rm(folder, { recursive: true, force: true, maxRetries: 5 })
    }
  })

  it('leaves no PostgreSQL running when killed', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'flowfarm-start-'))
    const cluster = join(folder, 'cluster')
    try {
      const farm = start(['ingest'], { DB_URL: '', DATA_FOLDER: folder })
      await farm.logged(/Migrations applied/)
      expect(await processesIn(cluster)).to.not.have.length(0)
      const killedAt = new Stopwatch()
      await farm.end('SIGKILL')
      while ((await processesIn(cluster)).length > 0) await new Promise(setImmediate)
      await killedAt.expectBelow(2000)
    } finally {
      await rm(folder, { recursive: true, force: true, maxRetries: 5 })
    }
  })
})
