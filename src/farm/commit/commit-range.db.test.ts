import { expect } from 'chai'
import fc from 'fast-check'
import type pg from 'pg'
import { createTestDatabase } from '../../../test/support/database.ts'
import type { TestDatabase } from '../../../test/support/database.ts'
import type { DeriveProblem } from '../../../jobs/worker.ts'
import { FatalError } from '../../platform/errors.ts'
import type { ClaimedLease } from '../leases/leases.ts'
import { commitEmptyRanges, commitRange } from './commit-range.ts'
import type { CommitOutcome } from './commit-range.ts'
import {
  activeLease,
  createExampleTables,
  exampleWorker,
  leaseStatus,
  outputOf,
  storedMoves,
  sums,
} from './example-worker.test-support.ts'
import type { Move } from './example-worker.test-support.ts'

describe('the commit of a range', () => {
  let database: TestDatabase
  let pool: pg.Pool
  before(async () => {
    database = await createTestDatabase()
    pool = database.pool
    await createExampleTables(pool)
  })
  beforeEach(async () => {
    await pool.query(
      'truncate app.example_moves, app.example_sums, app.worker_leases, raw.indexing_errors; update app.indexing_checkpoints set generation = 0',
    )
  })
  after(() => database.drop())

  const commit = (
    lease: ClaimedLease,
    moves: readonly Move[],
    chainVersion: number | undefined = 0,
  ): Promise<CommitOutcome> =>
    commitRange(pool, { worker: exampleWorker, lease, chainVersion, output: outputOf(moves) })
  const move = (height: number, key: string, amount = 1): Move => ({ height, key, amount })

  it('replaces the rows of the range only', async () => {
    await commit(await activeLease(pool, 0, 10), [move(9, 'a')])
    await commit(await activeLease(pool, 20, 30), [move(20, 'a')])
    await commit(await activeLease(pool, 10, 20), [move(10, 'a'), move(19, 'old')])
    const again = await activeLease(pool, 10, 20)
    expect(await commit(again, [move(10, 'b'), move(15, 'a', 5)])).to.equal('committed')
    expect(await storedMoves(pool)).to.deep.equal([move(9, 'a'), move(10, 'b'), move(15, 'a', 5), move(20, 'a')])
    expect(await leaseStatus(pool, again)).to.equal('done')
    const { folded, expected } = await sums(pool)
    expect(folded).to.deep.equal(expected)
  })

  it('creates partitions for the range', async () => {
    const lease = await activeLease(pool, 95, 305)
    expect(await commit(lease, [move(95, 'a'), move(304, 'a')])).to.equal('committed')
  })

  it('writes nothing if the claim was revoked', async () => {
    const stale = await activeLease(pool, 0, 10)
    const owner = await activeLease(pool, 0, 10)
    expect(await commit(owner, [move(1, 'mine')])).to.equal('committed')
    expect(await commit(stale, [move(1, 'theirs'), move(2, 'theirs')])).to.equal('fenced')
    expect(await storedMoves(pool)).to.deep.equal([move(1, 'mine')])
    expect(await commit({ ...owner, from: 5 }, [move(6, 'theirs')])).to.equal('fenced')
  })

  it('writes nothing for blocks of another chain version and keeps the claim', async () => {
    await pool.query("update app.indexing_checkpoints set generation = 3 where service_name = 'main_ingester'")
    const lease = await activeLease(pool, 0, 10)
    expect(await commit(lease, [move(1, 'a')], 2)).to.equal('rolled-back')
    expect(await storedMoves(pool)).to.deep.equal([])
    expect(await leaseStatus(pool, lease)).to.equal('active')
    expect(await commit(lease, [move(1, 'a')], 3)).to.equal('committed')
  })

  it('writes nothing if a row is rejected, and leaves a usable connection', async () => {
    const lease = await activeLease(pool, 0, 10)
    let error: unknown
    try {
      await commit(lease, [move(1, 'a'), move(2, 'a'), move(1, 'a')])
    } catch (thrown) {
      error = thrown
    }
    expect(error).to.be.instanceOf(FatalError)
    expect(await storedMoves(pool)).to.deep.equal([])
    expect(await leaseStatus(pool, lease)).to.equal('active')
    expect(await commit(lease, [move(1, 'a')])).to.equal('committed')
  })

  it('folds a key once for concurrent commits that touch it', async () => {
    const leases = await Promise.all(Array.from({ length: 12 }, (_, i) => activeLease(pool, i * 10, i * 10 + 10)))
    const outcomes = await Promise.all(
      leases.map((lease) => commit(lease, [move(lease.from, 'shared', 2), move(lease.from + 1, `own ${lease.from}`)])),
    )
    expect(new Set(outcomes)).to.deep.equal(new Set(['committed']))
    const { folded, expected } = await sums(pool)
    expect(folded).to.deep.equal(expected)
    expect(folded).to.have.length(13)
  })

  it('produces the same folds for any order and repetition of ranges', async () => {
    const moves = fc.uniqueArray(
      fc.record({ height: fc.nat(39), key: fc.constantFrom('a', 'b', 'c'), amount: fc.integer({ min: -5, max: 5 }) }),
      {
        selector: ({ height, key }) => `${height}/${key}`,
        maxLength: 40,
      },
    )
    const orders = fc.array(fc.nat(3), { minLength: 4, maxLength: 10 }).map((some) => [...some, 0, 1, 2, 3])
    await fc.assert(
      fc.asyncProperty(fc.array(moves, { minLength: 2, maxLength: 2 }), orders, async ([first, second], order) => {
        await pool.query('truncate app.example_moves, app.example_sums, app.worker_leases')
        for (const [i, range] of order.entries()) {
          const lease = await activeLease(pool, range * 10, range * 10 + 10)
          const derived = i >= order.length - 4 ? second : first
          await commit(
            lease,
            (derived ?? []).filter(({ height }) => Math.floor(height / 10) === range),
          )
        }
        const { folded, expected } = await sums(pool)
        expect(folded).to.deep.equal(expected)
        expect(await storedMoves(pool)).to.have.length(second?.length ?? 0)
      }),
      { numRuns: 20 },
    )
  })

  describe('with problems', () => {
    const problem = (blockHeight: number, message = 'odd'): DeriveProblem => ({
      blockHeight,
      txIndex: 0,
      eventIndex: 1,
      code: 'odd-thing',
      message,
    })
    const commitWith = async (problems: readonly DeriveProblem[]): Promise<void> => {
      const output = outputOf([])
      for (const one of problems) output.problem(one)
      await commitRange(pool, { worker: exampleWorker, lease: await activeLease(pool, 0, 10), chainVersion: 0, output })
    }
    const open = async (): Promise<unknown[]> => {
      const { rows } = await pool.query<object>(
        'select block_height::int as height, occurrences, message from raw.indexing_errors where resolved_at is null order by 1',
      )
      return rows
    }

    it('records each once and resolves those that no longer occur', async () => {
      await commitWith([problem(1), problem(2), problem(2, 'the same again')])
      expect(await open()).to.deep.equal([
        { height: 1, occurrences: 1, message: 'odd' },
        { height: 2, occurrences: 1, message: 'the same again' },
      ])
      await commitWith([problem(2)])
      expect(await open()).to.deep.equal([{ height: 2, occurrences: 2, message: 'odd' }])
      await commitWith([problem(1)])
      expect(await open()).to.deep.equal([{ height: 1, occurrences: 2, message: 'odd' }])
    })

    it('resolves the last one if the range is empty', async () => {
      await commitWith([problem(3)])
      const lease = await activeLease(pool, 0, 10)
      expect(await commitEmptyRanges(pool, 0, [{ worker: exampleWorker, lease }])).to.equal(undefined)
      await commitWith([])
      expect(await open()).to.deep.equal([])
    })
  })

  describe('of ranges without rows', () => {
    it('completes held leases together', async () => {
      const leases = await Promise.all([0, 10, 30].map((from) => activeLease(pool, from, from + 10)))
      const [first, stale, last] = leases as [ClaimedLease, ClaimedLease, ClaimedLease]
      await activeLease(pool, stale.from, stale.to)
      expect(
        await commitEmptyRanges(
          pool,
          0,
          leases.map((lease) => ({ worker: exampleWorker, lease })),
        ),
      ).to.deep.equal(['committed', 'fenced', 'committed'])
      expect([
        await leaseStatus(pool, first),
        await leaseStatus(pool, stale),
        await leaseStatus(pool, last),
      ]).to.deep.equal(['done', 'active', 'done'])
    })

    it('completes none if rows must be deleted', async () => {
      await commit(await activeLease(pool, 0, 10), [move(5, 'a')])
      const leases = await Promise.all([0, 10].map((from) => activeLease(pool, from, from + 10)))
      expect(
        await commitEmptyRanges(
          pool,
          0,
          leases.map((lease) => ({ worker: exampleWorker, lease })),
        ),
      ).to.equal(undefined)
      for (const lease of leases) expect(await leaseStatus(pool, lease)).to.equal('active')
    })

    it('completes none under another chain version', async () => {
      const lease = await activeLease(pool, 0, 10)
      expect(await commitEmptyRanges(pool, 1, [{ worker: exampleWorker, lease }])).to.deep.equal(['rolled-back'])
      expect(await leaseStatus(pool, lease)).to.equal('active')
    })
  })
})
