import { expect } from 'chai'
import { workers } from '../../jobs/index.ts'
import { ufix64Text } from '../../src/flow/tokens/ufix64.ts'
import { startLedgerNode } from '../../simnode/ledger/ledger-node.ts'
import { nodeIdOf } from '../../simnode/ledger/staking/stakers.ts'
import { createTestDatabase } from '../support/database.ts'
import { runFarm, untilDerived } from '../support/farm.ts'
import { compareItems, compareVaults } from '../support/ledger-truth.ts'

const names = workers.map(({ name }) => name)
/** In cycle 100 all nodes are registered; two epochs start in these blocks. */
const [from, head] = [20_010, 20_450]

describe('history of the simulated chain that starts in the middle', () => {
  it('is correct for everything in its events, and for nodes after an epoch setup', async () => {
    const database = await createTestDatabase()
    await using node = await startLedgerNode({ seed: 6, head })
    const running = await runFarm(
      database,
      {
        CHAIN_ACCESS_NODE: node.endpoint,
        START_BLOCK: String(from),
        ENABLE_HISTORY_INGESTER: 'false',
      },
      { withIngest: true },
    )
    try {
      await untilDerived(database, names, [{ from, to: head + 1 }], running)
      for (const compare of [compareVaults, compareItems]) {
        const { expected, found } = await compare(database.pool, node.chain, head, from)
        expect(found).to.deep.equal(expected)
      }
      const problems = await database.pool.query('select code, event_type, message from raw.indexing_errors limit 5')
      expect(problems.rows).to.deep.equal([])
      const { staking } = node.chain.stateAt(head)
      const expected = staking.nodes.map((staker) => {
        const { committed, staked, unstaking, unstaked, rewarded } = staking.of(staker)
        const amounts = [committed, staked, unstaking, unstaked, rewarded].map((amount) => ufix64Text(amount))
        return `${nodeIdOf(staker.node)} true ${staking.addressOf(staker.node)} ${amounts.join(' ')}`
      })
      const { rows } = await database.pool.query<{ line: string }>(`
        select concat_ws(' ', node_id, is_complete::text, networking_address, tokens_committed, tokens_staked,
          tokens_unstaking, tokens_unstaked, tokens_rewarded) as line from app.staking_nodes order by node_id`)
      expect(rows.map(({ line }) => line)).to.deep.equal(expected.toSorted())
    } finally {
      await running.stop()
      await database.drop()
    }
  })
})
