import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { Client } from 'pg'
import { pause } from '../../src/platform/retry.ts'
import { folderHolder } from '../../src/platform/db/embedded/folder-lock.ts'
import { processesIn } from '../../src/platform/db/embedded/leftover-servers.ts'
import { FlowfarmProcess } from '../support/flowfarm-process.ts'

/** Computes for minutes and ignores cancel and terminate requests. */
const uninterruptible = "select path(polygon(20000, circle '((0,0),1)')) <-> path(polygon(20000, circle '((1,1),1)'))"

describe('program with an unresponsive database session', function () {
  this.timeout(120_000)
  let folder: string
  let farm: FlowfarmProcess
  const clients: Client[] = []

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'flowfarm-stuck-'))
    farm = new FlowfarmProcess(['ask', 'api'], { DATA_FOLDER: folder, HOST: '127.0.0.1', PORT: '0', ASK_PORT: '0' })
    await farm.logged(/All services started/)
  })
  afterEach(async () => {
    await farm.end('SIGKILL')
    for (const client of clients.splice(0)) await client.end().catch(() => undefined)
    await rm(folder, { recursive: true, force: true, maxRetries: 10 })
  })

  /** @returns the process id of a session that runs it */
  async function begin(sql: string): Promise<number> {
    const holder = await folderHolder(folder)
    const url = typeof holder === 'object' ? holder.url : undefined
    const [client, admin] = await Promise.all([connect(String(url)), connect(String(url))])
    const { processID: pid } = client as Client & { readonly processID: number }
    client.query(sql).catch(() => undefined)
    while (
      (await admin.query("SELECT FROM pg_stat_activity WHERE pid = $1 AND state = 'active'", [pid])).rowCount === 0
    )
      await pause(5)
    return pid
  }

  async function connect(url: string): Promise<Client> {
    const client = new Client({ connectionString: url })
    client.on('error', () => undefined)
    await client.connect()
    clients.push(client)
    return client
  }

  for (const [what, stopIt] of [
    ['that computes', false],
    ['that cannot even be interrupted', true],
  ] as const) {
    it(`exits with 0 within 10 s and leaves no process behind: one ${what}`, async () => {
      const pid = await begin(uninterruptible)
      if (stopIt) process.kill(pid, 'SIGSTOP')
      const requestedAt = performance.now()
      expect(await farm.end('SIGTERM'), farm.output()).to.equal(0)
      expect(performance.now() - requestedAt).to.be.lessThan(10_000)
      expect(await processesIn(join(folder, 'cluster'))).to.deep.equal([])
    })
  }
})
