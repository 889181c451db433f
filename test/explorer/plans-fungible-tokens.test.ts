import { expect } from 'chai'
import type { DatabasePool } from 'slonik'
import { readPortfolioDays, readPortfolioValue } from '../../src/explorer/accounts/portfolio.ts'
import {
  readBalanceHistory,
  listFtHoldings,
  listVaults,
  readVault,
  listFungibleTokens,
} from '../../src/explorer/tokens/queries.ts'
import { readDailyPrices } from '../../src/explorer/tokens/prices.ts'
import { listFtTransfers } from '../../src/explorer/tokens/transfers.ts'
import type { FungibleTokenSort } from '../../src/explorer/tokens/queries.ts'
import { readHeightsOf } from '../../src/explorer/paging/bounds.ts'
import { ensurePartitions } from '../../src/platform/db/partitions.ts'
import { createReadPool } from '../../src/platform/db/slonik.ts'
import { storeBlocks } from '../support/chain-rows.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { queryPlans } from '../support/query-plans.ts'
import type { QueryPlans } from '../support/query-plans.ts'

const token = 'A.0000000000000001.Common'
const account = '0x00000000000000b0'
const bounds = { min: 100, max: 399 }
/** Tokens in the catalogue, holders of one token, tokens of one holder, days of both, prices. */
const tokens = 2000
const holders = 20_000

const hoursAgo = (hours: number): string => new Date(Date.now() - hours * 3_600_000).toISOString()

describe('query plans of fungible tokens', () => {
  let database: TestDatabase
  let reads: DatabasePool
  let plans: QueryPlans

  before(async () => {
    database = await createTestDatabase()
    const { pool } = database
    await storeBlocks(pool, bounds.min, bounds.max, { partitionStep: 50 })
    await ensurePartitions(pool, 'app.ft_transfers', 50, { from: 100, to: 400 })
    const names = `(select 'A.' || lpad(to_hex(n), 16, '0') || '.T' as token, n from generate_series(1, ${tokens}) as n) as t`
    await pool.query(`
      insert into app.ft_transfers
      select h, 0, i, 0, '${token}', '${account}', '0x' || lpad(to_hex(i), 16, '0'), 1, 'transfer'
      from generate_series(100, 399) as h, generate_series(0, 9) as i;
      insert into app.ft_holdings (address, token, vault_balance, vault_count, vault_rows, change_balance, history_rows)
      select '0x' || lpad(to_hex(n), 16, '0'), '${token}', 1, 1, 1, 0, 1 from generate_series(1000, ${holders + 999}) as n;
      insert into app.ft_holdings (address, token, vault_balance, vault_count, vault_rows, change_balance, history_rows)
      select '${account}', token, n, 1, 1, 0, 1 from ${names};
      insert into app.ft_tokens select token, n from ${names};
      insert into app.ft_token_totals select token, n % 10, 0, 0 from ${names};
      insert into app.ft_token_holders select token, n % 10 + 1 from ${names};
      insert into app.daily_balance_changes
      select '${account}', t.token, date '2020-01-01' + day, 1, 1 from ${names}, generate_series(0, 99) as day where n <= 200;
      insert into app.prices
      select '${token}', 'USD', now() - i * interval '10 minutes', 1, 'X' from generate_series(0, 20000) as i;
      update raw.blocks set timestamp = now() - (399 - height) * interval '1 hour';
      analyze`)
    reads = await createReadPool({ url: database.url })
    plans = await queryPlans(database)
  })

  after(async () => {
    await plans.end()
    await reads.end()
    await database.drop()
  })

  const last = `0x${(holders + 900).toString(16).padStart(16, '0')}`
  const cases: ReadonlyArray<
    readonly [name: string, maxRows: number, query: (pool: DatabasePool) => Promise<unknown>]
  > = [
    ['the first holders', 50, (pool) => listFtHoldings(pool, token, undefined, 21)],
    [
      'the last of very many holders that have the same',
      50,
      (pool) => listFtHoldings(pool, token, { count: '1', key: last }, 21),
    ],
    [
      'the last tokens of an account with very many',
      21 * 5,
      (pool) => listVaults(pool, account, 'A.00000000000007a0.T', 21),
    ],
    ['one vault', 5, (pool) => readVault(pool, account, 'A.00000000000007a0.T')],
    [
      'a month of balances',
      60,
      (pool) =>
        readBalanceHistory(
          pool,
          account,
          'A.0000000000000064.T',
          { days: { from: '2020-01-01', to: '2020-04-09' }, newest: 399 },
          30,
        ),
    ],
    ['the value of an account with very many tokens', tokens * 12, (pool) => readPortfolioValue(pool, account)],
    [
      'a month of the value of an account',
      400,
      (pool) =>
        readPortfolioDays(
          pool,
          account,
          ['A.0000000000000064.T', token],
          { days: { from: '2020-01-01', to: '2020-04-09' }, newest: 399 },
          30,
        ),
    ],
    ['prices by day, however many a day has', 80, (pool) => readDailyPrices(pool, 30)],
    ['the heights of a time', 40, (pool) => readHeightsOf(pool, bounds, { from: hoursAgo(199), to: hoursAgo(99) })],
  ]

  for (const [name, max, query] of cases) {
    it(`read few rows for ${name}`, async () => {
      const { rowsTouched } = await plans.of(query)
      expect(rowsTouched).to.be.at.most(max)
    })
  }

  it('read one price per transfer', async () => {
    const { nodes } = await plans.of((pool) => listFtTransfers(pool, bounds, { address: account }, undefined, 21))
    const prices = nodes.filter((node) => node['Relation Name'] === 'prices')
    expect(prices.map((node) => [node['Actual Rows'], node['Actual Loops']])).to.deep.equal([[1, 21]])
  })

  for (const sort of ['transfers', 'newest'] as const satisfies readonly FungibleTokenSort[]) {
    it(`read few rows for tokens by ${sort}`, async () => {
      const list = (pool: DatabasePool): Promise<unknown> =>
        listFungibleTokens(pool, {
          sort,
          search: undefined,
          filters: [],
          after: { count: 5, key: 'A.0000000000000100.T' },
          limit: 21,
        })
      const { rowsTouched } = await plans.of(list)
      expect(rowsTouched).to.be.at.most(21 * 10)
    })
  }
})
