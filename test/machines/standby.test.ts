import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { pause } from '../../src/platform/retry.ts'
import { migrate } from '../../src/platform/db/migrate.ts'
import { startLedgerNode } from '../../simnode/ledger/ledger-node.ts'
import type { LedgerNode } from '../../simnode/ledger/ledger-node.ts'
import { workers } from '../../jobs/index.ts'
import { enrichmentOff } from '../support/enrichment-off.ts'
import { untilDerived } from '../support/farm.ts'
import { FeedClient } from '../support/feed-client.ts'
import { FlowfarmProcess } from '../support/flowfarm-process.ts'
import { backupSettings, takeBaseBackup } from './base-backup.ts'
import { makeServerFolder, removeServerFolder, startOwnServer } from './own-server.ts'
import type { OwnServer } from './own-server.ts'

const migrations = join(import.meta.dirname, '../../migrations')
const names = workers.map(({ name }) => name)

describe('the API on a hot standby', function () {
  let folder: string
  let node: LedgerNode
  let primary: OwnServer
  let standby: OwnServer
  const programs: FlowfarmProcess[] = []

  const run = (services: readonly string[], variables: Record<string, string> = {}): FlowfarmProcess => {
    const program = new FlowfarmProcess(services, {
      ...enrichmentOff,
      DB_URL: primary.url,
      CHAIN_ACCESS_NODE: node.endpoint,
      START_BLOCK: '0',
      HOST: '127.0.0.1',
      PORT: '0',
      ...variables,
    })
    programs.push(program)
    return program
  }

  /** `host:port` of an API that reads from `reads`. */
  const runApi = async (reads: OwnServer | undefined): Promise<string> => {
    const { port } = await run(['api'], reads === undefined ? {} : { DB_READ_URL: reads.url }).logged(/API listening/)
    return `127.0.0.1:${String(port)}`
  }

  const startStandby = (): Promise<OwnServer> =>
    startOwnServer(join(folder, 'standby'), {
      primary_conninfo: `host=${decodeURIComponent(new URL(primary.url).hostname)} user=flowfarm`,
      hot_standby_feedback: 'on',
    })

  before(async () => {
    folder = await makeServerFolder()
    node = await startLedgerNode({ seed: 4, head: 60 })
    primary = await startOwnServer(join(folder, 'primary'), backupSettings)
    await migrate(primary.pool, migrations)
    await takeBaseBackup(primary.url, primary.folder, join(folder, 'standby'))
    await writeFile(join(folder, 'standby/cluster/standby.signal'), '')
    standby = await startStandby()
    run(['ingest', 'farm'])
    await untilDerived(primary, names, [{ from: 0, to: 61 }])
  })

  afterEach(function (this: Mocha.Context) {
    if (this.currentTest?.state === 'failed')
      for (const one of programs) process.stderr.write(`${one.output().slice(-20_000)}\n\n`)
  })

  after(async () => {
    await Promise.all(programs.map((one) => one.end('SIGKILL')))
    await standby.stop()
    await primary.stop()
    await node.stop()
    await removeServerFolder(folder)
  })

  it('responds like on the primary', async () => {
    const hosts = await Promise.all([runApi(undefined), runApi(standby)])
    for (const path of [
      '/flow/block/60',
      '/flow/block?limit=20',
      '/flow/transaction?limit=20',
      '/flow/ft/transfer?limit=20',
      '/flow/account?limit=5',
    ]) {
      const [expected, found] = await Promise.all(
        hosts.map(async (host) => {
          const response = await fetch(`http://${host}${path}`)
          expect(response.status, path).to.equal(200)
          return response.json()
        }),
      )
      expect(found, path).to.deep.equal(expected)
    }
    const { rows } = await standby.pool.query<{ count: number }>(
      `select count(*)::int from pg_stat_activity where application_name = 'flowfarm api'`,
    )
    expect(rows[0]?.count).to.be.above(0)
  })

  it('announces a block only after it is readable there', async () => {
    const host = await runApi(standby)
    const client = await FeedClient.connect(`${host}/ws`)
    await client.subscribe({})
    await standby.pool.query('select pg_wal_replay_pause()')
    node.setHead(61)
    await untilDerived(primary, names, [{ from: 0, to: 62 }])
    expect((await fetch(`http://${host}/flow/block/61`)).status).to.equal(404)
    expect(client.updates).to.deep.equal([])

    await standby.pool.query('select pg_wal_replay_resume()')
    const { payload } = await client.find(({ type }) => type === 'new_block')
    expect(payload).to.include({ height: 61 })
    expect((await fetch(`http://${host}/flow/block/61`)).status).to.equal(200)
    client.socket.terminate()
  })

  it('is unhealthy without a standby, recovers when it returns, and delivers missed blocks', async () => {
    const host = await runApi(standby)
    const client = await FeedClient.connect(`${host}/ws`)
    await client.subscribe({})
    // The database is checked in the background.
    const untilHealthIs = async (status: number): Promise<void> => {
      while ((await fetch(`http://${host}/health`)).status !== status) await pause(50)
    }
    await untilHealthIs(200)
    await standby.stop()
    await untilHealthIs(503)
    node.setHead(63)
    await untilDerived(primary, names, [{ from: 0, to: 64 }])
    standby = await startStandby()
    await client.find(({ type, payload }) => type === 'new_block' && payload['height'] === 63)
    expect(
      client.updates.filter(({ type }) => type === 'new_block').map(({ payload }) => payload['height']),
    ).to.deep.equal([62, 63])
    await untilHealthIs(200)
    client.socket.terminate()
  })

  it('waits for a standby at startup, and exits with 75 and a message if none appears', async () => {
    const program = run(['api'], { DB_READ_URL: 'postgresql://127.0.0.1:1/flowfarm' })
    expect(await program.ended()).to.equal(75)
    expect((await program.logged(/DB_READ_URL is unreachable/)).level).to.equal('fatal')
  })
})
