import { expect } from 'chai'
import { workers } from '../../../jobs/index.ts'
import { createTestDatabase } from '../../../test/support/database.ts'
import type { TestDatabase } from '../../../test/support/database.ts'
import { runFarm, untilDerived } from '../../../test/support/farm.ts'
import { startLedgerNode } from '../../../simnode/ledger/ledger-node.ts'
import { compareDerived } from './compare-derived.ts'
import { rebuildDerived } from './rebuild-derived.ts'

/** Around a height at which a rebuild begins a new fold. */
const heights = { from: 9950, to: 10_061 }

describe('a rebuild of more heights than one fold holds', () => {
  let database: TestDatabase

  before(async () => {
    database = await createTestDatabase()
    const node = await startLedgerNode({ seed: 3, head: heights.to - 1 })
    const farm = await runFarm(
      database,
      { CHAIN_ACCESS_NODE: node.endpoint, START_BLOCK: String(heights.from), ENABLE_HISTORY_INGESTER: 'false' },
      { withIngest: true },
    )
    await untilDerived(
      database,
      workers.map(({ name }) => name),
      [heights],
      farm,
    )
    await farm.stop()
    await node.stop()
  })

  after(() => database.drop())

  it('equals the derived tables, including keys on both sides', async () => {
    const { pool } = database
    const report = await rebuildDerived({ pool, workers, network: 'emulator' })
    expect(report.heights).to.deep.equal([heights])
    const {
      rows: [both],
    } = await pool.query<{ tokens: number }>(`
      select count(distinct token)::int as tokens from app.evm_token_transfers a where block_height < 10000
      and exists (select from app.evm_token_transfers b where b.token = a.token and b.block_height >= 10000)`)
    expect(both?.tokens).to.be.greaterThan(0)
    const comparison = await compareDerived({ pool, workers })
    expect(comparison.tables.filter(({ differences }) => differences > 0)).to.deep.equal([])
    expect(comparison).to.deep.include({ isEqual: true, heights: [heights] })
  })
})
