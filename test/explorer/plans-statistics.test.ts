import { expect } from 'chai'
import { sql } from 'slonik'
import type { DatabasePool } from 'slonik'
import { listBusyContracts, listTokenVolumes } from '../../src/explorer/stats/activity.ts'
import { listBigTransfers } from '../../src/explorer/stats/big-transfers.ts'
import {
  readDailyNumbers,
  readDailyTransfers,
  readIndexedDays,
  seriesFragment,
} from '../../src/explorer/stats/insights.ts'
import { listEpochs, readEpochStatus, readTokenomics } from '../../src/explorer/staking/epochs.ts'
import { listHourlyPrices, readLatestPrice, readLatestPrices, readPriceAt } from '../../src/explorer/tokens/prices.ts'
import { readChainNumbers, readPeriods } from '../../src/explorer/stats/routes.ts'
import { setCoverage } from '../../src/farm/farm-tables.test-support.ts'
import { ensurePartitions } from '../../src/platform/db/partitions.ts'
import { storeBlocks } from '../support/chain-rows.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { queryPlans } from '../support/query-plans.ts'
import type { QueryPlans } from '../support/query-plans.ts'

const flow = 'A.1654653399040a61.FlowToken'
const highest = 400_000
/** From 2019 to 2024. */
const allDays = 2192
const bounds = { min: 100, max: highest }

/**
 * Six years of hours, two months of activity, three months of prices of 20 tokens every 15 minutes,
 * 40,000 big transfers.
 */
const rows = `
  insert into app.hourly_stats
  select d::date, h, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9
  from generate_series(date '2019-01-01', date '2024-12-31', '1 day') as d, generate_series(0, 23) as h;
  insert into app.daily_account_counts
  select d::date, 9 from generate_series(date '2019-01-01', date '2024-12-31', '1 day') as d;
  insert into app.daily_analytics
  select d::date, 9, 9, 9, 9, 9, 9, 9, 9 from generate_series(date '2019-01-01', date '2024-12-31', '1 day') as d;
  insert into app.daily_actor_counts
  select d::date, kind, 9
  from generate_series(date '2019-01-01', date '2024-12-31', '1 day') as d, (values ('evm'), ('trader')) as k (kind);
  insert into app.hourly_activity
  select kind, t::date, extract(hour from t), '${flow}' || n, n, n
  from generate_series(timestamp '2024-11-01', timestamp '2024-12-31 23:00', '1 hour') as t,
    (values ('contract', 30), ('token', 15), ('collection', 30)) as k (kind, names), generate_series(1, names) as n;
  insert into app.prices
  select '${flow}' || n, 'USD', t, n, 'S' || n
  from generate_series('2024-10-01Z'::timestamptz, '2024-12-31T23:59Z', '15 minutes') as t, generate_series(1, 20) as n;
  insert into app.epoch_stats (epoch, start_height, start_time, end_height, end_time, total_staked, payout_total)
  select n, n * 1000, '2019-01-01Z'::timestamptz + n * interval '7 days', case when n < 310 then n * 1000 + 999 end,
    case when n < 310 then '2019-01-08Z'::timestamptz + n * interval '7 days' end, 5, 5
  from generate_series(1, 310) as n;
  insert into app.big_transfers
  select h, 0, 1, 0, date '2024-12-31' - ((${highest} - h) / 10000)::int, '${flow}' || h / 10 % 20 + 1, h % 97 + 1000
  from generate_series(10, ${highest}, 10) as h;
  insert into app.ft_transfers
  select block_height, tx_index, event_index, leg, token, null, null, amount, 'transfer' from app.big_transfers;
  insert into raw.transactions
  select block_height, null, 9, 9, 0, 0, null, 1, 0, false, id, 'SEALED', null, null, '{}', null, script_hash, null, null, null
  from app.big_transfers, (select id, script_hash from raw.transactions limit 1) as one
  where block_height > 400;
  insert into raw.blocks
  select block_height, id, parent_id, '2024-12-31T23:00Z', 1, 1, 1, '{}'
  from app.big_transfers, (select id, parent_id from raw.blocks limit 1) as one
  where block_height > 400;`

