import { expect } from 'chai'
import type { List } from '../../src/explorer/paging/pages.ts'
import type { Epoch, EpochStatus, Tokenomics } from '../../src/explorer/staking/epochs.ts'
import { storeBlocks, timestampAt } from '../support/chain-rows.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { expectProblem } from '../support/expect-problem.ts'
import { exploredChain } from '../support/explored-chain.ts'
import { setCoverage } from '../../src/farm/farm-tables.test-support.ts'
import { runApi } from '../support/running-api.ts'
import type { RunningApi } from '../support/running-api.ts'

const unknown = {
  epoch: null,
  epoch_progress: null,
  phase: null,
  phase_name: null,
  start_view: null,
  staking_end_view: null,
  end_view: null,
  current_view: null,
  start_height: null,
  start_time: null,
  target_end_time: null,
  height: null,
  source: null,
  updated_at: null,
}

describe('epochs', () => {
  let database: TestDatabase
  let api: RunningApi

  before(async () => {
    database = await createTestDatabase()
    api = await runApi(database.url)
  })

  after(async () => {
    await api.stop()
    await database.drop()
  })

  async function status(): Promise<EpochStatus | undefined> {
    return (await api.json<List<EpochStatus>>('/status/epoch/status')).data[0]
  }

  async function tokenomics(): Promise<Tokenomics | undefined> {
    return (await api.json<List<Tokenomics>>('/status/tokenomics')).data[0]
  }

  it('are null without data', async () => {
    expect(await status()).to.deep.equal(unknown)
    expect((await api.json<List<Epoch>>('/status/epoch/stat')).data).to.deep.equal([])
    expect(await tokenomics()).to.deep.equal({
      epoch: null,
      total_supply: null,
      total_staked: null,
      staked_share: null,
      validator_count: null,
      epoch_payout: null,
      staking_apy: null,
      source: null,
      updated_at: null,
    })
  })

  it('come from events above the first start without gaps', async () => {
    await storeBlocks(database.pool, 100, 160)
    await setCoverage(database.pool, {
      staking_worker: [
        { from: 100, to: 120 },
        { from: 130, to: 151 },
      ],
    })
    await database.pool.query(
      `
      insert into app.epoch_stats (
        epoch, start_height, start_time, end_height, end_time, first_view, staking_end_view, final_view, target_end_time,
        setup_height, commit_height, total_nodes, total_staked, total_supply, total_rewards, payout_height, payout_total
      ) values
        (7, 104, '2025-01-01T00:01:40Z', 129, '2025-01-08T00:01:40Z', 1, 20, 1000, null, 101, 102, 4, 200, 1000, 1, 131, 4.00000000),
        (8, 130, $1, null, null, 1001, 1020, 2000, $2, 110, 111, 5, 400, 1600, 2, null, null),
        (9, null, null, null, null, 2001, 2020, 3000, null, 140, null, 6, null, null, null, null, null)
    `,
      [timestampAt(130), new Date(Date.parse(timestampAt(130)) + 40_000).toISOString()],
    )
    const reported = {
      ...unknown,
      epoch: 8,
      phase: 1,
      phase_name: 'setup',
      start_view: 1001,
      staking_end_view: 1020,
      end_view: 2000,
      start_height: 130,
      start_time: timestampAt(130),
      height: 150,
      source: 'events',
      target_end_time: new Date(Date.parse(timestampAt(130)) + 40_000).toISOString(),
      updated_at: Math.floor(Date.parse(timestampAt(150)) / 1000),
    }
    // Views of stored blocks are unknown, so progress is by time: 20 of 40 seconds.
    expect(await status()).to.deep.equal({ ...reported, epoch_progress: 50 })
    await database.pool.query('update app.epoch_stats set commit_height = 145 where epoch = 9')
    expect(await status()).to.include({ phase: 2, phase_name: 'commit' })
    await database.pool.query('update app.epoch_stats set commit_height = null, setup_height = null where epoch = 9')
    expect(await status()).to.include({ phase: 0, phase_name: 'staking auction' })
    await database.pool.query('update app.epoch_stats set setup_height = 140 where epoch = 9')
    await setCoverage(database.pool, {
      staking_worker: [
        { from: 100, to: 120 },
        { from: 131, to: 151 },
      ],
    })
    expect(await status()).to.deep.equal(unknown)
    await setCoverage(database.pool, { staking_worker: [{ from: 100, to: 151 }] })
    expect(await status()).to.deep.equal({ ...reported, epoch_progress: 50 })
  })

  it('come from the chain if it is newer, including fields only it has', async () => {
    await database.pool.query(
      `
      insert into app.network_state (
        subject, height, chain_view, block_time, epoch, epoch_phase, epoch_start_view, staking_end_view, epoch_end_view,
        total_staked, total_supply, staked_node_count, status
      ) values ('network', 150, 1251, $1, 8, 0, 1001, 1020, 2000, 500.5, 2000, 5, 'answered')`,
      [timestampAt(150)],
    )
    expect(await status()).to.include({
      source: 'chain',
      epoch: 8,
      phase: 0,
      current_view: 1251,
      epoch_progress: 25.03,
      start_height: 130,
    })
    await database.pool.query("update app.network_state set height = 149, chain_view = 1250 where subject = 'network'")
    expect(await status()).to.include({ source: 'events', phase: 1, current_view: 1250, epoch_progress: 24.92 })
    // Another epoch than that of the events, whose data must not be mixed in.
    await database.pool.query(`
      update app.network_state
      set height = 170, epoch = 9, chain_view = 2100, epoch_start_view = 2001, epoch_end_view = 3000, staking_end_view = 2020`)
    expect(await status()).to.include({
      source: 'chain',
      epoch: 9,
      height: 170,
      current_view: 2100,
      start_view: 2001,
      end_view: 3000,
      epoch_progress: 9.91,
      start_height: null,
      start_time: null,
      target_end_time: null,
    })
    await database.pool.query('update app.network_state set epoch_start_view = null, chain_view = 9000')
    expect(await status()).to.include({ epoch_progress: null, start_view: null })
    await database.pool.query('update app.network_state set epoch_start_view = 2001')
    expect(await status()).to.include({ epoch_progress: 100 })
  })

  it('are paged', async () => {
    const { data, ...rest } = await api.json<List<Epoch>>('/status/epoch/stat')
    expect(data.map(({ epoch, status: state, block_count: count }) => [epoch, state, count])).to.deep.equal([
      [9, 'planned', null],
      [8, 'running', null],
      [7, 'ended', 26],
    ])
    expect(rest).to.deep.include({ has_more: false, cursor: '' })
    const first = await api.json<List<Epoch>>('/status/epoch/stat?limit=2')
    expect(first).to.deep.include({ data: data.slice(0, 2), has_more: true, cursor: '8' })
    const second = await api.json<List<Epoch>>('/status/epoch/stat?limit=2&cursor=8')
    expect(second).to.deep.include({ data: data.slice(2), has_more: false })
    await expectProblem(api, '/status/epoch/stat?cursor=x', 'cursor', '<epoch>')
    await expectProblem(api, '/status/epoch/stat?limit=201', 'limit', '1 to 200')
  })

  it('extrapolate the yield of the last epoch', async () => {
    // 4 of 200 in a week.
    const apy = Math.round((4 / 200) * (365.25 / 7) * 10_000) / 100
    expect(await tokenomics()).to.deep.equal({
      epoch: 9,
      total_supply: '2000',
      total_staked: '500.5',
      staked_share: 25.03,
      validator_count: 5,
      epoch_payout: '4.00000000',
      staking_apy: apy,
      source: 'chain',
      updated_at: Math.floor(Date.parse(timestampAt(150)) / 1000),
    })
    const supplies = ['/public/v1/totalSupply', '/public/v1/totalSupplyWithDecimal']
    expect(await Promise.all(supplies.map(async (path) => (await api.get(path)).text()))).to.deep.equal([
      '2000',
      '2000.00000000',
    ])
    await database.pool.query('delete from app.network_state')
    expect(await tokenomics()).to.include({
      epoch: 8,
      total_supply: '1600',
      total_staked: '400',
      staked_share: 25,
      validator_count: 5,
      staking_apy: apy,
      source: 'events',
      updated_at: Math.floor(Date.parse(timestampAt(130)) / 1000),
    })
  })
})

