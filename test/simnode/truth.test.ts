import { expect } from 'chai'
import { workers } from '../../jobs/index.ts'
import { compareDerived } from '../../src/farm/rebuild/compare-derived.ts'
import { rebuildDerived } from '../../src/farm/rebuild/rebuild-derived.ts'
import { startLedgerNode } from '../../src/simnode/ledger/ledger-node.ts'
import type { LedgerChain } from '../../src/simnode/ledger/ledger-chain.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { runFarm, untilDerived } from '../support/farm.ts'
import {
  compareContracts, compareEvmTokens, compareHoldings, compareItems, compareKeys, compareScheduled, compareStaking,
  compareVaults,
} from '../support/ledger-truth.ts'

const names = workers.map(({ name }) => name)
const domains = {
  compareVaults, compareHoldings, compareItems, compareKeys, compareContracts, compareStaking, compareScheduled,
  compareEvmTokens,
}

describe('the truth of the simulated chain', function () {
  this.timeout(180_000)
  let database: TestDatabase

  before(async () => {
    database = await createTestDatabase()
  })

  after(() => database.drop())

  const expectTruth = async (chain: LedgerChain, height: number): Promise<void> => {
    for (const [name, compare] of Object.entries(domains)) {
      const { expected, found } = await compare(database.pool, chain, height)
      expect(expected, `${name} at ${height}`).to.not.deep.equal([])
      expect(found, `${name} at ${height}`).to.deep.equal(expected)
    }
    const { rows } = await database.pool.query('select code, event_type, message from raw.indexing_errors limit 5')
    expect(rows, `what workers could not use to ${height}`).to.deep.equal([])
  }

  it('is what the farm derives, before and after the chain goes over to a fork, and what one pass derives again', async () => {
    const [head, forkedAfter, end] = [530, 488, 641]
    await using node = await startLedgerNode({ seed: 5, head })
    const running = await runFarm(database, { CHAIN_ACCESS_NODE: node.endpoint, START_BLOCK: '0' }, { withIngest: true })
    try {
      await untilDerived(database, names, [{ from: 0, to: head + 1 }], running)
      await expectTruth(node.chain, head)
      node.switchTo(`${forkedAfter}b`, end)
      await untilDerived(database, names, [{ from: 0, to: end + 1 }], running)
      await expectTruth(node.chain, end)
    } finally {
      await running.stop()
    }
    const report = await rebuildDerived({ pool: database.pool, workers, network: 'emulator' })
    expect({ problems: report.problems, failed: report.failed }).to.deep.equal({ problems: 0, failed: [] })
    const { isEqual, heights, tables } = await compareDerived({ pool: database.pool, workers })
    expect(tables.filter(({ differences }) => differences > 0)).to.deep.equal([])
    expect({ isEqual, heights }).to.deep.equal({ isEqual: true, heights: [{ from: 0, to: end + 1 }] })
  })
})
