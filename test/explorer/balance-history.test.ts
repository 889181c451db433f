import { expect } from 'chai'
import type { Portfolio } from '../../src/explorer/accounts/portfolio.ts'
import { ensurePartitions } from '../../src/platform/db/partitions.ts'
import { storeBlocks } from '../support/chain-rows.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { runApi } from '../support/running-api.ts'
import type { RunningApi } from '../support/running-api.ts'

const account = '0x00000000000000b0'
const other = '0x00000000000000c0'
const flow = 'A.1654653399040a61.FlowToken'
/** One token of each kind arrives and leaves in each block from 2000 to 2010, four blocks a day. */
const [first, last] = [2000, 2010]

describe('daily balances', () => {
  let database: TestDatabase
  let api: RunningApi

  before(async () => {
    database = await createTestDatabase()
    const { pool } = database
    await storeBlocks(pool, 100, 103)
    await storeBlocks(pool, first, last)
    await ensurePartitions(pool, 'app.ft_transfers', 1_000_000, { from: 0, to: last + 1 })
    await pool.query(`
      update raw.blocks set timestamp = '2025-03-01T00:00:00Z'::timestamptz + (height - ${first}) * interval '6 hours';
      insert into app.ft_transfers
      select h, 0, 1, 0, '${flow}', '${other}', '${account}', h - 1990, 'transfer' from generate_series(${first}, ${last}) as h;
      insert into app.ft_transfers
      select h, 0, 2, 0, '${flow}', '${account}', null, 1, 'fee' from generate_series(${first}, ${last}) as h;
      insert into app.ft_transfers
      select h, 0, 3, 0, '${flow}', '${account}', '${account}', 5, 'transfer' from generate_series(${first}, ${last}) as h;
      insert into app.ft_tokens values ('${flow}', 100)`)
    api = await runApi(database.url)
  })

  after(async () => {
    await api.stop()
    await database.drop()
  })

  const gained = (low: number, high: number): number =>
    Array.from({ length: Math.max(0, high - low) }, (_, i) => low + i - 1991).reduce((sum, gain) => sum + gain, 0)

  /** Effects of both workers on the heights `[from, to)`, starting with a balance of 100. */
  async function derive(
    balances: readonly (readonly [number, number])[],
    changes: readonly (readonly [number, number])[],
  ): Promise<void> {
    const holding = balances.reduce(
      (sum, [from, to]) => sum + gained(Math.max(from, first), Math.min(to, last + 1)),
      100,
    )
    const covered = (ranges: readonly (readonly [number, number])[]): string =>
      `{${ranges.map(([from, to]) => `[${from},${to})`).join(',')}}`
    await database.pool.query(`
      delete from app.daily_balance_changes;
      delete from app.ft_holdings;
      delete from app.indexing_checkpoints where service_name in ('daily_balance_worker', 'ft_holdings_worker');
      insert into app.ft_holdings (address, token, vault_balance, vault_count, vault_rows, change_balance, history_rows)
      values ('${account}', '${flow}', ${holding}, 1, 1, 0, 1);
      insert into app.indexing_checkpoints (service_name, last_height, covered) values
        ('ft_holdings_worker', 0, '${covered(balances)}'), ('daily_balance_worker', 0, '${covered(changes)}');
      insert into app.daily_balance_changes
      select '${account}', '${flow}', (timestamp at time zone 'UTC')::date, sum(height - 1991), count(*) from raw.blocks
      where height >= ${first} and '${covered(changes)}'::int8multirange @> height group by 3`)
  }

  async function points(days: number): Promise<(readonly [string, number | null])[]> {
    const { data } = await api.json<{ data: { date: string; balance: string | null }[] }>(
      `/flow/account/${account}/balance/history?days=${days}`,
    )
    return data.map(({ date, balance }) => [date, balance === null ? null : Number(balance)])
  }

  const ends = [100, 100 + gained(2000, 2004), 100 + gained(2000, 2008), 100 + gained(2000, 2011)]
  const whole: readonly (readonly [number, number])[] = [[0, last + 1]]

  it('are the current balance minus later changes', async () => {
    await derive(whole, whole)
    expect(await points(4)).to.deep.equal([
      ['2025-02-28', ends[0]],
      ['2025-03-01', ends[1]],
      ['2025-03-02', ends[2]],
      ['2025-03-03', ends[3]],
    ])
  })

  it('are valued at the last price of each day', async () => {
    await derive(whole, whole)
    await database.pool.query(`
      insert into app.ft_holdings (address, token, vault_balance, vault_count, vault_rows, change_balance, history_rows)
      values ('${account}', 'A.0000000000000001.Moss', 3, 1, 1, 0, 1);
      insert into app.prices values
        ('${flow}', 'USD', '2025-03-01T10:00:00Z', 0.50, 'FLOW'), ('${flow}', 'USD', '2025-03-03T09:00:00Z', 0.25, 'FLOW'),
        ('${flow}', 'USD', now() - interval '1 hour', 0.40, 'FLOW'), ('${flow}', 'EUR', now(), 9, 'FLOW')`)
    const { data } = await api.json<{ data: Portfolio[] }>(`/flow/account/${account}/portfolio?days=4`)
    expect(Number(data[0]?.usd_value)).to.be.closeTo(0.4 * (ends[3] ?? 0), 1e-9)
    expect(data[0]).to.deep.include({ address: account, priced_count: 1, unpriced_count: 1 })
    expect(
      data[0]?.days.map(({ date, usd_value, is_complete }) => [date, usd_value && Number(usd_value), is_complete]),
    ).to.deep.equal([
      ['2025-02-28', null, false],
      ['2025-03-01', (ends[1] ?? 0) * 0.5, true],
      ['2025-03-02', (ends[2] ?? 0) * 0.5, true],
      ['2025-03-03', (ends[3] ?? 0) * 0.25, true],
    ])
    await database.pool.query('delete from app.prices')
    const without = await api.json<{ data: Portfolio[] }>(`/flow/account/${account}/portfolio?days=4`)
    expect(without.data).to.deep.equal([
      { address: account, usd_value: null, as_of: null, priced_count: 0, unpriced_count: 2, days: [] },
    ])
    expect((await api.get('/flow/account/0x00000000000000ff/portfolio')).status).to.equal(404)
  })

  it('count the transfers with each counterparty, without fees', async () => {
    await database.pool.query(`insert into app.account_labels values ('${other}', 'shop', 'The Shop', 'custom')`)
    const list = await api.json<{ data: unknown[]; _meta: unknown }>(`/flow/account/${account}/counterparty`)
    expect(list.data).to.deep.equal([
      {
        address: other,
        label: 'The Shop',
        sent_count: 0,
        received_count: 11,
        last_height: last,
        timestamp: '2025-03-03T12:00:00.000Z',
      },
    ])
    expect(list._meta).to.deep.equal({ limit: 20, count: 1, transfer_count: 22, is_complete: true })
  })

  it('are stable while changes lag behind balances, with gaps', async () => {
    await derive(whole, [
      [0, 2003],
      [2005, 2007],
    ])
    expect((await points(4)).map(([, balance]) => balance)).to.deep.equal(ends)
  })

  it('are stable while balances lag behind changes', async () => {
    await derive([[0, 2009]], whole)
    const lag = gained(2009, 2011)
    expect((await points(4)).map(([, balance]) => balance)).to.deep.equal([
      ends[0],
      ends[1],
      ends[2],
      (ends[3] ?? 0) - lag,
    ])
  })

  it('are null for days before missing blocks', async () => {
    await derive(
      [
        [100, 104],
        [2002, 2011],
      ],
      [
        [100, 104],
        [2002, 2011],
      ],
    )
    expect((await points(4)).map(([date, balance]) => [date, balance === null])).to.deep.equal([
      ['2025-02-28', true],
      ['2025-03-01', false],
      ['2025-03-02', false],
      ['2025-03-03', false],
    ])
  })
})
