import { expect } from 'chai'
import { allEnrichmentWorkers } from '../../jobs/enrichment/index.ts'
import { workers } from '../../jobs/index.ts'
import { derivingWorkers, enrichmentWorkers, otherEnrichmentWorkers } from '../../jobs/worker-names.ts'
import type { IndexingStatus } from '../../src/explorer/status/schema.ts'
import { createStatusReader, statusSettings } from '../../src/explorer/status/queries.ts'
import { readConfig } from '../../src/config.ts'
import { addLeases, setCoverage } from '../../src/farm/farm-tables.test-support.ts'
import { rollBack, storeBlocks, timestampAt } from '../support/chain-rows.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { queryPlans } from '../support/query-plans.ts'
import { runApi } from '../support/running-api.ts'
import type { RunningApi } from '../support/running-api.ts'

describe('the indexing status', () => {
  let database: TestDatabase
  let api: RunningApi
  let latestHeight: number | undefined

  before(async () => {
    database = await createTestDatabase()
    api = await runApi(database.url, { latestHeight: () => latestHeight })
  })

  after(async () => {
    await api.stop()
    await database.drop()
  })

  const status = async (query = ''): Promise<IndexingStatus> => api.json<IndexingStatus>(`/status${query}`)

  it('is complete without stored data', async () => {
    expect(await status('?include_ranges=true')).to.deep.include({
      chain_id: 'flow-mainnet',
      latest_height: 0,
      indexed_height: 0,
      history_height: 0,
      min_height: 0,
      max_height: 0,
      total_blocks: 0,
      total_transactions: 0,
      total_events: 0,
      total_addresses: 0,
      total_contracts: 0,
      progress: '0.00%',
      behind: 0,
      status: 'ok',
      checkpoints: {},
      checkpoint_timestamps: {},
      oldest_block_timestamp: null,
      indexed_ranges: [],
      forward_enabled: true,
      history_enabled: true,
      error_summary: { unresolved_errors: 0, dead_leases: 0, errors_by_worker: {}, dead_leases_by_worker: {} },
    })
  })

  it('counts exactly over both ingesters', async () => {
    latestHeight = 400
    const blocks = [
      ...(await storeBlocks(database.pool, 200, 300)),
      ...(await storeBlocks(database.pool, 190, 199, { ingester: 'history_ingester' })),
      ...(await storeBlocks(database.pool, 180, 189, { ingester: 'history_ingester' })),
    ]
    const transactions = blocks.flatMap((block) => block.transactions)
    const now = await status()
    expect(now).to.deep.include({
      latest_height: 400,
      indexed_height: 300,
      history_height: 180,
      min_height: 180,
      max_height: 300,
      behind: 100,
      total_blocks: 121,
      total_transactions: transactions.length,
      total_events: transactions.flatMap(({ events }) => events).length,
      start_height: 180,
      progress: '54.54%',
      oldest_block_timestamp: timestampAt(180),
      checkpoints: { main_ingester: 300, history_ingester: 180 },
    })
    expect(now).to.not.have.property('indexed_ranges')
    expect(now.checkpoint_timestamps).to.have.all.keys('main_ingester', 'history_ingester')
  })

  it('lists ingesters and workers with their settings', () => {
    const settings = statusSettings(
      readConfig(
        {
          ENABLE_HISTORY_INGESTER: 'false',
          LATEST_WORKER_COUNT: '7',
          ENABLE_ACCOUNTS_WORKER: 'false',
          TOKEN_CONCURRENCY: '3',
          ACCOUNTS_WORKER_RANGE: '50',
        },
        {},
      ),
    )
    expect(settings.workerEnabled).to.include({
      main_ingester: true,
      history_ingester: false,
      token_worker: true,
      accounts_worker: false,
    })
    expect(Object.keys(settings.workerEnabled)).to.have.length(
      2 + [...derivingWorkers, ...enrichmentWorkers, ...otherEnrichmentWorkers].length,
    )
    expect(settings.workerConfig).to.deep.include({
      main_ingester: { workers: 7, batch_size: null },
      history_ingester: { workers: null, batch_size: null },
      token_worker: { concurrency: 3, range: 1000 },
      accounts_worker: { concurrency: 1, range: 50 },
    })
  })

  it('reports only existing workers as enabled, and none with RAW_ONLY', () => {
    const built = [...workers, ...allEnrichmentWorkers].map(({ name }) => name)
    const on = (variables: Record<string, string>): string[] =>
      Object.entries(statusSettings(readConfig(variables, {})).workerEnabled)
        .filter(([, isOn]) => isOn)
        .map(([name]) => name)
    expect(on({})).to.have.members(['main_ingester', 'history_ingester', ...built])
    expect(on({ RAW_ONLY: 'true' })).to.have.members(['main_ingester', 'history_ingester'])
    expect(Object.keys(statusSettings(readConfig({}, {})).workerConfig)).to.have.members([
      'main_ingester',
      'history_ingester',
      ...built,
    ])
  })

  it('lists exact stored ranges on request', async () => {
    await storeBlocks(database.pool, 310, 310)
    for (const flag of ['true', '1']) {
      const { indexed_ranges: ranges } = await status(`?include_ranges=${flag}`)
      expect(ranges).to.deep.equal([
        { from: 180, to: 300 },
        { from: 310, to: 310 },
      ])
    }
    for (const flag of ['false', '0']) {
      expect(await status(`?include_ranges=${flag}`)).to.not.have.property('indexed_ranges')
    }
    expect((await api.get('/status?include_ranges=yes')).status).to.equal(400)
  })

  it('follows a reorg', async () => {
    await rollBack(database.pool, 298)
    expect(await status()).to.include({ max_height: 297, indexed_height: 297, total_blocks: 118 })
  })

  it('reports 100.00% only at the head', async () => {
    await storeBlocks(database.pool, 298, 400)
    latestHeight = 401
    const almost = await status()
    expect(almost).to.include({ behind: 1 })
    expect(almost.progress).to.match(/^99\.\d\d%$/)
    latestHeight = 400
    expect(await status()).to.include({ behind: 0, progress: '100.00%' })
    latestHeight = undefined
    expect(await status()).to.include({ latest_height: 400 })
  })

  it('counts undecodable inputs', async () => {
    await database.pool.query(`
      insert into raw.indexing_errors (worker_name, block_height, code, message, resolved_at) values
        ('main_ingester', 200, 'bad-ccf', 'x', null), ('main_ingester', 201, 'bad-ccf', 'x', null),
        ('token_worker', 202, 'x', 'x', null), ('token_worker', 203, 'x', 'x', now())
    `)
    expect((await status()).error_summary).to.deep.include({
      unresolved_errors: 3,
      errors_by_worker: { main_ingester: 2, token_worker: 1 },
    })
  })

  it('counts flagged leases', async () => {
    await addLeases(database.pool, [
      { worker: 'token_worker', from: 300, to: 301, status: 'flagged', attempt: 21 },
      { worker: 'token_worker', from: 301, to: 302, status: 'flagged', attempt: 21 },
      { worker: 'accounts_worker', from: 300, to: 301, status: 'flagged', attempt: 21 },
      { worker: 'accounts_worker', from: 301, to: 302, status: 'failed', attempt: 20 },
    ])
    expect((await status()).error_summary).to.deep.include({
      dead_leases: 3,
      dead_leases_by_worker: { token_worker: 2, accounts_worker: 1 },
    })
  })

  it('reports worker heights up to the first gap, including done leases', async () => {
    await setCoverage(database.pool, {
      token_worker: [
        { from: 180, to: 200 },
        { from: 250, to: 300 },
      ],
      accounts_worker: [],
    })
    await addLeases(database.pool, [
      { worker: 'token_worker', from: 200, to: 210, status: 'done' },
      { worker: 'token_worker', from: 211, to: 220, status: 'done' },
    ])
    const { checkpoints, checkpoint_timestamps: timestamps } = await status()
    expect(checkpoints).to.include({ token_worker: 209 }).and.not.have.property('accounts_worker')
    expect(timestamps).to.include.keys('token_worker', 'accounts_worker')
  })

  it('counts accounts', async () => {
    await database.pool.query(`
      insert into app.accounts (address, first_seen_height, last_seen_height) select '0x' || lpad(to_hex(n), 16, '0'), 1, 1 from generate_series(1, 300) n`)
    expect(await status()).to.include({ total_addresses: 300, total_contracts: 0 })
    await database.pool.query(`
      insert into app.accounts (address, first_seen_height, last_seen_height) select '0x' || lpad(to_hex(n), 16, '0'), 1, 1 from generate_series(301, 12000) n`)
    expect((await status()).total_addresses).to.be.within(10_001, 12_000)
    await database.pool.query('analyze app.accounts')
    expect(await status()).to.include({ total_addresses: 12_000 })
  })

  it('reads none of many accounts to estimate their number', async () => {
    await database.pool.query(`
      insert into app.accounts (address, first_seen_height, last_seen_height) select '0x' || lpad(to_hex(n), 16, '0'), 1, 1 from generate_series(12001, 30000) n`)
    await database.pool.query('analyze app.accounts')
    expect(await status()).to.include({ total_addresses: 30_000 })
    const read = createStatusReader({
      settings: statusSettings(readConfig({}, {})),
      chainId: () => '',
      latestHeight: () => undefined,
    })
    const plans = await queryPlans(database)
    try {
      const { rowsTouched } = await plans.of((pool) => read(pool, { includeRanges: false }))
      expect(rowsTouched).to.be.below(1000)
    } finally {
      await plans.end()
    }
  })

  it('counts deployed contracts', async () => {
    await database.pool.query(`
      insert into app.smart_contracts (
        address, name, updated_height, updated_tx_index, updated_event_index, is_removed, code_hash)
      select '0x' || lpad(to_hex(n), 16, '0'), 'Some', 1, 0, 0, n % 3 = 0, sha256('code') from generate_series(1, 300) n`)
    expect(await status()).to.include({ total_contracts: 200 })
  })
})
