import { expect } from 'chai'
import type { z } from 'zod'
import type { NetworkNode, networkNodesSchema } from '../../src/explorer/staking/network-nodes.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { expectProblem } from '../support/expect-problem.ts'
import { exploredChain } from '../support/explored-chain.ts'
import { truthOf } from '../support/recording-annotations.ts'
import { runApi } from '../support/running-api.ts'
import type { RunningApi } from '../support/running-api.ts'

type NodeList = z.output<typeof networkNodesSchema>

function nodeId(n: number): string {
  return n.toString(16).padStart(64, '0')
}

describe('network nodes', () => {
  it('equal the staking table at the end of a chain', async () => {
    const { api } = await exploredChain()
    const { staking } = await truthOf('base')
    const { data, node_count: count, nodes_by_role: roles } = await api.json<NodeList>('/status/nodes')
    expect(
      data.map((node) => [
        node.node_id,
        String(node.role),
        node.tokens_staked,
        node.tokens_committed,
        node.tokens_unstaking,
        node.tokens_unstaked,
        node.tokens_rewarded,
        String(node.delegator_count),
      ]),
    ).to.have.deep.members([...staking.nodes])
    expect(count).to.equal(staking.nodes.length)
    for (const role of roles) {
      const own = staking.nodes.filter(([, number]) => number === String(role.role))
      expect(role.node_count).to.equal(own.length)
      expect(Number(role.tokens_staked)).to.equal(own.reduce((sum, [, , staked]) => sum + Number(staked), 0))
    }
    expect(
      data.every(({ address, networking_address: host }) => address !== null && host.endsWith('.example.org:3569')),
    ).to.equal(true)
  })

  describe('with many nodes', () => {
    let database: TestDatabase
    let api: RunningApi

    before(async () => {
      database = await createTestDatabase()
      // Pairs with equal stake in two epochs; every tenth node has left.
      await database.pool.query(`
        insert into app.staking_nodes (
          node_id, epoch, role, weight, tokens_staked, tokens_committed, tokens_unstaking, tokens_unstaked, tokens_rewarded,
          delegator_count, last_height, is_complete
        )
        select lpad(to_hex(n), 64, '0'), case when n % 10 = 9 then 4 else 5 end, n % 5 + 1, 100, n / 2 + 0.5, 0, 0, 0, 0, 0, 1,
          n % 3 > 0
        from generate_series(1, 120) as n`)
      api = await runApi(database.url)
    })

    after(async () => {
      await api.stop()
      await database.drop()
    })

    async function all(limit: number): Promise<NetworkNode[]> {
      const nodes: NetworkNode[] = []
      let cursor = ''
      do {
        const list = await api.json<NodeList>(`/status/nodes?limit=${limit}&cursor=${cursor}`)
        expect(list.data.length).to.be.at.most(limit)
        expect(list.has_more).to.equal(list.cursor !== '')
        nodes.push(...list.data)
        cursor = list.cursor
      } while (cursor !== '')
      return nodes
    }

    it('are those of the newest epoch before the first query of the chain', async () => {
      const nodes = await all(7)
      const expected = Array.from({ length: 120 }, (_, i) => i + 1)
        .filter((n) => n % 10 !== 9)
        .toSorted((a, b) => Math.floor(b / 2) - Math.floor(a / 2) || a - b)
      expect(nodes.map(({ node_id: id }) => id)).to.deep.equal(expected.map(nodeId))
      expect(nodes.every(({ is_participant: takesPart }) => takesPart)).to.equal(true)
      const { data, ...list } = await api.json<NodeList>('/status/nodes?limit=2000')
      expect(data).to.deep.equal(nodes)
      expect(list).to.deep.include({ node_count: 108, participant_count: 108, has_more: false })
      expect(list.nodes_by_role.map(({ role_name: name, node_count: count }) => [name, count])).to.deep.equal([
        ['collection', 24],
        ['consensus', 24],
        ['execution', 24],
        ['verification', 24],
        ['access', 12],
      ])
    })

    it('are those of the staking table after it, with data that events lack', async () => {
      await database.pool.query(`
        insert into app.staking_node_info (node_id, role, networking_address, tokens_staked, delegator_count, is_participant, asked_at)
        select lpad(to_hex(n), 64, '0'), 2, 'host-' || n, 7000 + n, 3, n < 118, now() from generate_series(115, 125) as n`)
      const nodes = await all(4)
      expect(nodes).to.have.length(11)
      const byId = new Map(nodes.map((node) => [node.node_id, node]))
      // Complete by events; incomplete; unknown to events; in the table but not in the epoch.
      expect(byId.get(nodeId(116))).to.include({
        tokens_staked: '58.5',
        networking_address: 'host-116',
        delegator_count: 3,
        role: 2,
      })
      expect(byId.get(nodeId(117))).to.include({ tokens_staked: '7117', is_participant: true })
      expect(byId.get(nodeId(125))).to.include({
        tokens_staked: '7125',
        epoch: null,
        address: null,
        is_participant: false,
      })
      expect(byId.get(nodeId(119))).to.include({ is_participant: false })
      expect(nodes.map(({ tokens_staked: staked }) => Number(staked))).to.deep.equal(
        nodes.map(({ tokens_staked: staked }) => Number(staked)).toSorted((a, b) => b - a),
      )
      const { node_count: count, participant_count: participants } = await api.json<NodeList>('/status/nodes')
      expect([count, participants]).to.deep.equal([11, 3])
    })

    it('reject invalid cursors and limits', async () => {
      await expectProblem(api, '/status/nodes?limit=2001', 'limit', '1 to 2000')
      await expectProblem(api, '/status/nodes?cursor=5', 'cursor', '<tokens_staked>:<node_id>')
      await expectProblem(api, `/status/nodes?cursor=5e9:${nodeId(1)}`, 'cursor', '<tokens_staked>:<node_id>')
    })
  })
})
