import { expect } from 'chai'
import type pg from 'pg'
import { defiWorker } from '../../jobs/defi-worker.ts'
import { stakingWorker } from '../../jobs/staking-worker.ts'
import { ensurePartitions } from '../../src/platform/db/partitions.ts'
import { findFoldDebts, foldRange } from '../../src/farm/commit/folds.ts'
import type { RunFolds } from '../../src/farm/commit/folds.ts'
import { runBatch } from '../../src/platform/db/statement-batch.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { explain, flattenPlan, largeTables, pagesOf, fullScans, recordStatements } from '../support/explain.ts'

const weeks = 80
const week = 600_000
const delegators = 400
const swaps = 40_000
const spacing = 1200
const end = weeks * week
const node = '7'.repeat(64)
const pair = 'A.00000000000000d1.SwapPair'

/** A node with many delegators paid weekly, and a pair with a swap every few minutes. */
const history = `
  insert into app.epoch_events (block_height, tx_index, event_index, event_type, epoch, block_time)
  select w * ${week}, 0, i, t, w + (i / 2), now()
  from generate_series(0, ${weeks - 1}) w,
    unnest(array['EpochStart', 'NewEpoch', 'EpochSetup', 'EpochTotalRewardsPaid']) with ordinality as types (t, i);
  insert into app.epoch_nodes
  select w * ${week} + 1, 0, 1, case when n = 0 then '${node}' else lpad(n::text, 64, '0') end, w + 1, 1, 'a.org:1',
    100, 0, n, 0, 0, 0, 0, 0
  from generate_series(0, ${weeks - 1}) w, generate_series(0, 49) n;
  insert into app.staking_events
    (block_height, tx_index, event_index, event_type, node_id, delegator_id, from_bucket, to_bucket, amount)
  select w * ${week}, 0, d, case when d = 0 then 'RewardsPaid' else 'DelegatorRewardsPaid' end, '${node}', d, null,
    'rewarded', 1.00000000
  from generate_series(0, ${weeks - 1}) w, generate_series(0, ${delegators}) d
  union all
  select w * ${week} + 5, 1, d, 'DelegatorTokensCommitted', '${node}', d, null, 'committed', 1.00000000
  from generate_series(0, ${weeks - 1}) w, generate_series(1, 20) d
  union all
  select d, 2, 0, 'NewDelegatorCreated', '${node}', d, null, null, null from generate_series(1, ${delegators}) d;
  insert into app.staking_events
    (block_height, tx_index, event_index, event_type, node_id, delegator_id, from_bucket, to_bucket, amount)
  values (${end - 1}, 0, 0, 'DelegatorTokensCommitted', '${node}', 3, null, 'committed', 1.00000000);
  insert into app.staking_sums
  select node_id, delegator_id, 0, 0, 0, 0, sum(amount), count(*), 0 from app.staking_events group by 1, 2;
  insert into app.staking_delegators
  select node_id, delegator_id, 0, 0, 0, 0, rewarded, 0, 1, 0, null, 1, true from app.staking_sums where delegator_id > 0;
  insert into app.staking_delegators
  select lpad(n::text, 64, '0'), 1, 0, n, 0, 0, 0, 0, 1, 0, null, 1, true from generate_series(1, 3000) n;
  insert into app.staking_nodes
  select lpad(n::text, 64, '0'), 1, 1, 'a.org:1', 100, 0, n, 0, 0, 0, 0, 0, 1, 0, null, 1, true
  from generate_series(1, 2000) n;
  insert into app.epoch_stats (epoch) select e from generate_series(1, 2000) e;
  insert into app.defi_events
  select i * ${spacing}, 0, 0, '${pair}', case when i % 5000 = 0 then 'AddLiquidity' else 'Swap' end, null, 'A.1',
    'A.2', 1, null, null, 2, null, 2, '2026-01-01'::date + i / 70
  from generate_series(0, ${swaps - 1}) i;
  insert into app.defi_pair_days
  select pair, day, count(*), sum(asset0_in), sum(asset1_out) from app.defi_events group by 1, 2;
  insert into app.defi_pairs
  select 'A.' || i || '.SwapPair', 'incrementfi', '0x1', 'A.1', 'A.2', null, null, null, null, 1, i, 0, 0
  from generate_series(1, 2000) i`

