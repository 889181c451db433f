import { expect } from 'chai'
import { startLedgerNode } from '../../simnode/ledger/ledger-node.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { runIngest, untilStored } from '../support/ingest.ts'

describe('ingesting the simulated chain', () => {
  let database: TestDatabase

  before(async () => {
    database = await createTestDatabase()
  })

  after(async () => {
    await database.drop()
  })

  async function count(query: string, ...values: unknown[]): Promise<number> {
    const { rows } = await database.pool.query<{ count: number }>(`select (${query})::integer as count`, values)
    return rows[0]?.count ?? Number.NaN
  }

  it('stores every block with all transactions and events, all of them decoded', async () => {
    const head = 450
    await using node = await startLedgerNode({ seed: 3, head })
    const running = await runIngest(database, { CHAIN_ACCESS_NODE: node.endpoint, START_BLOCK: '0' })
    await untilStored(database, 0, head, running)
    await running.stop()
    let [transactions, events] = [0, 0]
    for (let height = 0; height <= head; height++) {
      const { userTransactions, systemTransactions } = node.chain.draft(height)
      const all = [...userTransactions, ...systemTransactions]
      transactions += all.length
      events += all.reduce((sum, transaction) => sum + transaction.events.length, 0)
    }
    expect(await count('select count(*) from raw.blocks')).to.equal(head + 1)
    expect(await count('select count(*) from raw.transactions')).to.equal(transactions)
    expect(await count('select count(*) from raw.events')).to.equal(events)
    expect(await count('select count(*) from raw.indexing_errors')).to.equal(0)
  })

  it('switches to another branch with the node', async () => {
    const head = 470
    await using node = await startLedgerNode({ seed: 3, head })
    const running = await runIngest(database, { CHAIN_ACCESS_NODE: node.endpoint, START_BLOCK: '0' })
    await untilStored(database, 0, head, running)
    node.switchTo('460b', head + 5)
    await untilStored(database, 0, head + 5, running)
    await running.stop()
    for (const height of [460, 461, head, head + 5]) {
      const { id } = node.chain.block(height)
      expect(await count('select count(*) from raw.blocks where height = $1 and id = $2', height, id)).to.equal(1)
    }
  })
})
