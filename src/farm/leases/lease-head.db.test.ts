import { expect } from 'chai'
import type pg from 'pg'
import { withTransaction } from '../../platform/db/pool.ts'
import { createTestDatabase } from '../../../test/support/database.ts'
import type { TestDatabase } from '../../../test/support/database.ts'
import { waitUntil } from '../../../test/support/lease-waits.ts'
import { insertLeases, readBacklogs } from '../coordinator/plan-leases.ts'
import {
  addLeases,
  clearFarm,
  completeClaims,
  leaseLines,
  setCoverage,
  storedLeases,
} from '../farm-tables.test-support.ts'
import { addCheckpoints, lockCheckpoints, rollBackFarm } from './coverage.ts'
import { heartbeatLeases, leaseHead, maxFailing } from './leases.ts'
import type { ClaimedLease, LeaseStatus } from './leases.ts'

const by = { leasedBy: 'host:1:a', leaseMs: 60_000 }
const names = ['a', 'b']

describe('leaseHead', () => {
  let database: TestDatabase
  let pool: pg.Pool

  before(async () => {
    database = await createTestDatabase()
    pool = database.pool
  })
  beforeEach(async () => {
    await clearFarm(pool)
    await addCheckpoints(pool, names)
    await setCoverage(pool, { main_ingester: [{ from: 0, to: 100 }] })
  })
  after(() => database.drop())

  const lease = (from: number, to: number, workers = names): Promise<ClaimedLease[]> =>
    leaseHead(pool, workers, { from, to }, by)
  const untilWaiting = (): Promise<void> =>
    waitUntil({ pool }, async () => {
      const { rowCount } = await pool.query(
        "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
      )
      return rowCount === 1
    })

  it('leases new blocks to all workers, claimed', async () => {
    await setCoverage(pool, { a: [{ from: 0, to: 80 }] })
    await addLeases(pool, [
      { worker: 'a', from: 80, to: 90, status: 'active' },
      { worker: 'b', from: 50, to: 60, status: 'flagged' },
    ])
    const leases = await lease(90, 100)
    expect(leases.map(({ worker, from, to, attempt }) => [worker, from, to, attempt])).to.have.deep.members([
      ['a', 90, 100, 1],
      ['b', 90, 100, 1],
    ])
    expect(leases[0]?.database).to.be.a('string')
    expect(await heartbeatLeases(pool, leases, by.leaseMs * 10)).to.deep.equal([])
    expect(await lease(90, 100), 'a second time').to.deep.equal([])
    expect(await completeClaims(pool, leases)).to.equal(2)
    expect(await lease(90, 100), 'when done').to.deep.equal([])
  })

  it('leases nothing below the newest block or where blocks are missing', async () => {
    await setCoverage(pool, {
      main_ingester: [
        { from: 0, to: 50 },
        { from: 60, to: 100 },
      ],
    })
    for (const [from, to] of [
      [90, 99],
      [90, 101],
      [59, 100],
      [40, 50],
    ] as const)
      expect(await lease(from, to), `${from}-${to}`).to.deep.equal([])
    expect(await lease(60, 100)).to.have.length(2)
  })

  it('leases nothing if one of the workers has done a height', async () => {
    await setCoverage(pool, { b: [{ from: 95, to: 96 }] })
    expect(await lease(90, 100)).to.deep.equal([])
    expect(await lease(96, 100)).to.have.length(2)
  })

  for (const status of ['queued', 'active', 'done', 'failed', 'flagged', 'skipped'] satisfies LeaseStatus[]) {
    it(`leases nothing if a lease overlaps that is ${status}`, async () => {
      await addLeases(pool, [{ worker: 'b', from: 85, to: 91, status }])
      expect(await lease(90, 100)).to.deep.equal([])
      expect(await leaseLines(pool)).to.deep.equal([`b 85-91 ${status}`])
      expect(await lease(91, 100)).to.have.length(2)
    })
  }

  it('leases nothing without a checkpoint of each worker', async () => {
    expect(await lease(90, 100, ['a', 'unknown'])).to.deep.equal([])
    expect(await leaseLines(pool)).to.deep.equal([])
  })

  it('leases nothing while a worker fails everywhere', async () => {
    const statuses = ['failed', 'flagged'] as const
    await addLeases(
      pool,
      Array.from({ length: maxFailing - 1 }, (_, i) => ({
        worker: 'b',
        from: -i - 2,
        to: -i - 1,
        status: statuses[i % 2] as LeaseStatus,
      })),
    )
    expect(await lease(99, 100), 'below the limit').to.have.length(2)
    await addLeases(pool, [{ worker: 'b', from: -1, to: 0, status: 'flagged' }])
    await setCoverage(pool, { main_ingester: [{ from: 0, to: 101 }] })
    expect(await lease(100, 101)).to.deep.equal([])
    expect(await lease(100, 101, ['a']), 'for others').to.have.length(1)
  })

  it('waits for a coordinator that plans the same heights', async () => {
    let leasing: Promise<ClaimedLease[]> | undefined
    await withTransaction(pool, async (client) => {
      await lockCheckpoints(client, names)
      leasing = lease(90, 100)
      await untilWaiting()
      await insertLeases(client, [{ from: 95, to: 100, workers: ['b'], isLive: true }])
    })
    expect(await leasing).to.deep.equal([])
    expect(await leaseLines(pool)).to.deep.equal(['b 95-100 queued'])
  })

  it('waits for a rollback', async () => {
    let leasing: Promise<ClaimedLease[]> | undefined
    await withTransaction(pool, async (client) => {
      await client.query('select 1 from app.indexing_checkpoints order by service_name for update')
      leasing = lease(90, 100)
      await untilWaiting()
      await rollBackFarm(client, 94)
      await client.query(
        "update app.indexing_checkpoints set covered = '{[0,95)}' where service_name = 'main_ingester'",
      )
    })
    expect(await leasing).to.deep.equal([])
  })

  it('leases each height once beside coordinators', async () => {
    const planPending = (): Promise<unknown> =>
      withTransaction(pool, async (client) => {
        await lockCheckpoints(client, names)
        const ranges = [...(await readBacklogs(client, names, 1000))].flatMap(([worker, { pending }]) =>
          pending.map((range) => ({ ...range, workers: [worker], isLive: true })),
        )
        return insertLeases(client, ranges)
      })
    for (let from = 100; from < 200; from += 5) {
      const to = from + 5
      await setCoverage(pool, { main_ingester: [{ from: 100, to }] })
      const attempts = [lease(from, to), planPending(), lease(from + 1, to), planPending(), lease(from, to)]
      await Promise.all(from % 2 === 0 ? attempts : attempts.toReversed())
    }
    for (const name of names) {
      let next = 100
      for (const { from, to } of (await storedLeases(pool)).filter(({ worker }) => worker === name)) {
        expect(from).to.equal(next)
        next = to
      }
      expect(next).to.equal(200)
    }
  })
})
