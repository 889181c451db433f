import { expect } from 'chai'
import { createTestDatabase } from '../../test/support/database.ts'
import type { TestDatabase } from '../../test/support/database.ts'
import { blockOf, storeBlocks } from './blocks.test-support.ts'
import { readRawCoverage } from './checkpoints.ts'

describe('checkpoints', () => {
  let database: TestDatabase

  before(async () => {
    database = await createTestDatabase()
  })

  after(() => database.drop())

  it('are created if missing, also concurrently', async () => {
    const empty = { covered: [], generation: 0 }
    const both = await Promise.all([readRawCoverage(database.pool), readRawCoverage(database.pool)])
    for (const coverage of both)
      expect(coverage).to.deep.equal({ forward: empty, backward: empty, all: [], settled: [] })
  })

  it('return the stored ranges of each ingester and of both, with holes', async () => {
    const blocks = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => blockOf(from + i))
    await storeBlocks(database.pool, blocks(20, 23))
    await storeBlocks(database.pool, blocks(30, 31))
    await storeBlocks(database.pool, blocks(15, 20).toReversed(), { name: 'history_ingester', batchBlocks: 2 })
    const { forward, backward, all } = await readRawCoverage(database.pool)
    expect(forward.covered).to.deep.equal([
      { from: 20, to: 23 },
      { from: 30, to: 31 },
    ])
    expect(backward.covered).to.deep.equal([{ from: 15, to: 20 }])
    expect(all).to.deep.equal([
      { from: 15, to: 23 },
      { from: 30, to: 31 },
    ])
    const { rows } = await database.pool.query(
      'select service_name as name, last_height::int as last from app.indexing_checkpoints order by 1',
    )
    expect(rows).to.deep.equal([
      { name: 'history_ingester', last: 15 },
      { name: 'main_ingester', last: 22 },
    ])
  })
})
