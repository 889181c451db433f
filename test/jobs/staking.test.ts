import { expect } from 'chai'
import { stakingWorker } from '../../jobs/staking-worker.ts'
import type { HeightRange } from '../../src/base/ranges.ts'
import type { DecodedBlock } from '../../src/chain/decoded-block.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { decodedRecording } from '../support/decoded-recording.ts'
import { deriveInto } from '../support/derived-tables.ts'
import { truthOf } from '../support/recording-notes.ts'

const tables = [...stakingWorker.tables, ...stakingWorker.folds].map(({ name }) => name)

describe('stakes and epochs', () => {
  let database: TestDatabase
  let blocks: readonly DecodedBlock[]

  before(async () => {
    database = await createTestDatabase()
    blocks = await decodedRecording('base')
  })

  after(() => database.drop())

  const derive = async (...ranges: HeightRange[]): Promise<void> => {
    await database.pool.query(`truncate ${tables.join(', ')}`)
    for (const range of ranges) {
      expect(await deriveInto(database.pool, stakingWorker, blocks, range)).to.deep.equal([])
    }
  }
  const all = async (table: string, order: string): Promise<Record<string, unknown>[]> => {
    const { rows } = await database.pool.query<Record<string, unknown>>(`select * from ${table} order by ${order}`)
    return rows
  }

  it('has what the chain says that nodes have', async () => {
    await derive({ from: 0, to: blocks.length })
    const { staking } = await truthOf('base')
    const nodes = await all('app.staking_nodes', 'node_id')
    expect(nodes.map((node) => [
      node['node_id'], String(node['role']), node['tokens_staked'], node['tokens_committed'], node['tokens_unstaking'],
      node['tokens_unstaked'], node['tokens_rewarded'], String(node['delegator_count']),
    ])).to.deep.equal(staking.nodes.toSorted(([a = ''], [b = '']) => (a < b ? -1 : 1)))
    expect(nodes.every((node) => node['is_complete'])).to.equal(true)
  })
})
