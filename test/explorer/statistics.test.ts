import { expect } from 'chai'
import type { List } from '../../src/explorer/paging/pages.ts'
import type { Period } from '../../src/explorer/stats/routes.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { expectProblem } from '../support/expect-problem.ts'
import { exploredChain } from '../support/explored-chain.ts'
import type { ExploredChain } from '../support/explored-chain.ts'
import { runApi } from '../support/running-api.ts'
import type { RunningApi } from '../support/running-api.ts'

describe('statistics of the chain', () => {
  let chain: ExploredChain

  before(async () => {
    chain = await exploredChain()
  })

  for (const [timescale, unit] of [
    ['hourly', 'hour'],
    ['daily', 'day'],
    ['weekly', 'week'],
    ['monthly', 'month'],
  ] as const) {
    it(`are ${timescale} sums over the raw tables`, async () => {
      const { rows } = await chain.database.pool.query<Record<string, unknown>>(
        `
        select date_trunc($1, b.timestamp at time zone 'UTC') at time zone 'UTC' as timestamp,
          count(distinct b.height)::int as block_count, count(t.id)::int as tx_count,
          count(t.id) filter (where t.collection_index is null)::int as system_tx_count,
          count(t.id) filter (where t.status_code = 1 and t.collection_index is not null)::int as failed_tx_count,
          coalesce(sum(t.event_count), 0)::int as event_count, sum(e.accounts)::int as new_accounts,
          sum(e.contracts)::int as new_contracts, sum(e.fees)::text as fees, sum(e.is_evm)::int as evm_tx_count
        from raw.blocks b left join raw.transactions t on t.block_height = b.height left join lateral (
          select count(*) filter (where type = 'flow.AccountCreated') as accounts,
            count(*) filter (where type = 'flow.AccountContractAdded') as contracts,
            max((type = 'A.f8d6e0586b0a20c7.EVM.TransactionExecuted')::int) as is_evm,
            coalesce(sum((payload->>'amount')::numeric) filter (where type like '%.FlowFees.FeesDeducted'), 0.00000000) as fees
          from raw.events e where e.block_height = b.height and e.tx_index = t.tx_index
        ) e on true
        group by 1 order by 1`,
        [unit],
      )
      const from = timescale === 'hourly' ? '?from=2026-03-14' : ''
      const { data } = await chain.api.json<List<Period>>(`/status/stat/${timescale}/trend${from}`)
      const expected = rows
        .map((row) => ({
          ...row,
          timestamp: (row['timestamp'] as Date).toISOString(),
          evm_tx_count: row['evm_tx_count'] ?? 0,
        }))
        .filter(({ timestamp }) => from === '' || timestamp > '2026')
      expect(data).to.have.length(expected.length)
      for (const [i, row] of expected.entries()) {
        expect(data[i]).to.deep.include(row)
        expect(data[i]?.date).to.equal(row.timestamp.slice(0, 10))
      }
    })
  }

  it('default to days', async () => {
    const daily = await chain.api.json('/status/stat/daily/trend')
    expect(await chain.api.json('/status/stat')).to.deep.equal(daily)
    const { data } = daily as List<Period>
    expect(
      data.map(({ date, active_accounts, daily_active_accounts: mean }) => [date, active_accounts, mean]),
    ).to.deep.equal([
      ['2018-12-19', 0, 0],
      ['2026-03-14', 14, 14],
      ['2026-03-15', 13, 13],
    ])
  })

  it('count stored data', async () => {
    const {
      rows: [row],
    } = await chain.database.pool.query<Record<string, number>>(`
      select min(height)::int as min_height, max(height)::int as max_height, count(*)::int as block_count,
        (select count(*)::int from raw.transactions) as tx_count, (select count(*)::int from raw.events) as event_count
      from raw.blocks`)
    expect((await chain.api.json<List<unknown>>('/status/flow/stat')).data).to.deep.equal([row])
    expect((await chain.api.json<List<unknown>>('/status/count')).data).to.deep.equal([
      { block_count: row?.['block_count'], transaction_count: row?.['tx_count'], max_height: row?.['max_height'] },
    ])
  })

  it('reject other timescales and too long ranges of hours', async () => {
    await expectProblem(chain.api, '/status/stat/yearly/trend', 'timescale', 'hourly, daily, weekly, monthly')
    await expectProblem(chain.api, '/status/stat/Daily/trend', 'timescale', 'hourly, daily, weekly, monthly')
    await expectProblem(chain.api, '/status/stat/hourly/trend?from=2026-02-12', 'from', 'at most 31 days')
    expect((await chain.api.json<List<Period>>('/status/stat/hourly/trend?from=2026-02-13')).data).to.have.length(2)
    await expectProblem(chain.api, '/status/stat?from=2026-13-01', 'from', 'YYYY-MM-DD')
  })
})

