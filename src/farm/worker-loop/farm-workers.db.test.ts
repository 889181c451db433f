import { once } from 'node:events'
import { expect } from 'chai'
import { pino } from 'pino'
import type pg from 'pg'
import { createTestDatabase } from '../../../test/support/database.ts'
import type { TestDatabase } from '../../../test/support/database.ts'
import { storeBlocks } from '../../../test/support/chain-rows.ts'
import type { DeriveOutput, Worker } from '../../../jobs/worker.ts'
import { RetryableError } from '../../platform/errors.ts'
import { Metrics } from '../../platform/metrics.ts'
import type { DecodedRange } from '../../flow/decoded-block.ts'
import { createPool } from '../../platform/db/pool.ts'
import { createExampleTables, exampleWorker, storedMoves, sums } from '../commit/example-worker.test-support.ts'
import type { RangeJob } from '../queues/work-queue.ts'
import { RangeReader } from '../range-reader/range-reader.ts'
import { FarmWorkers } from './farm-workers.ts'
import { ManualQueue } from './manual-queue.test-support.ts'

const blocks = 60

describe('the workers of a process', () => {
  let database: TestDatabase
  let pool: pg.Pool
  let queue: ManualQueue
  let farm: FarmWorkers
  let reader: RangeReader
  const logged: unknown[] = []
  let derive: (range: DecodedRange, output: DeriveOutput) => void
  const worker: Worker = { ...exampleWorker, derive: (range, output) => derive(range, output) }
  /** One row for each block whose height is divisible by three. */
  const deriveThirds = ({ blocks: read }: DecodedRange, output: DeriveOutput): void => {
    for (const { height } of read.filter((block) => block.height % 3 === 0)) {
      const rows = output.rows('app.example_moves')
      rows.row(3)
      rows.int8(height)
      rows.text('all')
      rows.int4(1)
    }
  }

  before(async () => {
    database = await createTestDatabase()
    pool = database.pool
    await createExampleTables(pool)
    await pool.query('delete from app.indexing_checkpoints')
    await storeBlocks(pool, 0, blocks - 1)
  })
  beforeEach(async () => {
    await pool.query('truncate app.example_moves, app.example_sums, app.worker_leases')
    queue = new ManualQueue()
    derive = deriveThirds
    reader = new RangeReader({ pool })
    logged.length = 0
    const log = pino(
      { base: null, timestamp: false, level: 'warn' },
      { write: (line: string) => void logged.push(JSON.parse(line)) },
    )
    farm = new FarmWorkers({
      pool,
      leasePool: pool,
      heartbeatPool: pool,
      queue,
      reader,
      log,
      metrics: new Metrics(),
      network: () => 'mainnet',
      graceMs: 50,
      leaseMs: 500,
    })
    await farm.start([{ worker, concurrency: 2 }])
  })
  afterEach(() => farm.stop())
  after(() => database.drop())

  const queued = async (...ranges: [from: number, to: number][]): Promise<RangeJob> => {
    for (const [from, to] of ranges) {
      await pool.query('insert into app.worker_leases (worker_type, from_height, to_height) values ($1, $2, $3)', [
        worker.name,
        from,
        to,
      ])
    }
    return { workers: [worker.name], starts: ranges.map(([from]) => from), generation: 0 }
  }
  const leases = async (): Promise<Record<string, unknown>[]> => {
    const { rows } = await pool.query<Record<string, unknown>>(
      'select from_height::int as from, status, attempt, last_error_code as code, last_error as error from app.worker_leases order by 1',
    )
    return rows
  }
  const heights = async (): Promise<number[]> => (await storedMoves(pool)).map(({ height }) => height)
  const thirds = (from: number, to: number): number[] =>
    Array.from({ length: to - from }, (_, i) => from + i).filter((height) => height % 3 === 0)

  it('derives and commits each range of a job', async () => {
    await queue.bring(await queued([0, 10], [10, 11], [20, 31]))
    expect(await heights()).to.deep.equal([...thirds(0, 11), ...thirds(20, 31)])
    expect((await leases()).map(({ status }) => status)).to.deep.equal(['done', 'done', 'done'])
    const { folded, expected } = await sums(pool)
    expect(folded).to.deep.equal(expected)
    expect(farm.held).to.equal(0)
  })

  it('waits for a connection without failing', async () => {
    await farm.stop()
    const full = createPool(database.url, { max: 1, connectTimeoutMs: 500, waitsForConnection: true })
    const heartbeatPool = createPool(database.url, { max: 1 })
    farm = new FarmWorkers({
      pool: full,
      leasePool: pool,
      heartbeatPool,
      queue,
      reader: new RangeReader({ pool: full }),
      log: pino({ level: 'silent' }),
      metrics: new Metrics(),
      network: () => 'mainnet',
      graceMs: 50,
      leaseMs: 1000,
    })
    await farm.start([{ worker, concurrency: 2 }])
    const taken = await full.connect()
    const done = queue.bring(await queued([0, 10]))
    const expiry = async (): Promise<Date | null> =>
      (await pool.query<{ at: Date | null }>('select lease_expires_at as at from app.worker_leases')).rows[0]?.at ??
      null
    // Until the lease was renewed twice, which exceeds every limit of the pool.
    const seen = new Set<number>()
    while (seen.size < 3 || full.waitingCount === 0) {
      const at = await expiry()
      if (at !== null) seen.add(at.getTime())
    }
    taken.release()
    await done
    expect(await heights()).to.deep.equal(thirds(0, 10))
    expect(await leases()).to.deep.equal([{ from: 0, status: 'done', attempt: 1, code: null, error: null }])
    await farm.stop()
    await full.end()
    await heartbeatPool.end()
  })

  it('processes a duplicate job once', async () => {
    const job = await queued([0, 10], [10, 20])
    let runs = 0
    derive = (range, output) => {
      runs++
      deriveThirds(range, output)
    }
    await Promise.all([queue.bring(job), queue.bring(job), queue.bring(job)])
    await queue.bring(job)
    // Adjacent ranges of a job run together.
    expect(runs).to.equal(1)
    expect(await heights()).to.deep.equal(thirds(0, 20))
  })

  it('skips leases that are deleted, completed or owned by another process', async () => {
    const job = await queued([0, 10], [10, 20], [20, 30])
    await pool.query(
      "update app.worker_leases set status = 'active', generation = 7 where from_height = 10; delete from app.worker_leases where from_height = 0",
    )
    await queue.bring(job)
    expect((await leases()).map(({ from, status }) => [from, status])).to.deep.equal([
      [10, 'active'],
      [20, 'done'],
    ])
  })

  it('fails a range that throws and continues with the others', async () => {
    derive = (range, output) => {
      if (range.blocks.some(({ height }) => height === 10)) throw new TypeError('no such thing')
      deriveThirds(range, output)
    }
    await queue.bring(await queued([0, 10], [10, 20], [20, 30]))
    const [first, second, third] = await leases()
    expect(first).to.include({ status: 'done' })
    expect(second).to.include({ status: 'failed', attempt: 1, code: 'TypeError', error: 'no such thing' })
    expect(third).to.include({ status: 'done' })
    expect(await heights()).to.deep.equal([...thirds(0, 10), ...thirds(20, 30)])
    const { rows } = await pool.query<{ stack: string }>(
      'select last_error_stack as stack from app.worker_leases where from_height = 10',
    )
    expect(rows[0]?.stack).to.match(/farm-workers\.db\.test/)
  })

  it('logs ranges that fail for the same reason once, without a stack', async () => {
    derive = ({ from }) => {
      throw new TypeError(`nothing at ${from}`)
    }
    await queue.bring(await queued([0, 10], [10, 20], [20, 30]))
    expect(logged).to.deep.equal([
      { level: 40, worker: worker.name, from: 0, to: 10, attempt: 1, reason: 'nothing at 0', msg: 'Range failed' },
    ])
  })

  it('fails a range with the database error if its rows are rejected', async () => {
    derive = (range, output) => {
      deriveThirds(range, output)
      if (range.from === 0) deriveThirds(range, output)
    }
    await queue.bring(await queued([0, 10], [10, 20]))
    expect((await leases()).map(({ status, code }) => [status, code])).to.deep.equal([
      ['failed', 'database-error'],
      ['done', null],
    ])
    expect(await heights()).to.deep.equal(thirds(10, 20))
  })

  it('discards the rows of a failed range', async () => {
    derive = (range, output) => {
      deriveThirds(range, output)
      if (range.from === 0) throw new Error('after the rows')
    }
    await queue.bring(await queued([0, 10], [10, 20]))
    expect(await heights()).to.deep.equal(thirds(10, 20))
  })

  it('fails a range without stored blocks as retryable', async () => {
    await queue.bring(await queued([blocks - 2, blocks + 2]))
    expect(await leases()).to.have.nested.property('0.code', 'range-not-stored')
  })

  it('commits nothing for a claim revoked during derivation', async () => {
    const job = await queued([0, 10])
    const reached = Promise.withResolvers<void>()
    const read = reader.readSome.bind(reader)
    const taken = Promise.withResolvers<void>()
    reader.readSome = async (from, to) => {
      const range = await read(from, to)
      reached.resolve()
      await taken.promise
      return range
    }
    const running = queue.bring(job)
    await reached.promise
    await pool.query("update app.worker_leases set generation = nextval('app.lease_generation')")
    taken.resolve()
    await running
    expect(await heights()).to.deep.equal([])
    expect(await leases()).to.have.nested.property('0.status', 'active')
  })

  it('reports no failure of a claim revoked before it', async () => {
    const job = await queued([0, 10])
    const reached = Promise.withResolvers<void>()
    const revoked = Promise.withResolvers<void>()
    reader.readSome = async () => {
      reached.resolve()
      await revoked.promise
      throw new RetryableError('database-connection-lost', 'Query read timeout')
    }
    const running = queue.bring(job)
    await reached.promise
    await pool.query("update app.worker_leases set generation = nextval('app.lease_generation')")
    revoked.resolve()
    await running
    expect(logged).to.deep.equal([])
    expect(await leases()).to.deep.equal([{ from: 0, status: 'active', attempt: 1, code: null, error: null }])
  })

  it('notices a revoked claim while it waits', async () => {
    const job = await queued([0, 10])
    const reached = Promise.withResolvers<void>()
    const gone = Promise.withResolvers<void>()
    const read = reader.readSome.bind(reader)
    reader.readSome = async (from, to) => {
      reached.resolve()
      await gone.promise
      return read(from, to)
    }
    let hasDerived = false
    derive = () => {
      hasDerived = true
    }
    const running = queue.bring(job)
    await reached.promise
    await pool.query("update app.worker_leases set generation = nextval('app.lease_generation')")
    // Only heartbeats use the pool now: the first may already be in progress, the second finds the
    // claim revoked.
    for (let beat = 0; beat < 2; beat++) await once(pool, 'release')
    gone.resolve()
    await running
    expect(hasDerived).to.equal(false)
  })

  it('renews a lease during derivation', async () => {
    const job = await queued([0, 10])
    const read = reader.readSome.bind(reader)
    let expired = 0
    reader.readSome = async (from, to) => {
      const expiry =
        'select lease_expires_at as at, lease_expires_at < now() as "isOver", now() as now from app.worker_leases'
      let first: Date | undefined
      for (let isOutlasted = false; !isOutlasted; await pool.query('select pg_sleep(0.01)')) {
        const {
          rows: [lease],
        } = await pool.query<{ at: Date; isOver: boolean; now: Date }>(expiry)
        if (lease?.isOver === true) expired++
        first ??= lease?.at
        isOutlasted = lease !== undefined && first !== undefined && lease.now > first
      }
      return read(from, to)
    }
    await queue.bring(job)
    expect(expired).to.equal(0)
    expect(await leases()).to.have.nested.property('0.status', 'done')
  })

  it('releases unfinished leases when it stops', async () => {
    const job = await queued([0, 10], [10, 20])
    const reached = Promise.withResolvers<void>()
    const read = reader.readSome.bind(reader)
    const go = Promise.withResolvers<void>()
    reader.readSome = async (from, to) => {
      reached.resolve()
      await go.promise
      return read(from, to)
    }
    const running = queue.bring(job)
    await reached.promise
    const stopping = farm.stop()
    setTimeout(() => go.resolve(), 200)
    await Promise.all([running, stopping])
    expect((await leases()).map(({ status, attempt }) => [status, attempt])).to.deep.equal([
      ['queued', 0],
      ['queued', 0],
    ])
    expect(await heights()).to.deep.equal([])
  })

  it('discards blocks cached before a restore', async () => {
    let transactions = 0
    derive = ({ blocks: read }) => {
      for (const block of read) transactions += block.transactions.length
    }
    await queue.bring(await queued([0, 10]))
    const { chainVersion } = await reader.readSome(0, 1)
    const forked = { id: Buffer.alloc(32), timestampUs: 0, transactions: [] }
    reader.offer(
      [
        { block: { ...forked, height: 10 }, bytes: 1 },
        { block: { ...forked, height: 11 }, bytes: 1 },
      ],
      chainVersion,
    )
    transactions = 0
    await queue.bring(await queued([10, 11]))
    expect(transactions).to.equal(0)
    // Recreates the table in a new file, like a restored database.
    await pool.query('vacuum full raw.event_shapes')
    await queue.bring(await queued([11, 12]))
    expect(transactions).to.be.greaterThan(0)
  })

  it('derives again after a rollback', async () => {
    await reader.read(0, 10)
    await pool.query('update app.indexing_checkpoints set generation = generation + 1')
    await queue.bring(await queued([0, 10]))
    expect((await leases()).map(({ status, attempt }) => [status, attempt])).to.deep.equal([['queued', 0]])
    await queue.bring({ workers: [worker.name], starts: [0], generation: 0 })
    expect(await leases()).to.have.nested.property('0.status', 'done')
    expect(await heights()).to.deep.equal(thirds(0, 10))
  })
})