describe('epochs of a recorded chain', () => {
  it('equal its events', async () => {
    const { api, database } = await exploredChain()
    const { rows } = await database.pool.query<{ total: string; height: number; fees: string; burned: string }>(`
      select payload->>'total' as total, block_height::int as height, payload->>'fromFees' as fees,
        payload->>'feesBurned' as burned
      from raw.events where type like '%.FlowIDTableStaking.EpochTotalRewardsPaid' order by block_height desc`)
    const { data } = await api.json<List<Epoch>>('/status/epoch/stat')
    expect(
      data.map((epoch) => ({
        total: epoch.payout_total,
        height: epoch.payout_height,
        fees: epoch.payout_from_fees,
        burned: epoch.payout_fees_burned,
      })),
    ).to.deep.equal(rows)
    const starts = await database.pool.query<{ height: number; staked: string }>(`
      select block_height::int as height, payload->>'totalStaked' as staked
      from raw.events where type like '%.FlowIDTableStaking.NewEpoch' order by block_height desc`)
    expect(data.map(({ start_height: height }) => height)).to.deep.equal(starts.rows.map(({ height }) => height))
    expect(data.map(({ total_staked: staked }) => staked)).to.deep.equal(starts.rows.map(({ staked }) => staked))
    const {
      data: [status],
    } = await api.json<List<EpochStatus>>('/status/epoch/status')
    expect(status).to.include({
      epoch: 3,
      phase: 0,
      source: 'events',
      height: 280,
      start_height: starts.rows[0]?.height,
    })
  })
})