describe('statistics of many days', () => {
  let database: TestDatabase
  let api: RunningApi

  before(async () => {
    database = await createTestDatabase()
    // 1 January 2026 was a Thursday. Every hour of 40 days has a block; every day has one more
    // account than the day before.
    await database.pool.query(`
      insert into app.hourly_stats
      select d::date, h, 1, h, 0, 0, 0, 0, 0, 0.00000001, 0, 0, 0, 0, 0, 0
      from generate_series(date '2026-01-01', date '2026-02-09', '1 day') as d, generate_series(0, 23) as h
      where d <> date '2026-01-07';
      insert into app.daily_account_counts
      select d::date, d::date - date '2026-01-01' + 1 from generate_series(date '2026-01-01', date '2026-02-09', '1 day') as d
      where d <> date '2026-01-07'`)
    api = await runApi(database.url)
  })

  after(async () => {
    await api.stop()
    await database.drop()
  })

  async function trend(path: string): Promise<[string, number, number | null][]> {
    const { data } = await api.json<List<Period>>(`/status/stat/${path}`)
    return data.map(({ date, block_count: count, daily_active_accounts: mean }) => [date, count, mean])
  }

  it('return complete weeks from Monday, with daily means', async () => {
    const weeks = await trend('weekly/trend')
    expect(weeks.map(([date]) => date)).to.deep.equal([
      '2025-12-29',
      '2026-01-05',
      '2026-01-12',
      '2026-01-19',
      '2026-01-26',
      '2026-02-02',
      '2026-02-09',
    ])
    expect(weeks[0]).to.deep.equal(['2025-12-29', 96, 2.5])
    // The third day is not indexed: 5, 6, 8, 9, 10, 11.
    expect(weeks[1]).to.deep.equal(['2026-01-05', 144, 8.17])
    expect(weeks[2]).to.deep.equal(['2026-01-12', 168, 15])
    expect(await trend('weekly/trend?from=2026-01-14&to=2026-01-20')).to.deep.equal(weeks.slice(2, 4))
  })

  it('return months', async () => {
    expect(await trend('monthly/trend')).to.deep.equal([
      ['2026-01-01', 720, 16.3],
      ['2026-02-01', 216, 36],
    ])
    expect(await trend('monthly/trend?from=2026-01-31&to=2026-01-31')).to.deep.equal([['2026-01-01', 720, 16.3]])
  })

  it('return the last seven days of hours', async () => {
    const hours = await trend('hourly/trend')
    expect([hours.length, hours[0]?.[0], hours.at(-1)?.[0]]).to.deep.equal([168, '2026-02-03', '2026-02-09'])
    const { data } = await api.json<List<Period>>('/status/stat/hourly/trend?from=2026-01-07&to=2026-01-08')
    expect(data.map(({ timestamp, tx_count }) => [timestamp, tx_count]).slice(0, 3)).to.deep.equal([
      ['2026-01-08T00:00:00.000Z', 0],
      ['2026-01-08T01:00:00.000Z', 1],
      ['2026-01-08T02:00:00.000Z', 2],
    ])
    expect(data).to.have.length(24)
  })

  it('omit days without indexed blocks, unlike daily statistics', async () => {
    const days = await trend('daily/trend?from=2026-01-06&to=2026-01-08')
    expect(days.map(([date]) => date)).to.deep.equal(['2026-01-06', '2026-01-08'])
    const { data } = await api.json<List<{ date: string; block_count: number }>>(
      '/insights/daily?from=2026-01-06&to=2026-01-08',
    )
    expect(data.map(({ date, block_count: count }) => [date, count])).to.deep.equal([
      ['2026-01-06', 24],
      ['2026-01-07', 0],
      ['2026-01-08', 24],
    ])
  })

  it('are empty without stored data', async () => {
    expect((await api.json<List<unknown>>('/status/flow/stat')).data).to.deep.equal([
      { min_height: null, max_height: null, block_count: 0, tx_count: 0, event_count: 0 },
    ])
    expect((await api.json<List<unknown>>('/status/count')).data).to.deep.equal([
      { block_count: 0, transaction_count: 0, max_height: null },
    ])
  })
})
