import { expect } from 'chai'
import type pg from 'pg'
import { createTestDatabase } from '../../../test/support/database.ts'
import type { TestDatabase } from '../../../test/support/database.ts'
import { addLeases, clearFarm, setCoverage } from '../farm-tables.test-support.ts'
import { backlogCount, readRequestProgress, workersDone } from './requests.ts'
import type { RequestProgress } from './requests.ts'

const workers = [
  { name: 'a', follows: [] },
  { name: 'b', follows: ['a'] },
]

describe('the progress of a request', () => {
  let database: TestDatabase
  let pool: pg.Pool

  before(async () => {
    database = await createTestDatabase()
    pool = database.pool
  })
  beforeEach(() => clearFarm(pool))
  after(() => database.drop())

  const read = (names: readonly string[] = ['a', 'b']): Promise<RequestProgress> =>
    readRequestProgress(pool, workers, names, { from: 100, to: 200 })

  it('has the whole range as backlog at first', async () => {
    const progress = await read()
    expect(progress).to.include({ isDone: false, isStuck: false })
    expect(backlogCount(progress)).to.equal(200)
  })

  it('has coverage and leases within the range only', async () => {
    await setCoverage(pool, {
      a: [
        { from: 0, to: 110 },
        { from: 190, to: 500 },
      ],
    })
    await addLeases(pool, [
      { worker: 'a', from: 110, to: 120, status: 'done' },
      { worker: 'a', from: 120, to: 130, status: 'skipped' },
      { worker: 'a', from: 130, to: 140, status: 'active' },
      { worker: 'a', from: 140, to: 150, status: 'failed' },
      { worker: 'a', from: 150, to: 160, status: 'flagged' },
      { worker: 'b', from: 90, to: 105, status: 'active' },
      { worker: 'b', from: 195, to: 210, status: 'queued' },
      { worker: 'b', from: 200, to: 205, status: 'flagged' },
    ])
    const {
      workers: [a, b],
    } = await read()
    expect(a).to.deep.include({
      done: [
        { from: 100, to: 120 },
        { from: 190, to: 200 },
      ],
      skipped: [{ from: 120, to: 130 }],
      backlog: [{ from: 130, to: 190 }],
      active: [{ from: 130, to: 140 }],
      failed: [{ from: 140, to: 150 }],
      flagged: [{ from: 150, to: 160 }],
    })
    expect(a?.nextTry).to.be.a('date')
    expect(b).to.deep.include({
      backlog: [{ from: 100, to: 200 }],
      active: [{ from: 100, to: 105 }],
      flagged: [],
      done: [],
    })
  })

  it('is done if everything is done or skipped', async () => {
    await setCoverage(pool, { a: [{ from: 0, to: 150 }], b: [{ from: 100, to: 200 }] })
    await addLeases(pool, [{ worker: 'a', from: 150, to: 300, status: 'skipped' }])
    expect(await read()).to.include({ isDone: true, isStuck: false })
  })

  it('is stuck if only flagged heights and their dependents are left', async () => {
    await setCoverage(pool, {
      a: [
        { from: 0, to: 150 },
        { from: 160, to: 200 },
      ],
      b: [{ from: 100, to: 150 }],
    })
    await addLeases(pool, [{ worker: 'a', from: 150, to: 160, status: 'flagged' }])
    expect(await read(), 'b can continue above').to.include({ isDone: false, isStuck: false })
    await addLeases(pool, [{ worker: 'b', from: 160, to: 200, status: 'done' }])
    expect(await read(), 'b waits for a').to.include({ isDone: false, isStuck: true })
    await pool.query("update app.worker_leases set status = 'failed' where status = 'flagged'")
    expect(await read(), 'a tries again').to.include({ isDone: false, isStuck: false })
  })
})

describe('workersDone', () => {
  let database: TestDatabase
  let pool: pg.Pool

  before(async () => {
    database = await createTestDatabase()
    pool = database.pool
  })
  after(() => database.drop())

  it('has the workers that have done or skipped all heights of a range', async () => {
    await setCoverage(pool, { a: [{ from: 0, to: 110 }], b: [{ from: 100, to: 199 }], c: [{ from: 0, to: 500 }] })
    await addLeases(pool, [
      { worker: 'a', from: 110, to: 150, status: 'done' },
      { worker: 'a', from: 150, to: 210, status: 'skipped' },
      { worker: 'b', from: 199, to: 200, status: 'active' },
      { worker: 'd', from: 100, to: 200, status: 'queued' },
    ])
    const done = async (from: number, to: number): Promise<string[]> =>
      [...(await workersDone(pool, ['a', 'b', 'c', 'd', 'unknown'], { from, to }))].sort()
    expect(await done(100, 200)).to.deep.equal(['a', 'c'])
    expect(await done(100, 199)).to.deep.equal(['a', 'b', 'c'])
    expect(await done(205, 211)).to.deep.equal(['c'])
    expect(await workersDone(pool, ['b'], { from: 0, to: 150 })).to.deep.equal(new Set())
  })
})
