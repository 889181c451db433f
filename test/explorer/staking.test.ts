import { expect } from 'chai'
import type { Epoch } from '../../src/explorer/staking/epochs.ts'
import type { StakingEventItem, Delegator, Node } from '../../src/explorer/staking/schema.ts'
import { allPages } from '../support/all-pages.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { expectProblem } from '../support/expect-problem.ts'
import { exploredChain } from '../support/explored-chain.ts'
import type { ExploredChain } from '../support/explored-chain.ts'
import { truthOf } from '../support/recording-annotations.ts'
import { runApi } from '../support/running-api.ts'
import type { RunningApi } from '../support/running-api.ts'

describe('staking routes on a recorded chain', () => {
  let chain: ExploredChain
  let nodes: readonly Node[]
  let delegators: readonly Delegator[]

  before(async () => {
    chain = await exploredChain()
    nodes = await allPages<Node>(chain.api, '/flow/node', 2)
    delegators = await allPages<Delegator>(chain.api, '/staking/delegator', 2)
  })

  async function rows<Row extends object>(text: string): Promise<Row[]> {
    return (await chain.database.pool.query<Row>(text)).rows
  }

  it('list nodes equal to the chain at its end, largest stake first', async () => {
    const { staking } = (await truthOf('base')) as unknown as { staking: { columns: string[]; nodes: string[][] } }
    expect(staking.columns).to.deep.equal([
      'id',
      'role',
      'staked',
      'committed',
      'unstaking',
      'unstaked',
      'rewarded',
      'delegators',
    ])
    const reported = nodes.map((node) => [
      node.node_id,
      String(node.role),
      node.tokens_staked,
      node.tokens_committed,
      node.tokens_unstaking,
      node.tokens_unstaked,
      node.tokens_rewarded,
      String(node.delegator_count),
    ])
    const byId = (a: readonly string[], b: readonly string[]): number => String(a[0]).localeCompare(String(b[0]))
    expect(reported.toSorted(byId)).to.deep.equal(staking.nodes.toSorted(byId))
    expect(nodes.every((node) => node.is_complete)).to.equal(true)
    const stakes = nodes.map(({ tokens_staked: staked }) => Number(staked))
    expect(stakes).to.deep.equal(stakes.toSorted((a, b) => b - a))
  })

  it('return the account that registered a node or delegator', async () => {
    const registrations = await rows<{ who: string; account: string }>(`
      select payload ->> 'nodeID' || ':' || coalesce(payload ->> 'delegatorID', '0') as who, authorizers[1] as account
      from raw.events join raw.transactions using (block_height, tx_index)
      where type ~ 'FlowIDTableStaking.New(Node|Delegator)Created$'`)
    const accounts = new Map(registrations.map(({ who, account }) => [who, account]))
    expect(accounts.size).to.equal(nodes.length + delegators.length)
    for (const { node_id: id, address } of nodes) expect(address, id).to.equal(accounts.get(`${id}:0`))
    for (const { node_id: id, delegator_id: number, address } of delegators) {
      expect(address, id).to.equal(accounts.get(`${id}:${number}`))
    }
  })

  it('return one node, and filter by role', async () => {
    for (const node of nodes) {
      expect(await chain.api.json(`/flow/node/${node.node_id}`)).to.deep.equal({ data: [node] })
      const sameRole = nodes.filter(({ role }) => role === node.role)
      for (const role of [node.role, node.role_name]) {
        expect(await allPages(chain.api, `/flow/node?role=${role}`, 1)).to.deep.equal(sameRole)
      }
    }
    const response = await chain.api.get(`/flow/node/${'0'.repeat(64)}`)
    expect([response.status, ((await response.json()) as { code: string }).code]).to.deep.equal([404, 'unknown-node'])
  })

  it('list the nodes of an epoch from its setup', async () => {
    const [setup] = await rows<{ epoch: number; nodes: { id: string; tokensCommitted: string }[] }>(`
      select (payload ->> 'counter')::int as epoch, payload -> 'nodeInfo' as nodes from raw.events
      where type like '%.FlowEpoch.EpochSetup' order by block_height desc limit 1`)
    const reported = new Map((setup?.nodes ?? []).map(({ id, tokensCommitted }) => [id, tokensCommitted]))
    for (const path of [`/staking/epoch/${setup?.epoch}/nodes`, `/flow/node?epoch=${setup?.epoch}`]) {
      const listed = await allPages<Node>(chain.api, path, 2)
      expect(new Map(listed.map((node) => [node.node_id, node.tokens_committed])), path).to.deep.equal(reported)
      expect(new Set(listed.map(({ epoch }) => epoch))).to.deep.equal(new Set([setup?.epoch]))
    }
    expect(await allPages(chain.api, '/flow/node?epoch=999', 5)).to.deep.equal([])
    const response = await chain.api.get('/staking/epoch/999/nodes')
    expect([response.status, ((await response.json()) as { code: string }).code]).to.deep.equal([404, 'unknown-epoch'])
  })

  it('list the delegators of a node', async () => {
    for (const { node_id: id, delegator_count: count } of nodes) {
      const own = await allPages<Delegator>(chain.api, `/staking/delegator?node_id=${id}`, 1)
      expect(own).to.deep.equal(delegators.filter((one) => one.node_id === id))
      expect(own).to.have.length(count)
    }
  })

  it('list rewards and stakes from events', async () => {
    for (const [path, types] of [
      ['/staking/rewards/paid', '(Delegator)?RewardsPaid'],
      ['/staking/rewards/staking', '(Delegator)?TokensStaked'],
    ] as const) {
      const of = (condition: string): Promise<object[]> =>
        rows(`
        select block_height::int, tx_index as transaction_index, event_index, encode(t.id, 'hex') as transaction_id,
          payload ->> 'nodeID' as node_id, coalesce((payload ->> 'delegatorID')::int, 0) as delegator_id,
          payload ->> 'amount' as amount
        from raw.events e join raw.transactions t using (block_height, tx_index)
        where type ~ 'FlowIDTableStaking.${types}$' and ${condition}
        order by block_height desc, tx_index desc, event_index desc`)
      const shown = async (filter: string): Promise<object[]> =>
        (await allPages<StakingEventItem>(chain.api, `${path}?${filter}`, 4)).map((event) => ({
          block_height: event.block_height,
          transaction_index: event.transaction_index,
          event_index: event.event_index,
          transaction_id: event.transaction_id,
          node_id: event.node_id,
          delegator_id: event.delegator_id,
          amount: event.amount,
        }))
      expect(await shown('')).to.deep.equal(await of('true'))
      const id = nodes[0]?.node_id
      expect(await shown(`node_id=${id}`)).to.deep.equal(await of(`payload ->> 'nodeID' = '${id}'`))
    }
  })

  it('list staking events of an account under both paths', async () => {
    for (const { node_id: id, delegator_id: number, address } of delegators) {
      const path = `/staking/account/${address}`
      const events = await allPages<StakingEventItem>(chain.api, `${path}/event`, 2)
      const [expected] = await rows<{ count: number }>(`
        select count(*)::int from app.staking_events where node_id = '${id}' and delegator_id = ${number}`)
      expect(events).to.have.length(expected?.count ?? 0)
      expect(events.at(-1)?.event_type).to.equal('NewDelegatorCreated')
      expect(events.some(({ event_type: type }) => type === 'DelegatorRewardsPaid')).to.equal(true)
      expect(await allPages(chain.api, `/flow/account/${address}/staking/activity`, 50)).to.deep.equal(events)
      const stake = { address, nodes: [], delegators: delegators.filter((one) => one.address === address) }
      expect(await chain.api.json(path)).to.deep.equal({ data: [stake] })
    }
    const { node_id: id, address } = nodes[0] ?? {}
    const {
      data: [stake],
    } = await chain.api.json<{ data: { nodes: Node[] }[] }>(`/staking/account/${address}`)
    expect(stake?.nodes.map((node) => node.node_id)).to.deep.equal([id])
    const ofNode = await allPages<StakingEventItem>(chain.api, `/staking/node/${id}/event`, 7)
    const [expected] = await rows<{ count: number }>(
      `select count(*)::int from app.staking_events where node_id = '${id}'`,
    )
    expect(ofNode).to.have.length(expected?.count ?? 0)
  })

  it('list epochs with actual times and total payouts', async () => {
    const epochs = await allPages<Epoch & { total_rewarded: string | null }>(chain.api, '/staking/epoch/stats', 1)
    expect(epochs.map(({ epoch }) => epoch)).to.deep.equal([3, 2, 1])
    const starts = await rows<{ epoch: number; height: number; time: Date; staked: string }>(`
      select (payload ->> 'newEpochCounter')::int as epoch, block_height::int as height, b.timestamp as time,
        payload ->> 'totalStaked' as staked
      from raw.events join raw.blocks b on b.height = block_height
      where type like '%.FlowIDTableStaking.NewEpoch' order by 1 desc`)
    expect(
      epochs.map((epoch) => [epoch.epoch, epoch.start_height, epoch.start_time, epoch.total_staked]),
    ).to.deep.equal(starts.map(({ epoch, height, time, staked }) => [epoch, height, time.toISOString(), staked]))
    const paid = await rows<{ epoch: number; total: string }>(`
      select (payload ->> 'epochCounterForRewards')::int as epoch, payload ->> 'total' as total from raw.events
      where type like '%.FlowIDTableStaking.EpochTotalRewardsPaid' order by 1 desc`)
    expect(epochs.map(({ epoch, total_rewarded: total }) => ({ epoch, total }))).to.deep.equal(paid)
  })

  it('return totals, or null if unknown', async () => {
    const {
      data: [shown],
    } = await chain.api.json<{ data: Record<string, unknown>[] }>('/staking/tokenomics')
    const [newest] = await rows<{ epoch: number; total_staked: string }>(`
      select epoch::int, total_staked::text from app.epoch_stats where total_staked is not null order by epoch desc limit 1`)
    expect(shown).to.deep.include({
      ...newest,
      circulating_supply: null,
      delegator_count: delegators.length,
      source: 'events',
      validator_count: null,
    })
  })

  it('reject invalid parameters', async () => {
    await expectProblem(chain.api, '/flow/node/1', 'node_id', '64 hex digits')
    await expectProblem(chain.api, '/flow/node?epoch=-1', 'epoch', 'whole number')
    await expectProblem(chain.api, '/flow/node?role=6', 'role', 'collection')
    await expectProblem(chain.api, '/flow/node?limit=201', 'limit', '200')
    await expectProblem(chain.api, '/staking/epoch/x/nodes', 'epoch', 'whole number')
    await expectProblem(chain.api, '/staking/delegator?node_id=zz', 'node_id', '64 hex digits')
    await expectProblem(
      chain.api,
      '/staking/rewards/paid?cursor=5',
      'cursor',
      '<block_height>:<tx_index>:<event_index>',
    )
    await expectProblem(chain.api, '/staking/account/x', 'address', '16 hex digits')
  })
})

