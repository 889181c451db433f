import { expect } from 'chai'
import type pg from 'pg'
import { createTestDatabase } from '../../../test/support/database.ts'
import type { TestDatabase } from '../../../test/support/database.ts'
import { farmChannel, headDerived } from '../../platform/db/listen.ts'
import { clearFarm, leaseLines, setCoverage } from '../farm-tables.test-support.ts'
import { never, plan, startCoordinator } from './coordinator.test-support.ts'
import type { RunningCoordinator } from './coordinator.test-support.ts'

/** Time for the process of new blocks to derive them, ms, minus the tolerance of timers. */
const graceMs = 145

const derived = [farmChannel, headDerived] as const
const stored = ['flowfarm_blocks', 'main_ingester:0:1'] as const

describe('Coordinator at the head', () => {
  let database: TestDatabase
  let pool: pg.Pool
  let running: RunningCoordinator

  before(async () => {
    database = await createTestDatabase()
    pool = database.pool
  })
  beforeEach(async () => {
    await clearFarm(pool)
    running = startCoordinator(database, {
      workers: () => [plan('a')],
      enqueue: () => Promise.resolve(),
      roundMs: never,
    })
    await running.until(() => running.reports.length === 1)
    await setCoverage(pool, { main_ingester: [{ from: 0, to: 1 }] })
  })
  afterEach(() => running.stop())
  after(() => database.drop())

  /** In one transaction, so that they arrive together. */
  const notify = async (...notifications: readonly (readonly [string, string])[]): Promise<void> => {
    const calls = notifications.map(([channel, payload]) => `select pg_notify('${channel}', '${payload}')`)
    await pool.query(['begin', ...calls, 'commit'].join('; '))
  }

  it('plans new blocks at once if their process has not derived any lately', async () => {
    await notify(stored, derived)
    await running.until(async () => (await leaseLines(pool)).length === 1)
  })

  it('waits for the process of new blocks that has derived others', async () => {
    await notify(derived)
    const storedAt = performance.now()
    await notify(stored)
    await notify(['flowfarm_blocks', 'main_ingester:1:2'])
    await running.until(() => running.reports.length > 1)
    expect(performance.now() - storedAt).to.be.at.least(graceMs)
    expect(await leaseLines(pool)).to.deep.equal(['a 0-1 queued'])
  })

  it('runs no round if the process has derived them', async () => {
    await notify(derived)
    await notify(stored, derived)
    await pool.query('select pg_sleep($1)', [(2 * graceMs) / 1000])
    expect(running.reports).to.have.length(1)
  })

  it('plans at once for other notifications', async () => {
    await notify(derived)
    for (const other of [
      [farmChannel, ''],
      ['flowfarm_blocks', 'history_ingester:0:1'],
    ] as const) {
      const rounds = running.reports.length
      await notify(stored, other, derived)
      await running.until(() => running.reports.length > rounds)
    }
  })

  it('stops during the wait', async () => {
    await notify(derived)
    await notify(stored)
    await running.stop()
    expect(running.reports.length).to.be.at.most(2)
  })
})
