import { expect } from 'chai'
import { DedicatedConnection } from '../../src/platform/db/dedicated-connection.ts'
import type { ReplayNode } from '../../simnode/replay/replay-node.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { FlowfarmProcess } from '../support/flowfarm-process.ts'
import { rawDigest, runIngest, storedHeights, untilStored } from '../support/ingest.ts'
import { startRecordedNode } from '../support/replay.ts'
import { directions, faultlessDigest } from '../support/faultless-digest.ts'
import { Stopwatch } from '../support/stopwatch.ts'

const shape = { loop: true, head: 1000, cachedBlocks: 1001 }

describe('two ingesters on one database', function () {
  let node: ReplayNode
  let database: TestDatabase
  const processes: FlowfarmProcess[] = []

  before(async () => {
    node = await startRecordedNode('base', shape)
  })

  after(() => node.stop())

  beforeEach(async () => {
    database = await createTestDatabase()
  })

  afterEach(async () => {
    for (const farm of processes.splice(0)) await farm.end('SIGKILL')
    await database.drop()
  })

  function start(variables: Record<string, string>): FlowfarmProcess {
    const farm = new FlowfarmProcess(['ingest'], {
      DB_URL: database.url,
      CHAIN_ACCESS_NODE: node.endpoint,
      ...variables,
    })
    processes.push(farm)
    return farm
  }

  it('the second waits, logs the owner, and takes over in under 8 s after the first is killed', async () => {
    const variables = { ...directions.backward, HISTORY_BATCH_SIZE: '3' }
    const slow = node.inject({ kind: 'latency', ms: 20 })
    const first = start(variables)
    await untilStored(database, shape.head - 10, shape.head)
    const second = start(variables)
    const { holder } = await second.logged(/This ingester runs in another process/)
    expect(holder).to.have.property('applicationName').that.includes(`process ${first.pid}`)
    const before = await storedHeights(database.pool)
    const killedAt = new Stopwatch()
    await first.end('SIGKILL')
    const lowest = before[0]?.from ?? 0
    expect(lowest, 'the first was done before it was killed').to.be.greaterThan(100)
    await untilStored(database, lowest - 40, shape.head)
    await killedAt.expectBelow(8000)
    slow.remove()
    await untilStored(database, 0, shape.head)
    expect(await second.end('SIGTERM')).to.equal(0)
    expect(await rawDigest(database.pool)).to.deep.equal(await faultlessDigest('base', shape))
  })

  it('commit nothing after the session with the lock is lost', async () => {
    const run = await runIngest(database, {
      CHAIN_ACCESS_NODE: node.endpoint,
      ...directions.forward,
      LATEST_BATCH_SIZE: '2',
    })
    await untilStored(database, 0, 40, run)
    // Acquires the lock once free, like a second ingester, and holds it.
    const rival = await DedicatedConnection.open(database.url, { applicationName: 'rival' })
    const key = 'ingest:main_ingester'
    const taken = rival.client.query('select pg_advisory_lock(hashtextextended($1, 0))', [key])
    await database.pool.query(
      `select pg_terminate_backend(l.pid) from pg_locks l join pg_stat_activity a using (pid)
       where l.locktype = 'advisory' and l.granted and a.application_name like 'flowfarm ingest, process %'`,
    )
    await taken
    // Running statements complete; after that, nothing may change.
    await untilQuiet()
    const stored = await storedHeights(database.pool)
    expect(stored.at(-1)?.to).to.be.lessThan(shape.head)
    for (let i = 0; i < 20; i++) await database.pool.query('select pg_sleep(0.01)')
    expect(await storedHeights(database.pool)).to.deep.equal(stored)
    await rival.close()
    await untilStored(database, 0, shape.head, run)
    expect(await rawDigest(database.pool)).to.deep.equal(await faultlessDigest('base', shape))
    await run.stop()
  })

  it('wait for rows that the server stores for a dead ingester, and continue when they are counted', async () => {
    const other = await database.pool.connect()
    await other.query(
      `begin; insert into raw.block_lookup (id, height) values ('\\x${node.chain.block(7).identity.id.toString('hex')}', 7)`,
    )
    const run = await runIngest(database, { CHAIN_ACCESS_NODE: node.endpoint, ...directions.forward })
    await untilWaiting()
    await other.query('commit')
    // As if the commit had covered the height and a rollback had removed both.
    await other.query('delete from raw.block_lookup where height = 7')
    other.release()
    await untilStored(database, 0, shape.head, run)
    expect(await rawDigest(database.pool)).to.deep.equal(await faultlessDigest('base', shape))
    await run.stop()
  })

  /** Resolves when an ingester session waits for another session. */
  async function untilWaiting(): Promise<void> {
    for (;;) {
      const { rowCount } = await database.pool.query(
        `select 1 from pg_stat_activity where datname = current_database() and application_name = 'flowfarm ingest' and wait_event_type = 'Lock'`,
      )
      if (rowCount !== 0) return
      await database.pool.query('select pg_sleep(0.02)')
    }
  }

  /** Resolves when no ingester session is in a transaction. */
  async function untilQuiet(): Promise<void> {
    for (;;) {
      const { rowCount } = await database.pool.query(
        `select 1 from pg_stat_activity where datname = current_database() and application_name = 'flowfarm ingest' and state <> 'idle'`,
      )
      if (rowCount === 0) return
      await database.pool.query('select pg_sleep(0.02)')
    }
  }
})