describe('stakes and pairs with a long history', () => {
  let database: TestDatabase
  let client: pg.PoolClient
  /** Tables and partitions that must not be scanned as a whole. */
  let large: ReadonlySet<string>

  before(async () => {
    database = await createTestDatabase()
    await ensurePartitions(database.pool, 'app.defi_events', 1_000_000, { from: 0, to: end })
    await database.pool.query(history)
    await database.pool.query('vacuum analyze')
    large = await largeTables(database.pool)
    client = await database.pool.connect()
    await client.query('begin')
  })

  after(async () => {
    await client.query('rollback')
    client.release()
    await database.drop()
  })

  it('are folded without reading unchanged rows', async () => {
    const { client: recording, statements } = recordStatements(client)
    const run: RunFolds = (batch) => runBatch(recording, batch)
    for (const worker of [stakingWorker, defiWorker]) {
      const range = { from: end - spacing, to: end }
      await foldRange(run, [worker], range, await findFoldDebts(run, [worker], range))
    }
    expect(statements.length).to.be.greaterThan(10)
    for (const statement of statements) {
      await client.query('savepoint folded')
      const plan = await explain(client, statement, 'analyze, buffers')
      await client.query('rollback to folded')
      const place = statement.text.trim().slice(0, 200)
      expect(fullScans(plan, large), place).to.deep.equal([])
      expect(pagesOf(plan), place).to.be.lessThan(200)
    }
  })

  const byPosition = 'block_height desc, tx_index desc, event_index desc'
  const byLatest = 'last_height desc, last_tx_index desc, last_event_index desc, pair desc'
  const isLiquidity = `event_type = 'AddLiquidity' and event_type <> 'Swap'`
  const ofEpoch = `epoch = 7 and block_height = ${6 * week + 1}`
  const lists: ReadonlyArray<readonly [what: string, table: string, where: string, order: string]> = [
    ['nodes', 'app.staking_nodes', 'tokens_staked < 1000', 'tokens_staked desc, node_id desc'],
    ['delegators', 'app.staking_delegators', 'true', 'tokens_staked desc, node_id desc, delegator_id desc'],
    ['delegators of a node', 'app.staking_delegators', `node_id = '${node}'`, 'tokens_staked desc, delegator_id desc'],
    ['nodes of an epoch', 'app.epoch_nodes', ofEpoch, 'tokens_staked desc, node_id desc'],
    ['epochs', 'app.epoch_stats', 'true', 'epoch desc'],
    ['events of a node', 'app.staking_events', `node_id = '${node}'`, byPosition],
    ['events of a delegator', 'app.staking_events', `node_id = '${node}' and delegator_id = 7`, byPosition],
    ['rewards', 'app.staking_events', `event_type in ('RewardsPaid', 'DelegatorRewardsPaid')`, byPosition],
    ['rewards of nodes', 'app.staking_events', `event_type = 'RewardsPaid'`, byPosition],
    ['stakes', 'app.staking_events', `event_type in ('TokensStaked', 'DelegatorTokensStaked')`, byPosition],
    ['pairs', 'app.defi_pairs', 'true', byLatest],
    ['pairs of an exchange', 'app.defi_pairs', `dex = 'incrementfi'`, byLatest],
    ['what exchanges did', 'app.defi_events', `block_height < ${end - week}`, byPosition],
    ['what a pair did', 'app.defi_events', `pair = '${pair}'`, byPosition],
    ['swaps of a pair', 'app.defi_events', `pair = '${pair}' and event_type = 'Swap'`, byPosition],
    ['liquidity of a pair', 'app.defi_events', `pair = '${pair}' and ${isLiquidity}`, byPosition],
    ['liquidity', 'app.defi_events', isLiquidity, byPosition],
    ['days of a pair', 'app.defi_pair_days', `pair = '${pair}'`, 'day desc'],
  ]

  for (const [what, table, where, order] of lists) {
    it(`list ${what} in order, without sorting`, async () => {
      const text = `select * from ${table} where ${where} order by ${order} limit 20`
      const plan = await explain(client, { text, values: [] }, 'analyze, buffers')
      expect(fullScans(plan, large)).to.deep.equal([])
      expect(flattenPlan(plan).map((one) => one['Node Type'])).to.not.include('Sort')
      expect(pagesOf(plan)).to.be.lessThan(100)
    })
  }
})
