import { expect } from 'chai'
import { FatalError } from '../../src/platform/errors.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { rawDigest, runIngest, storedHeights, untilStored } from '../support/ingest.ts'
import { startRecordedNode } from '../support/replay.ts'

/** The id of the stored block at a height, in hex. */
async function storedId(database: TestDatabase, height: number): Promise<string | undefined> {
  const { rows } = await database.pool.query<{ id: string }>(
    `select encode(id, 'hex') as id from raw.blocks where height = $1`,
    [height],
  )
  return rows[0]?.id
}

describe('forks of the chain', () => {
  let database: TestDatabase
  let clean: Record<string, string>

  before(async () => {
    const other = await createTestDatabase()
    await using node = await startRecordedNode('fork', { version: 'c' })
    const run = await runIngest(other, { CHAIN_ACCESS_NODE: node.endpoint })
    await untilStored(other, 0, 40, run)
    await run.stop()
    clean = await rawDigest(other.pool)
    await other.drop()
  })

  beforeEach(async () => {
    database = await createTestDatabase()
  })

  afterEach(() => database.drop())

  it('roll back to the last common block twice during a run, and end like a clean run on the last chain', async () => {
    await using node = await startRecordedNode('fork', { version: 'a' })
    const run = await runIngest(database, { CHAIN_ACCESS_NODE: node.endpoint })
    await untilStored(database, 0, 20, run)
    const orphan = await storedId(database, 13)
    node.switchTo('b')
    await untilStored(database, 0, 27, run)
    expect(await storedId(database, 13)).to.not.equal(orphan)
    node.switchTo('c')
    await untilStored(database, 0, 40, run)
    await run.stop()
    expect(await rawDigest(database.pool)).to.deep.equal(digestWithScriptsOf(clean, await rawDigest(database.pool)))
    expect(await run.metrics.reorgs.get()).to.have.nested.property('values[0].value', 2)
  })

  it('are detected if the new chain is shorter than the stored one', async () => {
    await using node = await startRecordedNode('fork', { version: 'a' })
    const run = await runIngest(database, { CHAIN_ACCESS_NODE: node.endpoint })
    await untilStored(database, 0, 20, run)
    node.switchTo('b', 14)
    const orphan = await storedId(database, 14)
    await untilRolledBack(database, 14)
    await untilStored(database, 0, 14, run)
    expect(await storedId(database, 14)).to.not.equal(orphan)
    await run.stop()
  })

  it('are detected if they occurred while ingest was stopped', async () => {
    await using node = await startRecordedNode('fork', { version: 'a' })
    const first = await runIngest(database, { CHAIN_ACCESS_NODE: node.endpoint })
    await untilStored(database, 0, 20, first)
    await first.stop()
    node.switchTo('c')
    const second = await runIngest(database, { CHAIN_ACCESS_NODE: node.endpoint })
    await untilStored(database, 0, 40, second)
    await second.stop()
    expect(await rawDigest(database.pool)).to.deep.equal(digestWithScriptsOf(clean, await rawDigest(database.pool)))
  })

  it('restart from the initial height if the chains diverge below all stored blocks', async () => {
    await using node = await startRecordedNode('fork', { version: 'a' })
    const variables = { CHAIN_ACCESS_NODE: node.endpoint, START_BLOCK: '16', ENABLE_HISTORY_INGESTER: 'false' }
    const run = await runIngest(database, variables)
    await untilStored(database, 16, 20, run)
    const orphan = await storedId(database, 16)
    node.switchTo('c')
    await untilStored(database, 16, 40, run)
    await run.stop()
    expect(await storedId(database, 16)).to.not.equal(orphan)
    expect(await storedHeights(database.pool)).to.deep.equal([{ from: 16, to: 41 }])
  })

  it('deeper than MAX_REORG_DEPTH stop ingest without deleting', async () => {
    await using node = await startRecordedNode('fork', { version: 'a' })
    const first = await runIngest(database, { CHAIN_ACCESS_NODE: node.endpoint })
    await untilStored(database, 0, 20, first)
    await first.stop()
    const before = await rawDigest(database.pool)
    node.switchTo('c')
    const second = await runIngest(database, { CHAIN_ACCESS_NODE: node.endpoint, MAX_REORG_DEPTH: '7' })
    const stopped = Promise.withResolvers<void>()
    second.lifecycle.signal.addEventListener('abort', () => stopped.resolve())
    await stopped.promise
    await second.lifecycle.stop('test')
    expect(second.lifecycle.failure).to.be.instanceOf(FatalError).and.have.property('code', 'reorg-too-deep')
    expect(await rawDigest(database.pool)).to.deep.equal(before)
  })

  it('exclude nodes of other chains, which are rejected', async () => {
    await database.pool.query(`insert into app.chain (chain_id) values ('flow-mainnet')`)
    await using node = await startRecordedNode('fork', { version: 'a' })
    const run = await runIngest(database, { CHAIN_ACCESS_NODE: node.endpoint })
    const stopped = Promise.withResolvers<void>()
    run.lifecycle.signal.addEventListener('abort', () => stopped.resolve())
    if (run.lifecycle.signal.aborted) stopped.resolve()
    await stopped.promise
    await run.lifecycle.stop('test')
    expect(run.lifecycle.failure).to.have.property('code', 'wrong-chain')
  })
})

/**
 * Scripts are identified by content and remain after the last transaction that used them is rolled
 * back.
 */
function digestWithScriptsOf(clean: Record<string, string>, actual: Record<string, string>): Record<string, string> {
  return { ...clean, scripts: actual['scripts'] ?? '' }
}

async function untilRolledBack(database: TestDatabase, height: number): Promise<void> {
  const orphan = await storedId(database, height)
  while ((await storedId(database, height)) === orphan) await database.pool.query('select pg_sleep(0.02)')
}
