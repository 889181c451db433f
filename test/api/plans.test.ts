import { expect } from 'chai'
import type { CommonQueryMethods, DatabasePool, QuerySqlToken } from 'slonik'
import { readBounds } from '../../src/api/bounds.ts'
import { listBlocks, readBlock } from '../../src/api/queries/blocks.ts'
import { describeTransactions } from '../../src/api/queries/describe-transactions.ts'
import { readEventsOfBlock } from '../../src/api/queries/events.ts'
import {
  findTransaction, listTransactions, listTransactionsOfBlock, readTransaction,
} from '../../src/api/queries/transactions.ts'
import { createReadPool } from '../../src/db/slonik.ts'
import { chainBlock, storeBlocks } from '../support/chain-rows.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'

interface PlanNode {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Actual Rows': number
  readonly 'Actual Loops': number
  readonly 'Rows Removed by Filter'?: number
  readonly Plans?: readonly PlanNode[]
}

const partitions = 12
const partitionStep = 50
const highest = 100 + partitions * partitionStep - 1

describe('the plans of list queries', () => {
  let database: TestDatabase
  let reads: DatabasePool
  let recording: DatabasePool
  let statements: QuerySqlToken[] = []

  before(async () => {
    database = await createTestDatabase()
    await storeBlocks(database.pool, 100, highest, { partitionStep })
    await database.pool.query('analyze')
    reads = await createReadPool({ url: database.url })
    recording = new Proxy(reads, {
      get: (target, name) => {
        const method: unknown = Reflect.get(target, name)
        if (typeof method !== 'function') return method
        return async (statement: QuerySqlToken) => {
          statements.push(statement)
          return (method as CommonQueryMethods['any'])(statement)
        }
      },
    })
  })

  after(async () => {
    await reads.end()
    await database.drop()
  })

  /** The nodes that a query's statements really ran, in all, and the partitions that were planned for. */
  async function run(query: () => Promise<unknown>): Promise<{ nodes: PlanNode[]; planned: number }> {
    statements = []
    await query()
    const nodes: PlanNode[] = []
    for (const { sql, values } of statements) {
      const { rows: [row] } = await database.pool.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
        `explain (analyze, format json, timing off) ${sql.replaceAll('$slonik_', '$')}`, [...values],
      )
      if (row !== undefined) nodes.push(...flatten(row['QUERY PLAN'][0].Plan))
    }
    const planned = nodes.filter((node) => /_p\d+$/.test(node['Relation Name'] ?? ''))
    return { nodes: nodes.filter((node) => node['Actual Loops'] > 0), planned: planned.length }
  }

  function flatten(node: PlanNode): PlanNode[] {
    return [node, ...(node.Plans ?? []).flatMap(flatten)]
  }

  function touched(nodes: readonly PlanNode[]): number {
    return nodes.reduce((sum, node) => {
      const isScan = node['Relation Name'] !== undefined
      return isScan ? sum + (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'] : sum
    }, 0)
  }

  const bounds = { min: 100, max: highest }
  type Case = readonly [name: string, mostRows: number, query: (database: DatabasePool) => Promise<unknown>]
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

  for (const [name, most, query] of queries) {
    it(`reads ${name} from at most two partitions of a table, and few rows`, async () => {
      const { nodes, planned } = await run(() => query(recording))
      expect(planned).to.be.at.most(6)
      expect(touched(nodes)).to.be.at.most(most)
      // The order comes from the index; what is left to sort is what shares an EVM hash.
      const sorted = nodes.filter((node) => node['Node Type'] === 'Sort').map((node) => node['Actual Rows'])
      expect(sorted.filter((rows) => rows > 1)).to.deep.equal([])
    })
  }

  it('looks the events of a page up by place', async () => {
    const rows = await listTransactions(reads, bounds, undefined, 21)
    const { nodes, planned } = await run(() => describeTransactions(recording, 'mainnet', rows))
    expect(planned).to.be.at.most(2)
    expect(touched(nodes)).to.be.at.most(21 * 12)
  })

  it('reads the ends of the chain from two rows', async () => {
    expect(await readBounds(reads)).to.deep.equal(bounds)
    const { nodes } = await run(() => readBounds(recording))
    expect(nodes.flatMap((node) => node['Relation Name'] ?? [])).to.deep.equal(['indexing_checkpoints'])
  })
})
