import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { networkStateWorker } from '../../../jobs/enrichment/network-state-worker.ts'
import { priceFeedWorker, readPrices } from '../../../jobs/enrichment/price-feed-worker.ts'
import { cdc, refuse, texts } from '../../support/script-node.ts'
import type { Cdc } from '../../support/script-node.ts'
import { EnrichmentWorld } from '../../support/enrichment-world.ts'
import { createTestDatabase } from '../../support/database.ts'
import type { TestDatabase } from '../../support/database.ts'

const flow = 'A.1654653399040a61.FlowToken'

describe('scheduled queries', () => {
  let database: TestDatabase
  let world: EnrichmentWorld

  before(async () => {
    database = await createTestDatabase()
    world = await EnrichmentWorld.start(database)
  })
  after(async () => {
    await world.stop()
    await database.drop()
  })

  describe('network state', () => {
    const nodeIds = ['aa', 'bb', 'cc'].map((digits) => digits.repeat(32))
    const some = (value: Cdc): Cdc => cdc.optional(value)
    const roles = (amount: string): Cdc =>
      cdc.dictionary([
        [cdc.uint8(1), cdc.ufix64(amount)],
        [cdc.uint8(5), cdc.ufix64('0.00000000')],
      ])
    const state = (ids: readonly string[], staked: readonly string[]): Cdc =>
      cdc.struct({
        height: cdc.uint64(130_000_000),
        view_: cdc.uint64(7),
        timestamp: cdc.ufix64('1753000000.50000000'),
        epoch: cdc.uint64(201),
        phase: cdc.uint8(1),
        startView: some(cdc.uint64(5)),
        stakingEndView: some(cdc.uint64(6)),
        endView: cdc.optional(null),
        epochRewards: some(cdc.ufix64('12.00000000')),
        targetEndTime: cdc.uint64(1_753_600_000),
        isStakingEnabled: cdc.bool(true),
        totalStaked: cdc.ufix64('900000000.00000001'),
        stakedByRole: roles('3.00000000'),
        minimumStakeByRole: roles('250000.00000000'),
        epochPayout: cdc.ufix64('1.00000000'),
        rewardCut: cdc.ufix64('0.08000000'),
        totalSupply: cdc.ufix64('1600000000.00000000'),
        nodeIds: cdc.array(ids.map(cdc.string)),
        stakedNodeIds: cdc.array(staked.map(cdc.string)),
      })
    const node = (): Cdc =>
      cdc.struct({
        role: cdc.uint8(3),
        networkingAddress: cdc.string('execution-001.example.org:3569'),
        tokensStaked: cdc.ufix64('1250000.00000000'),
        tokensCommitted: cdc.ufix64('0.00000000'),
        tokensUnstaking: cdc.ufix64('0.00000000'),
        tokensUnstaked: cdc.ufix64('0.00000000'),
        tokensRewarded: cdc.ufix64('5.00000000'),
        tokensRequestedToUnstake: cdc.ufix64('0.00000000'),
        totalStakedWithDelegators: some(cdc.ufix64('1300000.00000000')),
        delegatorCount: cdc.int(12),
        initialWeight: cdc.uint64(100),
      })

    it('has epoch, stake and supply of the contracts, and every node of the staking table', async () => {
      world.answer({
        network_state: () => state(nodeIds, nodeIds.slice(0, 2)),
        staking_nodes: ({ args }) => cdc.array(texts(args[0]).map(node)),
      })
      await world.run(networkStateWorker)
      const [row] = await world.rows('select * from app.network_state')
      expect(row).to.deep.include({
        subject: 'network',
        height: '130000000',
        chain_view: '7',
        epoch: '201',
        epoch_phase: 1,
        epoch_end_view: null,
        total_staked: '900000000.00000001',
        staked_by_role: { 1: '3.00000000', 5: '0.00000000' },
        node_count: 3,
        staked_node_count: 2,
        is_staking_enabled: true,
        status: 'answered',
        block_time: new Date(1_753_000_000_500),
        target_end_time: new Date(1_753_600_000_000),
      })
      const nodes = await world.rows(
        'select node_id, role, networking_address, total_staked, delegator_count, is_participant from app.staking_node_info order by node_id',
      )
      expect(nodes).to.deep.equal(
        nodeIds.map((node_id, i) => ({
          node_id,
          role: 3,
          networking_address: 'execution-001.example.org:3569',
          total_staked: '1300000.00000000',
          delegator_count: 12,
          is_participant: i < 2,
        })),
      )
    })

    it('is stored as Cadence returns it', async () => {
      await database.pool.query('update app.network_state set next_ask_at = now(); truncate app.staking_node_info')
      const recorded = JSON.parse(readFileSync(new URL('script-answers.json', import.meta.url), 'utf8')) as {
        readonly script: string
        readonly answer: Cdc
      }[]
      const answerOf = (script: string): Cdc =>
        recorded.find((one) => one.script === script)?.answer ?? refuse('INVALID_ARGUMENT', 'not recorded')
      world.answer({ network_state: () => answerOf('network_state'), staking_nodes: () => answerOf('staking_nodes') })
      await world.run(networkStateWorker)
      const [row] = await world.rows('select * from app.network_state')
      expect(row).to.deep.include({
        epoch: '3',
        epoch_phase: 0,
        epoch_start_view: '1',
        staking_end_view: '50',
        epoch_end_view: '70',
        node_count: 1,
        staked_node_count: 0,
        total_supply: '300000.00000000',
        minimum_stake_by_role: {
          1: '250000.00000000',
          2: '500000.00000000',
          3: '1250000.00000000',
          4: '135000.00000000',
          5: '100.00000000',
        },
      })
      expect(
        await world.rows(
          'select node_id, role, networking_address, tokens_committed, total_staked, delegator_count from app.staking_node_info',
        ),
      ).to.deep.equal([
        {
          node_id: 'ab'.repeat(32),
          role: 5,
          networking_address: 'access.example.org:3569',
          tokens_committed: '300000.00000000',
          total_staked: '0.00000000',
          delegator_count: 0,
        },
      ])
    })

    it('follows joining and leaving nodes, and skips one that left the table meanwhile', async () => {
      await database.pool.query(
        'update app.network_state set next_ask_at = now(); update app.staking_node_info set next_ask_at = now()',
      )
      const now = [nodeIds[0] ?? '', 'dd'.repeat(32), 'ee'.repeat(32)]
      world.answer({
        network_state: () => state(now, now),
        staking_nodes: ({ args }) =>
          texts(args[0]).some((id) => id.startsWith('dd'))
            ? refuse('INVALID_ARGUMENT', 'panic: no such node')
            : cdc.array(texts(args[0]).map(node)),
      })
      await world.run(networkStateWorker)
      expect(
        await world.rows(
          'select left(node_id, 2) as node, status, is_participant from app.staking_node_info order by node_id',
        ),
      ).to.deep.equal([
        { node: 'aa', status: 'answered', is_participant: true },
        { node: 'dd', status: 'failed', is_participant: true },
        { node: 'ee', status: 'answered', is_participant: true },
      ])
    })
  })

  describe('prices', () => {
    let server: Server
    let body: () => { readonly status?: number; readonly text: string }
    const worker = () =>
      priceFeedWorker({
        url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/prices`,
        refreshMs: 1_800_000,
      })
    const prices = () =>
      world.rows(
        'select token, currency, price, symbol, price_time from app.prices order by token, currency, price_time',
      )
    const due = (): Promise<unknown> => database.pool.query('update app.price_feeds set next_ask_at = now()')

    before(async () => {
      server = createServer((_, response) => {
        const { status = 200, text } = body()
        response.writeHead(status, { 'content-type': 'application/json' }).end(text)
      })
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    })
    after(() => server.close())

    it('are stored as the feed returns them, and fetched again after the configured interval', async () => {
      body = () => ({
        text: JSON.stringify({
          prices: [
            { token: flow, price: '0.41230001', symbol: 'flow', time: '2026-01-31T12:00:00Z' },
            { token: flow, price: 0.38, currency: 'eur', time: '2026-01-31T12:00:00Z' },
          ],
        }),
      })
      await world.run(worker())
      expect(await prices()).to.deep.equal([
        { token: flow, currency: 'EUR', price: '0.38', symbol: null, price_time: new Date('2026-01-31T12:00:00Z') },
        {
          token: flow,
          currency: 'USD',
          price: '0.41230001',
          symbol: 'FLOW',
          price_time: new Date('2026-01-31T12:00:00Z'),
        },
      ])
      const [{ seconds } = { seconds: 0 }] = await world.rows<{ seconds: number }>(
        'select extract(epoch from next_ask_at - asked_at)::float8 as seconds from app.price_feeds',
      )
      expect(seconds).to.be.within(0.9 * 1800, 1.1 * 1800)
      await due()
      await world.run(worker())
      expect(await prices()).to.have.lengthOf(2)
    })

    it('are not stored from invalid feed data, and the error gives the reason', async () => {
      for (const text of [
        '{}',
        '[]',
        '{"prices": [{"token": "FLOW", "price": "1"}]}',
        `{"prices": [{"token": "${flow}", "price": "-1"}]}`,
        `{"prices": [{"token": "${flow}", "price": "NaN"}]}`,
        `{"prices": [{"token": "${flow}", "price": "1", "time": "yesterday"}]}`,
      ]) {
        body = () => ({ text })
        await due()
        await world.run(worker())
      }
      expect(await prices()).to.have.lengthOf(2)
      expect(await world.rows('select status, failures, last_error_code from app.price_feeds')).to.deep.equal([
        { status: 'failed', failures: 6, last_error_code: 'query-failed' },
      ])
    })

    it('are retried while the source does not respond', async () => {
      for (const [status, text] of [
        [503, 'busy'],
        [200, '<html>'],
      ] as const) {
        body = () => ({ status, text })
        await due()
        const code = await world.run(worker()).then(
          () => undefined,
          (error: unknown) => (error as { code: string }).code,
        )
        expect(code).to.equal('source-unavailable')
      }
      expect(await world.rows('select failures from app.price_feeds')).to.deep.equal([{ failures: 6 }])
    })

    it('accept small numbers in JSON notation', () => {
      const [price] = readPrices({ prices: [{ token: flow, price: 1e-9 }] }, new Date(0))
      expect(price).to.deep.equal({
        token: flow,
        price: '1e-9',
        currency: 'USD',
        time: '1970-01-01T00:00:00.000Z',
        symbol: null,
      })
    })
  })
})
