import { expect } from 'chai'
import { pino } from 'pino'
import { workers } from '../../jobs/index.ts'
import { readConfig } from '../../src/config.ts'
import { Metrics } from '../../src/platform/metrics.ts'
import { addLeases, setCoverage } from '../../src/farm/farm-tables.test-support.ts'
import { planStages } from '../../src/farm/overview/stage-plan.ts'
import { FarmMetrics } from '../../src/farm/metrics.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'

const round = { allocated: 3, expired: [], requeued: 2, reenqueued: 1, folded: 5, seconds: 0.01 }

describe('the metrics of the farm', () => {
  let database: TestDatabase
  let metrics: Metrics
  let figures: FarmMetrics

  before(async () => {
    database = await createTestDatabase()
    await setCoverage(database.pool, {
      main_ingester: [{ from: 100, to: 200 }],
      token_worker: [{ from: 100, to: 150 }],
    })
    await addLeases(database.pool, [
      { worker: 'token_worker', from: 150, to: 160, status: 'done' },
      { worker: 'token_worker', from: 160, to: 161, status: 'flagged', attempt: 21 },
      { worker: 'token_worker', from: 161, to: 170, status: 'queued' },
      { worker: 'token_worker', from: 170, to: 171, status: 'skipped' },
    ])
    await database.pool.query(
      "update app.worker_leases set created_at = now() - interval '100 seconds' where status = 'flagged'",
    )
  })
  beforeEach(() => {
    metrics = new Metrics()
    const stages = planStages(readConfig({ ENABLE_ACCOUNTS_WORKER: 'false' }, {}), workers).filter(
      ({ isEnabled }) => isEnabled,
    )
    figures = new FarmMetrics({
      pool: database.pool,
      metrics,
      log: pino({ level: 'silent' }),
      stages: () => Promise.resolve(stages),
      readMs: 20,
    })
  })
  afterEach(() => figures.stop())
  after(() => database.drop())

  /** Gauges of token_worker as read by Prometheus, by metric and labels. */
  const gauges = async (): Promise<Record<string, number>> => {
    const text = await metrics.registry.metrics()
    return Object.fromEntries(
      [...text.matchAll(/^flowfarm_farm_(\w+)\{worker="token_worker"(?:,status="(\w+)")?\} (\S+)$/gm)].map(
        ([, name = '', status, value]) => [status ?? name, Number(value)],
      ),
    )
  }

  it('report worker progress after the first round', async () => {
    expect(await gauges()).to.deep.equal({})
    let now: Record<string, number> = {}
    while (now['flagged'] === undefined) {
      figures.round(round)
      await database.pool.query('select 1')
      now = await gauges()
    }
    expect(now).to.include({
      covered_heights: 60,
      backlog_heights: 39,
      lag_heights: 40,
      queued: 1,
      active: 0,
      failed: 0,
      flagged: 1,
      skipped: 1,
    })
    expect(now['oldest_unfinished_seconds']).to.be.within(99, 160)
    expect(await metrics.registry.metrics()).to.not.include('worker="accounts_worker"')
  })

  it('count the lease events of rounds', async () => {
    figures.round(round)
    figures.round(round)
    const { values } = await metrics.farmLeaseEvents.get()
    expect(Object.fromEntries(values.map(({ labels, value }) => [labels['event'], value]))).to.deep.equal({
      allocated: 6,
      expired: 0,
      requeued: 4,
      're-enqueued': 2,
      folded: 10,
    })
  })

  it('disappear when another process coordinates, and return with the next round', async () => {
    const coordinate = async (): Promise<void> => {
      do {
        figures.round(round)
        await database.pool.query('select 1')
      } while ((await gauges())['flagged'] === undefined)
    }
    await coordinate()
    while ((await gauges())['flagged'] !== undefined) await database.pool.query('select 1')
    expect(await gauges()).to.deep.equal({})
    await coordinate()
  })
})
