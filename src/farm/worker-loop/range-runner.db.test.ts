import { expect } from 'chai'
import fc from 'fast-check'
import { pino } from 'pino'
import type pg from 'pg'
import { createTestDatabase } from '../../../test/support/database.ts'
import type { TestDatabase } from '../../../test/support/database.ts'
import { storeBlocks } from '../../../test/support/chain-rows.ts'
import type { Worker } from '../../../jobs/worker.ts'
import { Metrics } from '../../platform/metrics.ts'
import { difference, normalize } from '../../platform/ranges.ts'
import { addLeases, storedLeases } from '../farm-tables.test-support.ts'
import { claimLeases } from '../leases/leases.ts'
import { RangeReader } from '../range-reader/range-reader.ts'
import { CompletionAnnouncer, HeldLeases } from './held-leases.ts'
import { RangeRunner } from './range-runner.ts'

const follows: Readonly<Record<string, readonly string[]>> = { a: [], b: [], c: ['a'], d: ['c'], e: ['a', 'b'] }
const names = Object.keys(follows)
const blocks = 40
const faults = ['throws', 'has a rejected row', 'has a drill', 'is revoked'] as const

/** What happens to a worker in the range of a height. */
const fault = fc.record({
  worker: fc.constantFrom(...names),
  height: fc.nat(blocks - 1),
  what: fc.constantFrom(...faults),
})
const job = fc.record({
  workers: fc.subarray(names, { minLength: 1 }),
  starts: fc.subarray([0, 10, 20, 30], { minLength: 1 }),
  attempt: fc.constantFrom(0, 0, 0, 2),
  faults: fc.array(fault, { maxLength: 3 }),
})
type Fault = typeof fault extends fc.Arbitrary<infer T> ? T : never

describe('RangeRunner', () => {
  let database: TestDatabase
  let pool: pg.Pool

  before(async () => {
    database = await createTestDatabase()
    pool = database.pool
    await storeBlocks(pool, 0, blocks - 1)
    for (const name of names)
      await pool.query(`create table app.rows_of_${name} (block_height bigint primary key check (block_height >= 0))`)
  })
  after(() => database.drop())

  let active: readonly Fault[] = []
  const has = (worker: string, height: number, what: Fault['what']): boolean =>
    active.some((one) => one.worker === worker && one.height === height && one.what === what)
  const workers = names.map((name): Worker => {
    const table = {
      name: `app.rows_of_${name}`,
      columns: ['block_height'],
      heightColumn: 'block_height',
      partitionHeights: undefined,
    }
    return {
      name,
      description: 'Heights.',
      phase: follows[name]?.length === 0 ? 1 : 2,
      follows: follows[name] ?? [],
      tables: [table],
      folds: [],
      derive: ({ blocks: read }, output) => {
        for (const { height } of read) {
          if (has(name, height, 'throws')) throw new TypeError(`${name} cannot derive ${height}`)
          output.rows(table.name).row(1)
          output.rows(table.name).int8(has(name, height, 'has a rejected row') ? -1 : height)
        }
      },
    }
  })

  /** @returns number of leases still held */
  const run = async (leased: readonly string[], starts: readonly number[]): Promise<number> => {
    const held = new HeldLeases(pool, 60_000, () => undefined)
    const announcer = new CompletionAnnouncer(pool, () => undefined)
    const reader = new RangeReader({ pool, sliceBytes: 1 })
    const read = reader.readSome.bind(reader)
    reader.readSome = async (from, to, readers) => {
      for (const { worker, height } of active.filter(({ what }) => what === 'is revoked'))
        await pool.query(
          `update app.worker_leases set generation = nextval('app.lease_generation')
           where worker_type = $1 and $2 >= from_height and $2 < to_height and status = 'active'`,
          [worker, height],
        )
      return read(from, to, readers)
    }
    const runner = new RangeRunner({
      workers,
      allWorkers: workers,
      pool,
      leasePool: pool,
      leaseMs: 60_000,
      reader,
      log: pino({ level: 'silent' }),
      metrics: new Metrics(),
      network: () => 'mainnet',
      held,
      announcer,
      faultFor: (worker, { from, to }) =>
        active.some(
          (one) => one.worker === worker && one.what === 'has a drill' && from <= one.height && one.height < to,
        )
          ? new Error('drill')
          : undefined,
    })
    const keys = leased.flatMap((worker) => starts.map((from) => ({ worker, from })))
    await runner.run(await claimLeases(pool, keys, { leasedBy: 'test', leaseMs: 60_000 }))
    await announcer.idle()
    held.stop()
    return held.size
  }

  it('writes exactly the ranges whose leases are done, whatever happens to some workers', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(job, { minLength: 1, maxLength: 4 }), async (jobs) => {
        await pool.query(`truncate app.worker_leases, ${names.map((name) => `app.rows_of_${name}`).join()}`)
        for (const { workers: leased, starts, attempt, faults: some } of jobs) {
          const existing = await storedLeases(pool)
          const isNew = (worker: string, from: number): boolean =>
            !existing.some((lease) => lease.worker === worker && lease.from <= from && from < lease.to)
          await addLeases(
            pool,
            leased.flatMap((worker) =>
              starts
                .filter((from) => isNew(worker, from))
                .map((from) => ({ worker, from, to: from + 10, status: 'queued' as const, attempt })),
            ),
          )
          active = some
          expect(await run(leased, starts)).to.equal(0)
        }
        const stored = await storedLeases(pool)
        const done = new Map(
          names.map((name) => [
            name,
            normalize(stored.filter(({ worker, status }) => worker === name && status === 'done')),
          ]),
        )
        for (const name of names) {
          const { rows } = await pool.query<{ from: number; to: number }>(
            `select block_height::int as from, block_height::int + 1 as to from app.rows_of_${name}`,
          )
          expect(normalize(rows), `rows of ${name}`).to.deep.equal(done.get(name))
          for (const followed of follows[name] ?? [])
            expect(
              difference(done.get(name) ?? [], done.get(followed) ?? []),
              `${name} before ${followed}`,
            ).to.deep.equal([])
        }
        const isRevoked = (worker: string): boolean =>
          jobs.some((one) => one.faults.some((each) => each.worker === worker && each.what === 'is revoked'))
        const left = stored.filter(({ worker, status }) => status === 'active' && !isRevoked(worker))
        expect(left, 'active without a process').to.deep.equal([])
      }),
      { numRuns: 60 },
    )
  })
})
