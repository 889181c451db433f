import { expect } from 'chai'
import type { DatabasePool } from 'slonik'
import { readBounds } from '../../src/explorer/paging/bounds.ts'
import { listBlocks, readBlock } from '../../src/explorer/blocks/queries.ts'
import { describeTransactions } from '../../src/explorer/transactions/descriptions.ts'
import { readEventsOfBlock } from '../../src/explorer/transactions/events.ts'
import {
  findTransaction,
  listTransactions,
  listTransactionsOfBlock,
  readTransaction,
} from '../../src/explorer/transactions/queries.ts'
import { createReadPool } from '../../src/platform/db/slonik.ts'
import { chainBlock, storeBlocks } from '../support/chain-rows.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { queryPlans } from '../support/query-plans.ts'
import type { QueryPlans } from '../support/query-plans.ts'

const partitions = 12
const partitionStep = 50
const highest = 100 + partitions * partitionStep - 1

describe('query plans of lists', () => {
  let database: TestDatabase
  let reads: DatabasePool
  let plans: QueryPlans

  before(async () => {
    database = await createTestDatabase()
    await storeBlocks(database.pool, 100, highest, { partitionStep })
    await database.pool.query('analyze')
    reads = await createReadPool({ url: database.url })
    plans = await queryPlans(database)
  })

  after(async () => {
    await Promise.all([reads.end(), plans.end()])
    await database.drop()
  })

  const bounds = { min: 100, max: highest }
  type Case = readonly [name: string, maxRows: number, query: (database: DatabasePool) => Promise<unknown>]
  const middle = { height: 333, index: 2 }
  const queries: readonly Case[] = [
    ['the first page of blocks', 60, (pool) => listBlocks(pool, bounds, Number.MAX_SAFE_INTEGER, 21)],
    ['a page of blocks in the middle', 60, (pool) => listBlocks(pool, bounds, 333, 21)],
    ['the last page of blocks', 60, (pool) => listBlocks(pool, bounds, 110, 21)],
    ['the first page of transactions', 150, (pool) => listTransactions(pool, bounds, undefined, 21)],
    ['a page of transactions in the middle', 150, (pool) => listTransactions(pool, bounds, middle, 21)],
    ['a page of one block', 60, (pool) => listTransactionsOfBlock(pool, 333, undefined, 21)],
    ['one block', 5, (pool) => readBlock(pool, 333)],
    ['one transaction', 10, (pool) => readTransaction(pool, { height: 333, index: 1 })],
    ['a transaction by id', 10, (pool) => findTransaction(pool, chainBlock(333).transactions[0]?.id ?? '')],
    ['a transaction by EVM hash', 10, (pool) => findTransaction(pool, chainBlock(334).transactions[1]?.evmHash ?? '')],
    ['the events of a block', 60, (pool) => readEventsOfBlock(pool, 333, ['x'])],
  ]

  for (const [name, max, query] of queries) {
    it(`reads ${name} from at most two partitions of a table, and few rows`, async () => {
      const plan = await plans.of(query)
      expect(plan.partitions.length).to.be.at.most(6)
      expect(plan.rowsTouched).to.be.at.most(max)
      // The index provides the order; only rows with the same EVM hash are sorted.
      expect(plan.rowsSorted.filter((rows) => rows > 1)).to.deep.equal([])
    })
  }

  it('reads events of a page by key', async () => {
    const rows = await listTransactions(reads, bounds, undefined, 21)
    const plan = await plans.of((pool) => describeTransactions(pool, 'mainnet', rows))
    expect(plan.partitions.length).to.be.at.most(2)
    expect(plan.rowsTouched).to.be.at.most(21 * 12)
  })

  it('reads the bounds of the chain from two rows', async () => {
    expect(await readBounds(reads)).to.deep.equal(bounds)
    const { nodes } = await plans.of(readBounds)
    expect(nodes.flatMap((node) => node['Relation Name'] ?? [])).to.deep.equal(['indexing_checkpoints'])
  })
})