describe('query plans of statistics', () => {
  let database: TestDatabase
  let plans: QueryPlans

  before(async () => {
    database = await createTestDatabase()
    await storeBlocks(database.pool, 100, 400, { partitionStep: 50_000 })
    for (const table of [
      'app.ft_transfers',
      'app.big_transfers',
      'raw.blocks',
      'raw.transactions',
      'app.defi_events',
    ]) {
      await ensurePartitions(database.pool, table, 50_000, { from: 0, to: highest + 1 })
    }
    await setCoverage(database.pool, { staking_worker: [{ from: 0, to: highest + 1 }] })
    await database.pool.query(`${rows} analyze`)
    plans = await queryPlans(database)
  })

  after(async () => {
    await plans.end()
    await database.drop()
  })

  const day = { from: '2024-12-31', to: '2024-12-31' }
  const quarter = { from: '2024-10-03', to: '2024-12-31' }
  const longAgo = { from: '2019-02-01', to: '2019-05-01' }
  const since = { day: '2024-12-31', hour: 0 }
  const selection = { minUsd: '0', types: undefined, flowToken: flow }
  const middle = { height: 200_000, txIndex: 0, eventIndex: 0, leg: 0 }
  type Case = readonly [name: string, maxRows: number, query: (database: DatabasePool) => Promise<unknown>]
  const cases: readonly Case[] = [
    ['the ends of the days', 2, (pool) => readIndexedDays(pool)],
    // 24 hours, one or two rows of each other table, the epochs, and possibly the account counts of
    // all days.
    ['the numbers of a day', 24 * 2 + 4 + 310, (pool) => readDailyNumbers(pool, day)],
    ['the numbers of 90 days', 90 * 28 + 310 + allDays, (pool) => readDailyNumbers(pool, quarter)],
    ['the numbers of 90 days long ago', 90 * 28 + 310 + allDays, (pool) => readDailyNumbers(pool, longAgo)],
    ['the transfers of 90 days', 90 * 24, (pool) => readDailyTransfers(pool, longAgo)],
    ['the hours of a day', 24 + 1, (pool) => readPeriods(pool, 'hourly', day)],
    ['the weeks of 90 days', 104 * 25, (pool) => readPeriods(pool, 'weekly', longAgo)],
    ['a metric of 90 days', 90 * 24, (pool) => pool.any(sql.unsafe`${seriesFragment(['fees'], { days: longAgo })}`)],
    [
      'a metric of one table of days',
      90,
      (pool) => pool.any(sql.unsafe`${seriesFragment(['active_accounts'], { days: longAgo })}`),
    ],
    // The newest day, which bounds both ends, and 24 hours and a price for each day.
    [
      'a metric of a token over 60 days',
      2 + 60 * 25,
      (pool) => pool.any(sql.unsafe`${seriesFragment(['token_usd_volume'], { days: { last: 60 }, key: `${flow}7` })}`),
    ],
    ['what is stored', 3, (pool) => readChainNumbers(pool)],
    ['the contracts of a day', 24 * 30, (pool) => listBusyContracts(pool, since, 10)],
    ['the contracts of 30 days', 720 * 30, (pool) => listBusyContracts(pool, { day: '2024-12-02', hour: 0 }, 10)],
    ['the tokens of a day', 24 * 15 + 15, (pool) => listTokenVolumes(pool, since, 10)],
    ['the state of the epoch', 315, (pool) => readEpochStatus(pool)],
    ['a page of epochs', 45, (pool) => listEpochs(pool, 200, 21)],
    ['what stake earns', 315, (pool) => readTokenomics(pool)],
    ['the newest price', 3, (pool) => readLatestPrice(pool, 'mainnet', `${flow}7`)],
    ['the price at a time', 3, (pool) => readPriceAt(pool, `${flow}7`, '2024-11-11T11:11:11Z')],
    [
      'a week of prices',
      169,
      (pool) => listHourlyPrices(pool, `${flow}7`, { before: '2024-12-01', from: '-infinity' }, 169),
    ],
    ['the newest prices', 21, (pool) => readLatestPrices(pool)],
  ]

  for (const [name, max, query] of cases) {
    it(`read few rows for ${name}`, async () => {
      const { rowsTouched } = await plans.of(query)
      expect(rowsTouched).to.be.at.most(max)
    })
  }

  it('examine a bounded number of big transfers per page at every depth', async () => {
    for (const before of [undefined, middle]) {
      const few = await plans.of((pool) => listBigTransfers(pool, bounds, before, selection, 51))
      // Each costs a block, a price, the transfer, its transaction and the first price of the feed.
      expect(few.rowsTouched).to.be.at.most(51 * 6)
      expect(few.rowsSorted).to.deep.equal([])
      const none = await plans.of((pool) =>
        listBigTransfers(pool, bounds, before, { ...selection, types: ['mint'] }, 51),
      )
      expect(none.rowsTouched).to.be.at.most(5000 * 5)
    }
  })
})
