import { expect } from 'chai'
import { workers } from '../../jobs/index.ts'
import type { ReplayNode } from '../../simnode/replay/replay-node.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { derivedDigest, runFarm, untilDerived } from '../support/farm.ts'
import { runIngest, untilStored } from '../support/ingest.ts'
import { startRecordedNode } from '../support/replay.ts'

const names = workers.map(({ name }) => name)
const tables = workers.flatMap((worker) => [
  ...worker.tables.map(({ name }) => name),
  ...worker.folds.map(({ name }) => name),
])
const last = 279

describe('the farm', () => {
  let node: ReplayNode
  const databases: TestDatabase[] = []
  const newDatabase = async (): Promise<TestDatabase> => {
    const database = await createTestDatabase()
    databases.push(database)
    return database
  }
  before(async () => {
    node = await startRecordedNode('base')
  })
  after(async () => {
    await node.stop()
    for (const database of databases) await database.drop()
  })

  it('derives the same rows from memory and from the raw tables, in ranges of any length', async () => {
    const together = await newDatabase()
    const variables = { CHAIN_ACCESS_NODE: node.endpoint, LIVE_DERIVERS_HEAD_BACKFILL_BLOCKS: '100' }
    const running = await runFarm(together, variables, { withIngest: true })
    await untilDerived(together, names, [{ from: 0, to: last + 1 }], running)
    await running.stop()

    const apart = await newDatabase()
    const ingest = await runIngest(apart, variables)
    await untilStored(apart, 0, last, ingest)
    await ingest.stop()
    const later = await runFarm(apart, {
      ...variables,
      LIVE_DERIVERS_CHUNK: '7',
      HISTORY_DERIVERS_CHUNK: '43',
      TOKEN_WORKER_CONCURRENCY: '3',
    })
    await untilDerived(apart, names, [{ from: 0, to: last + 1 }], later)
    await later.stop()

    const digest = await derivedDigest(together.pool, tables)
    expect(await derivedDigest(apart.pool, tables)).to.deep.equal(digest)
    expect(Object.values(digest).filter((line) => !line.startsWith('0 '))).to.have.length.greaterThan(5)
    const { rows } = await apart.pool.query("select * from app.worker_leases where status <> 'done'")
    expect(rows).to.deep.equal([])
  })

  it('does not read blocks stored by the ingester of its process', async () => {
    const database = await newDatabase()
    const running = await runFarm(
      database,
      { CHAIN_ACCESS_NODE: node.endpoint, ENABLE_HISTORY_INGESTER: 'false' },
      { withIngest: true },
    )
    await untilDerived(database, names, [{ from: 0, to: last + 1 }], running)
    await running.stop()
    const { values } = await running.metrics.farmBlocksRead.get()
    expect(values.map(({ value }) => value)).to.deep.equal([0])
  })
})
