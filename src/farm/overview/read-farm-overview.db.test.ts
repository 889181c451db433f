import { expect } from 'chai'
import { createTestDatabase } from '../../../test/support/database.ts'
import type { TestDatabase } from '../../../test/support/database.ts'
import { ensurePartitions } from '../../platform/db/partitions.ts'
import { addLeases, clearFarm, setCoverage } from '../farm-tables.test-support.ts'
import { readFarmOverview } from './farm-overview.ts'
import type { StageState, KnownCoverage } from './farm-overview.ts'
import type { StagePlan } from './stage-plan.ts'

describe('the overview of the farm', () => {
  let database: TestDatabase

  before(async () => {
    database = await createTestDatabase()
  })

  after(() => database.drop())

  beforeEach(async () => {
    await clearFarm(database.pool)
    await database.pool.query('truncate raw.indexing_errors, app.chain')
  })

  const ingester = { kind: 'ingester', description: '', phase: 0, follows: [], isEnabled: true } as const
  const worker = { kind: 'worker', description: '', isEnabled: true } as const
  const plans: StagePlan[] = [
    { ...ingester, name: 'main_ingester' },
    { ...ingester, name: 'history_ingester' },
    { ...worker, name: 'a', phase: 1, follows: [] },
    { ...worker, name: 'b', phase: 2, follows: ['a'] },
  ]

  async function stages(bounds = {}): Promise<Record<string, StageState>> {
    const { stages: all } = await readFarmOverview(database.pool, plans, bounds)
    return Object.fromEntries(all.map((stage) => [stage.name, stage]))
  }

  it('is complete for an empty database', async () => {
    const overview = await readFarmOverview(database.pool, plans)
    expect(overview).to.deep.include({ chainId: null, head: null, stored: null, unresolvedErrors: 0 })
    expect(overview.stages.map(({ name }) => name)).to.deep.equal(['main_ingester', 'history_ingester', 'a', 'b'])
    for (const stage of overview.stages) {
      expect(stage).to.deep.include({
        covered: 0,
        available: 0,
        backlog: 0,
        holes: 0,
        lowest: null,
        highest: null,
        oldestUnfinished: null,
        updatedAt: null,
        queued: { leases: 0, heights: 0 },
        skipped: { leases: 0, heights: 0 },
      })
    }
  })

  it('has available, completed and backlog heights of each stage', async () => {
    await database.pool.query(`insert into app.chain (chain_id, latest_height) values ('flow-mainnet', 129)`)
    await setCoverage(database.pool, {
      main_ingester: [{ from: 100, to: 120 }],
      history_ingester: [{ from: 50, to: 100 }],
      a: [
        { from: 50, to: 60 },
        { from: 70, to: 80 },
      ],
      b: [{ from: 50, to: 55 }],
    })
    await addLeases(database.pool, [
      { worker: 'a', from: 80, to: 90, status: 'done' },
      { worker: 'a', from: 60, to: 65, status: 'skipped' },
      { worker: 'a', from: 65, to: 66, status: 'flagged', attempt: 21 },
      { worker: 'a', from: 90, to: 95, status: 'active', attempt: 1 },
      { worker: 'a', from: 95, to: 97, status: 'failed', attempt: 2 },
      { worker: 'a', from: 97, to: 100 },
    ])
    await database.pool.query(
      `update app.indexing_checkpoints set target_height = 40 where service_name = 'history_ingester'`,
    )
    const { main_ingester: main, history_ingester: history, a, b } = await stages()
    expect(main).to.deep.include({ covered: 20, available: 30, backlog: 10, lowest: 100, highest: 119, holes: 0 })
    expect(history).to.deep.include({ covered: 50, available: 60, backlog: 10, lowest: 50, highest: 99, holes: 0 })
    expect(a).to.deep.include({
      covered: 30,
      available: 70,
      backlog: 35,
      lowest: 50,
      highest: 89,
      holes: 1,
      queued: { leases: 1, heights: 3 },
      active: { leases: 1, heights: 5 },
      failed: { leases: 1, heights: 2 },
      flagged: { leases: 1, heights: 1 },
      skipped: { leases: 1, heights: 5 },
    })
    expect(a?.oldestUnfinished).to.deep.include({ from: 65, to: 66, status: 'flagged', attempt: 21 })
    expect(a?.oldestUnfinished?.since).to.be.a('date')
    expect(a?.updatedAt).to.be.a('date')
    // Heights completed or skipped by a: 50-65 and 70-90.
    expect(b).to.deep.include({ covered: 5, available: 35, backlog: 30, holes: 0 })
    expect(b?.blocked).to.deep.include({ by: 'a', cause: 'failed', heights: 35 })
    expect(b?.blocked?.since).to.be.a('date')
    expect(a?.blocked).to.equal(null)
  })

  it('reports a follower that waits too long for a worker without failed leases', async () => {
    const { pool } = database
    const ago = (name: string, column: string, minutes: number): string =>
      `update app.${name} set ${column} = now() - interval '${minutes} min'`
    const blocked = async (): Promise<unknown> => (await stages())['b']?.blocked
    await setCoverage(pool, {
      main_ingester: [{ from: 0, to: 100 }],
      a: [{ from: 0, to: 60 }],
      b: [{ from: 0, to: 60 }],
    })
    expect(await blocked()).to.equal(null)
    await pool.query(ago('indexing_checkpoints', 'succeeded_at', 4))
    expect(await blocked()).to.equal(null)
    await pool.query(ago('indexing_checkpoints', 'succeeded_at', 60))
    expect(await blocked()).to.deep.include({ by: 'a', cause: 'stalled', heights: 40 })
    // An active lease, then one that expires repeatedly while neighboring heights complete.
    await addLeases(pool, [
      { worker: 'a', from: 60, to: 61, status: 'active', attempt: 3 },
      { worker: 'a', from: 61, to: 100, status: 'done' },
      { worker: 'b', from: 61, to: 100, status: 'done' },
    ])
    expect(await blocked()).to.equal(null)
    await pool.query(`${ago('worker_leases', 'created_at', 6)} where status = 'active'`)
    expect(await blocked()).to.deep.include({ by: 'a', cause: 'stalled', heights: 1 })
    expect((await stages())['a']?.blocked).to.equal(null)
  })

  it('does not report a follower on a chain without recent blocks', async () => {
    const { pool } = database
    await setCoverage(pool, {
      main_ingester: [{ from: 0, to: 61 }],
      a: [{ from: 0, to: 60 }],
      b: [{ from: 0, to: 60 }],
    })
    await pool.query(`update app.indexing_checkpoints set succeeded_at = now() - interval '1 h'`)
    await ensurePartitions(pool, 'raw.blocks', 1000, { from: 60, to: 61 })
    await pool.query(`insert into raw.blocks (height, id, parent_id, "timestamp", collection_count, tx_count, event_count, collection_ids)
      values (60, decode(repeat('01', 32), 'hex'), decode(repeat('00', 32), 'hex'), now(), 0, 0, 0, '{}')`)
    expect((await stages())['b']?.blocked).to.equal(null)
    await pool.query(`update raw.blocks set "timestamp" = now() - interval '20 min'`)
    expect((await stages())['b']?.blocked).to.deep.include({ by: 'a', heights: 1 })
    await pool.query('delete from raw.blocks')
  })

  it('uses the head of its own process and counts open errors', async () => {
    await setCoverage(database.pool, { main_ingester: [{ from: 0, to: 10 }] })
    await database.pool.query(`
      insert into raw.indexing_errors (worker_name, block_height, code, message, resolved_at)
      values ('a', 1, 'x', 'x', null), ('a', 2, 'x', 'x', now())`)
    expect(await readFarmOverview(database.pool, plans)).to.deep.include({
      head: 9,
      stored: { from: 0, to: 10 },
      unresolvedErrors: 1,
    })
    expect(await readFarmOverview(database.pool, plans, { latestHeight: 20 })).to.include({ head: 20 })
    expect((await stages({ latestHeight: 20 }))['main_ingester']).to.include({ available: 21, backlog: 11 })
  })

  it('is correct with cached coverage', async () => {
    const known: KnownCoverage = new Map()
    const covered = async (): Promise<number[]> =>
      (await readFarmOverview(database.pool, plans, {}, known)).stages.map((stage) => stage.covered)
    await setCoverage(database.pool, { main_ingester: [{ from: 0, to: 10 }], a: [{ from: 0, to: 4 }] })
    expect(await covered()).to.deep.equal([10, 0, 4, 0])
    expect(await covered()).to.deep.equal([10, 0, 4, 0])
    await addLeases(database.pool, [{ worker: 'a', from: 4, to: 6, status: 'done' }])
    expect(await covered()).to.deep.equal([10, 0, 6, 0])
    await setCoverage(database.pool, { a: [{ from: 0, to: 1 }] })
    expect(await covered()).to.deep.equal([10, 0, 3, 0])
    await clearFarm(database.pool)
    expect(await covered()).to.deep.equal([0, 0, 0, 0])
  })
})
