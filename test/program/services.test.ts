import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { getPriority, tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { startEmbeddedPostgres } from '../../src/platform/db/embedded/start-embedded-postgres.ts'
import type { EmbeddedPostgres } from '../../src/platform/db/embedded/start-embedded-postgres.ts'
import { createPool } from '../../src/platform/db/pool.ts'
import type { ReplayNode } from '../../simnode/replay/replay-node.ts'
import { createTestDatabase } from '../support/database.ts'
import { FeedClient } from '../support/feed-client.ts'
import { FlowfarmProcess } from '../support/flowfarm-process.ts'
import { untilStored } from '../support/ingest.ts'
import { startRecordedNode } from '../support/replay.ts'

describe('services in separate processes', () => {
  let node: ReplayNode
  const processes: FlowfarmProcess[] = []

  beforeEach(async () => {
    node = await startRecordedNode('base', { head: 100 })
  })

  afterEach(async () => {
    for (const farm of processes.splice(0)) await farm.end('SIGKILL')
    await node.stop()
  })

  function start(services: readonly string[], url: string): FlowfarmProcess {
    const farm = new FlowfarmProcess(services, {
      DB_URL: url,
      CHAIN_ACCESS_NODE: node.endpoint,
      HOST: '127.0.0.1',
      PORT: '0',
    })
    processes.push(farm)
    return farm
  }

  async function hostOf(farm: FlowfarmProcess): Promise<string> {
    return `127.0.0.1:${String((await farm.logged(/API listening/))['port'])}`
  }

  it('share the head: the live feed sends blocks stored by another process, and status shows them', async () => {
    const database = await createTestDatabase()
    const [api, ingest] = [start(['api'], database.url), start(['ingest'], database.url)]
    const host = await hostOf(api)
    await untilStored(database, 0, 100)
    const client = await FeedClient.connect(`${host}/ws`)
    node.advance(3)
    await untilStored(database, 0, 103)
    const heights = (): unknown[] =>
      client.messages.filter((m) => m.type === 'new_block').map((m) => m.payload['height'])
    while (heights().length < 3) await client.count(client.messages.length + 1)
    expect(heights()).to.deep.equal([101, 102, 103])
    const status = (await (await fetch(`http://${host}/status`)).json()) as Record<string, unknown>
    expect(JSON.stringify(status)).to.include('103')
    await client.close()
    expect(await ingest.end('SIGTERM')).to.equal(0)
    expect((await fetch(`http://${host}/flow/block`)).status).to.equal(200)
    expect(await api.end('SIGTERM')).to.equal(0)
    await database.drop()
  })

  it('run the query services at a lower priority than the explorer', async () => {
    const database = await createTestDatabase()
    const askProcess = new FlowfarmProcess(['ask', 'mcp'], {
      DB_URL: database.url,
      CHAIN_ACCESS_NODE: node.endpoint,
      HOST: '127.0.0.1',
      ASK_PORT: '0',
      MCP_PORT: '0',
    })
    processes.push(askProcess)
    const api = start(['api'], database.url)
    await Promise.all([hostOf(api), askProcess.logged(/MCP server listening/)])
    while (getPriority(askProcess.pid) < 10) await database.pool.query('select pg_sleep(0.05)')
    expect(getPriority(askProcess.pid)).to.be.at.least(10)
    expect(getPriority(api.pid)).to.equal(getPriority())
    await Promise.all([askProcess.end('SIGTERM'), api.end('SIGTERM')])
    await database.drop()
  })

  it('keep the API and its feed running through a database outage', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'flowfarm-services-'))
    await chmod(folder, 0o711)
    const startServer = (): Promise<EmbeddedPostgres> =>
      startEmbeddedPostgres({
        dataFolder: folder,
        wait: false,
        log: () => undefined,
        settings: { fsync: 'off', shared_buffers: '32MB' },
      })
    let server = await startServer()
    const pool = createPool(server.url, { max: 2 })
    try {
      const farm = start([], server.url)
      const host = await hostOf(farm)
      // A service that loses the database during start exits, and its supervisor restarts it.
      await farm.logged(/All services started/)
      const database = { url: server.url, pool, drop: () => pool.end() }
      await untilStored(database, 0, 100)
      const client = await FeedClient.connect(`${host}/ws`)
      await server.stop()
      const down = await fetch(`http://${host}/flow/block`)
      expect(down.status).to.be.within(500, 503)
      expect(await down.text()).to.not.include('ENOENT')
      server = await startServer()
      node.advance(2)
      await untilStored(database, 0, 102)
      while ((await fetch(`http://${host}/flow/block`)).status !== 200) await pool.query('select pg_sleep(0.05)')
      const heights = (): unknown[] =>
        client.messages.filter((m) => m.type === 'new_block').map((m) => m.payload['height'])
      node.advance()
      while (!heights().includes(103)) await client.count(client.messages.length + 1)
      await client.close()
      expect(farm.child.exitCode).to.equal(null)
      expect(await farm.end('SIGTERM')).to.equal(0)
    } finally {
      await pool.end()
      await server.stop()
      await rm(folder, { recursive: true, force: true })
    }
  })
})
