import { once } from 'node:events'
import { expect } from 'chai'
import { pino } from 'pino'
import type pg from 'pg'
import { createTestDatabase } from '../../../test/support/database.ts'
import type { TestDatabase } from '../../../test/support/database.ts'
import { storeBlocks } from '../../../test/support/chain-rows.ts'
import type { Worker } from '../../../jobs/worker.ts'
import { Metrics } from '../../platform/metrics.ts'
import { createPool } from '../../platform/db/pool.ts'
import type { RangeJob } from '../queues/work-queue.ts'
import { RangeReader } from '../range-reader/range-reader.ts'
import { FarmWorkers } from './farm-workers.ts'
import { ManualQueue } from './manual-queue.test-support.ts'

const blocks = 60

describe('a range of several workers', () => {
  let database: TestDatabase
  let pool: pg.Pool
  let queue: ManualQueue
  let farm: FarmWorkers
  let reader: RangeReader
  /** Ranges read from the raw tables. */
  const read: [from: number, to: number][] = []

  /** One row for each block in `app.<name>_rows`. */
  const writer = (name: string, follows: readonly string[] = []): Worker => ({
    name,
    description: 'Heights.',
    phase: follows.length === 0 ? 1 : 2,
    follows,
    tables: [
      {
        name: `app.${name}_rows`,
        columns: ['block_height'],
        heightColumn: 'block_height',
        partitionHeights: undefined,
      },
    ],
    folds: [],
    derive: ({ blocks: read }, output) => {
      for (const { height } of read) {
        if (failing.get(name) === height) throw new TypeError(`${name} cannot derive ${height}`)
        const rows = output.rows(`app.${name}_rows`)
        rows.row(1)
        rows.int8(rejected.get(name) === height ? -1 : height)
      }
    },
  })
  /** Height at which the worker throws, or has a row that PostgreSQL rejects. */
  const failing = new Map<string, number>()
  const rejected = new Map<string, number>()
  const workers = [writer('first'), writer('second'), writer('third', ['first'])]
  const names = workers.map(({ name }) => name)
  let commits: () => Promise<number>

  before(async () => {
    database = await createTestDatabase()
    pool = database.pool
    await pool.query('delete from app.indexing_checkpoints')
    await storeBlocks(pool, 0, blocks - 1)
    for (const name of names)
      await pool.query(`create table app.${name}_rows (block_height bigint primary key check (block_height >= 0))`)
    commits = async () => {
      await pool.query('select pg_stat_force_next_flush()')
      const { rows } = await pool.query<{ n: number }>(
        'select count(distinct xmin::text)::int as n from (select xmin from app.first_rows union all ' +
          'select xmin from app.second_rows union all select xmin from app.third_rows) r',
      )
      return rows[0]?.n ?? 0
    }
  })
  beforeEach(async () => {
    failing.clear()
    rejected.clear()
    queue = new ManualQueue()
    read.length = 0
    reader = new RangeReader({ pool, onRead: ({ from, to }) => read.push([from, to]) })
    await pool.query('truncate app.worker_leases, app.first_rows, app.second_rows, app.third_rows')
    await pool.query("delete from app.indexing_checkpoints where service_name not like '%ingester'")
    await start()
  })

  afterEach(() => farm.stop())
  after(() => database.drop())

  const start = async (options: Partial<ConstructorParameters<typeof FarmWorkers>[0]> = {}): Promise<void> => {
    await farm?.stop()
    farm = new FarmWorkers({
      pool,
      leasePool: pool,
      heartbeatPool: pool,
      queue,
      reader,
      log: pino({ level: 'silent' }),
      metrics: new Metrics(),
      network: () => 'mainnet',
      graceMs: 50,
      leaseMs: 500,
      headBlocks: 5,
      ...options,
    })
    await farm.start(workers.map((one) => ({ worker: one, concurrency: 1 })))
  }
  const lease = async (leased: readonly string[], ...ranges: [from: number, to: number][]): Promise<RangeJob> => {
    for (const name of leased) {
      for (const [from, to] of ranges) {
        await pool.query('insert into app.worker_leases (worker_type, from_height, to_height) values ($1, $2, $3)', [
          name,
          from,
          to,
        ])
      }
    }
    return { workers: leased, starts: ranges.map(([from]) => from), generation: 0 }
  }
  const states = async (): Promise<Record<string, string>> => {
    const { rows } = await pool.query<{ lease: string; status: string }>(
      "select worker_type || ' ' || from_height as lease, status from app.worker_leases order by 1",
    )
    return Object.fromEntries(rows.map((row) => [row.lease, row.status]))
  }
  const rowsOf = async (name: string): Promise<number[]> => {
    const { rows } = await pool.query<{ height: number }>(
      `select block_height::int as height from app.${name}_rows order by 1`,
    )
    return rows.map(({ height }) => height)
  }
  const heightsBetween = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, i) => from + i)

  it('reads a range once and commits all workers in one transaction', async () => {
    await queue.bring(await lease(names, [0, 10], [10, 20]))
    expect(read).to.deep.equal([[0, 20]])
    for (const name of names) expect(await rowsOf(name)).to.deep.equal(heightsBetween(0, 20))
    expect(await commits()).to.equal(1)
    expect(new Set(Object.values(await states()))).to.deep.equal(new Set(['done']))
  })

  for (const [what, faults] of [
    ['throws', failing],
    ['has rows that are rejected', rejected],
  ] as const) {
    it(`commits the others if one worker ${what}, without those that follow it`, async () => {
      faults.set('first', 13)
      await queue.bring(await lease(names, [0, 10], [10, 20]))
      expect(await states()).to.deep.equal({
        'first 0': 'done',
        'first 10': 'failed',
        'second 0': 'done',
        'second 10': 'done',
        'third 0': 'done',
      })
      expect(await rowsOf('first')).to.deep.equal(heightsBetween(0, 10))
      expect(await rowsOf('second')).to.deep.equal(heightsBetween(0, 20))
      expect(await rowsOf('third')).to.deep.equal(heightsBetween(0, 10))
      expect(farm.held).to.equal(0)
    })
  }

  it('derives for a follower only what its followed workers have done', async () => {
    await queue.bring(await lease(['third'], [0, 10]))
    expect(await states()).to.deep.equal({})
    expect(await rowsOf('third')).to.deep.equal([])
    await queue.bring(await lease(['first'], [0, 10]))
    await queue.bring(await lease(['third'], [0, 10]))
    expect(await states()).to.deep.equal({ 'first 0': 'done', 'third 0': 'done' })
  })

  it('commits the others if one claim was revoked', async () => {
    const job = await lease(names, [0, 10])
    const read = reader.readSome.bind(reader)
    let isFirst = true
    reader.readSome = async (from, to, readers) => {
      if (isFirst)
        await pool.query(
          "update app.worker_leases set generation = nextval('app.lease_generation') where worker_type = 'second'",
        )
      isFirst = false
      return read(from, to, readers)
    }
    await queue.bring(job)
    expect(await states()).to.deep.equal({ 'first 0': 'done', 'second 0': 'active', 'third 0': 'done' })
    expect(await rowsOf('second')).to.deep.equal([])
    expect(await rowsOf('third')).to.deep.equal(heightsBetween(0, 10))
  })

  it('writes only the ranges of a worker whose claims are held, and followers wait for the others', async () => {
    const job = await lease(names, [0, 10], [10, 20])
    const read = reader.readSome.bind(reader)
    let isFirst = true
    reader.readSome = async (from, to, readers) => {
      if (isFirst)
        await pool.query(
          "update app.worker_leases set generation = nextval('app.lease_generation') where worker_type = 'first' " +
            'and from_height = 0',
        )
      isFirst = false
      return read(from, to, readers)
    }
    await queue.bring(job)
    expect(await states()).to.deep.equal({
      'first 0': 'active',
      'first 10': 'done',
      'second 0': 'done',
      'second 10': 'done',
      'third 10': 'done',
    })
    expect(await rowsOf('first')).to.deep.equal(heightsBetween(10, 20))
    expect(await rowsOf('second')).to.deep.equal(heightsBetween(0, 20))
    expect(await rowsOf('third')).to.deep.equal(heightsBetween(10, 20))
  })

  it('commits the others while the tables of one worker are locked', async () => {
    const impatient = createPool(database.url, { max: 4, lockTimeoutMs: 100 })
    await start({ pool: impatient })
    const blocker = await pool.connect()
    await blocker.query('begin; lock table app.second_rows in share mode')
    await queue.bring(await lease(names, [0, 10]))
    await blocker.query('rollback')
    blocker.release()
    expect(await states()).to.deep.equal({ 'first 0': 'done', 'second 0': 'failed', 'third 0': 'done' })
    const { rows } = await pool.query<{ code: string; attempt: number }>(
      "select last_error_code as code, attempt from app.worker_leases where status = 'failed'",
    )
    expect(rows).to.deep.equal([{ code: 'lock-not-available', attempt: 0 }])
    await farm.stop()
    await impatient.end()
  })

  it('derives nothing for a follower if the claim of its followed worker is lost while the range is shortened', async () => {
    await start({ unitBytes: 1 })
    const job = await lease(names, [0, 3])
    const read = reader.readSome.bind(reader)
    reader.readSome = async (from, to, readers) => {
      await pool.query(
        "update app.worker_leases set generation = nextval('app.lease_generation') where worker_type = 'first'",
      )
      return read(from, to, readers)
    }
    await queue.bring(job)
    expect(await rowsOf('first')).to.deep.equal([])
    expect(await rowsOf('second')).to.deep.equal([0])
    expect(await rowsOf('third')).to.deep.equal([])
    expect(farm.held).to.equal(0)
  })

  it('commits a range of large blocks in several parts', async () => {
    await start({ unitBytes: 1 })
    await queue.bring(await lease(names, [0, 3], [3, 4]))
    for (const name of names) expect(await rowsOf(name)).to.deep.equal([0, 3])
    const queued = names.map((name) => [`${name} 1`, 'queued'])
    expect(await states()).to.deep.equal(
      Object.fromEntries([
        ...names.flatMap((name) => [
          [`${name} 0`, 'done'],
          [`${name} 3`, 'done'],
        ]),
        ...queued,
      ]),
    )
    const { rows } = await pool.query(
      "select distinct to_height::int as to, attempt from app.worker_leases where status = 'queued'",
    )
    expect(rows).to.deep.equal([{ to: 3, attempt: 0 }])
    expect(farm.held).to.equal(0)
    await queue.bring({ workers: names, starts: [1], generation: 0 })
    await queue.bring({ workers: names, starts: [2], generation: 0 })
    for (const name of names) expect(await rowsOf(name)).to.deep.equal([0, 1, 2, 3])
  })

  it('derives new blocks of its process at once, for all workers or for none', async () => {
    await pool.query(
      'insert into app.indexing_checkpoints (service_name) select unnest($1::text[]) on conflict do nothing',
      [names],
    )
    // Not the newest blocks: the coordinator plans them.
    const announced = once(await listening(), 'notification')
    farm.deriveHead({ from: 10, to: 12 })
    await announced
    expect(await states()).to.deep.equal({})
    farm.deriveHead({ from: blocks - 3, to: blocks })
    while ((await commits()) === 0) await pool.query('select pg_sleep(0.01)')
    for (const name of names) expect(await rowsOf(name)).to.deep.equal(heightsBetween(blocks - 3, blocks))
    expect(new Set(Object.values(await states()))).to.deep.equal(new Set(['done']))
    // History, and too many blocks.
    farm.deriveHead({ from: 10, to: 12 })
    farm.deriveHead({ from: 0, to: blocks + 6 })
    await farm.stop()
    expect(Object.keys(await states())).to.have.length(names.length)
  })

  const listening = async (): Promise<pg.PoolClient> => {
    const own = await pool.connect()
    await own.query('listen flowfarm_farm')
    held.push(own)
    return own
  }
  const held: pg.PoolClient[] = []
  afterEach(() => {
    for (const client of held.splice(0)) client.release(true)
  })
})