describe('nodes with incomplete history', () => {
  const [reported, partial, unknown] = ['a', 'b', 'c'].map((digit) => digit.repeat(64))
  let database: TestDatabase
  let api: RunningApi

  before(async () => {
    database = await createTestDatabase()
    await database.pool.query(`
      insert into app.staking_nodes (
        node_id, role, tokens_committed, tokens_staked, tokens_unstaking, tokens_unstaked, tokens_rewarded, delegator_count,
        last_height, is_complete
      ) values ('${reported}', 1, 0, 500, 0, 0, 1, 2, 7, true), ('${partial}', null, 0, -20, 0, 0, 3, 1, 8, false);
      insert into app.staking_node_info (
        node_id, role, networking_address, tokens_staked, tokens_committed, tokens_unstaking, tokens_unstaked, tokens_rewarded,
        tokens_requested_to_unstake, delegator_count, initial_weight, asked_at
      ) values
        ('${reported}', 1, 'a.example.org:3569', 400, 0, 0, 0, 0, 0, 2, 100, '2026-01-01'),
        ('${partial}', 2, 'b.example.org:3569', 900.00000001, 0, 0, 0, 4, 5, 9, 50, '2026-01-02'),
        ('${unknown}', 5, 'c.example.org:3569', 100, 0, 0, 0, 0, 0, 0, 0, '2026-01-03');
      insert into app.staking_node_info (node_id) values ('${'d'.repeat(64)}')`)
    api = await runApi(database.url)
  })

  after(async () => {
    await api.stop()
    await database.drop()
  })

  it('use the last query of the chain', async () => {
    const nodes = await allPages<Node>(api, '/flow/node', 1)
    expect(
      nodes.map((node) => [node.node_id, node.tokens_staked, node.tokens_rewarded, node.source, node.is_complete]),
    ).to.deep.equal([
      [partial, '900.00000001', '4', 'chain', true],
      [reported, '500', '1', 'events', true],
      [unknown, '100', '0', 'chain', true],
    ])
    expect(
      nodes.map((node) => [node.networking_address, node.role, node.weight, node.delegator_count, node.updated_at]),
    ).to.deep.equal([
      ['b.example.org:3569', 2, 50, 9, '2026-01-02T00:00:00.000Z'],
      ['a.example.org:3569', 1, 100, 2, null],
      ['c.example.org:3569', 5, 0, 0, '2026-01-03T00:00:00.000Z'],
    ])
    for (const node of nodes) expect(await api.json(`/flow/node/${node.node_id}`)).to.deep.equal({ data: [node] })
    const {
      data: [tokenomics],
    } = await api.json<{ data: Record<string, unknown>[] }>('/staking/tokenomics')
    expect(tokenomics).to.include({ delegator_count: 11, total_staked: null, staking_apy: null })
  })
})
