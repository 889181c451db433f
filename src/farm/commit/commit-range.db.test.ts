import { expect } from 'chai'
import fc from 'fast-check'
import type pg from 'pg'
import { createTestDatabase } from '../../../test/support/database.ts'
import type { TestDatabase } from '../../../test/support/database.ts'
import type { DeriveProblem, Worker } from '../../../jobs/worker.ts'
import { FatalError } from '../../platform/errors.ts'
import type { ClaimedLease } from '../leases/leases.ts'
import { farmChannel, headDerived } from '../../platform/db/listen.ts'
import { RangeCommit, WorkerError } from './commit-range.ts'
import type { CommitOutcome, RangeCommitOptions } from './commit-range.ts'
import {
  activeLease,
  commitRange,
  commitSlices,
  countingWorker,
  counts,
  createExampleTables,
  exampleWorker,
  leaseStatus,
  outputOf,
  storedMoves,
  sums,
} from './example-worker.test-support.ts'
import type { Move } from './example-worker.test-support.ts'
import { RangeOutput } from './range-output.ts'

/** The same rows as `exampleWorker`, in a table of its own. */
const otherWorker: Worker = {
  ...exampleWorker,
  name: 'other_worker',
  tables: exampleWorker.tables.map((table) => ({ ...table, name: 'app.other_moves' })),
  folds: [],
}

describe('the commit of a range', () => {
  let database: TestDatabase
  let pool: pg.Pool
  before(async () => {
    database = await createTestDatabase()
    pool = database.pool
    await createExampleTables(pool)
    await pool.query(`create table app.other_moves (block_height bigint not null, key text not null,
      amount integer not null, primary key (block_height, key)) partition by range (block_height)`)
  })
  beforeEach(async () => {
    await pool.query(`truncate app.example_moves, app.example_sums, app.example_counts, app.other_moves,
      app.worker_leases, raw.indexing_errors; update app.indexing_checkpoints set generation = 0`)
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
      await commitWith([])
      expect(await open()).to.deep.equal([])
    })
  })

  describe('of several workers', () => {
    const members = [exampleWorker, otherWorker, countingWorker]
    const leasesOf = async (workers: readonly Worker[], ...starts: number[]): Promise<ClaimedLease[]> =>
      Promise.all(workers.flatMap(({ name }) => starts.map((from) => activeLease(pool, from, from + 10, name))))
    const optionsOf = (
      workers: readonly Worker[],
      leases: readonly ClaimedLease[],
      more: Partial<RangeCommitOptions> = {},
    ): RangeCommitOptions => {
      const [from, to] = [Math.min(...leases.map((lease) => lease.from)), Math.max(...leases.map((lease) => lease.to))]
      return { pool, range: { from, to }, workers, leases, chainVersion: 0, allWorkers: members, ...more }
    }
    /** The same moves for each worker that has a table. */
    const slice = (moves: readonly Move[], workers: readonly Worker[] = members): [Worker, RangeOutput][] =>
      workers.map((worker) => [worker, worker.tables.length === 0 ? new RangeOutput(worker) : outputOf(moves, worker)])
    const statuses = async (leases: readonly ClaimedLease[]): Promise<(string | undefined)[]> =>
      Promise.all(leases.map((lease) => leaseStatus(pool, lease)))
    const otherMoves = async (): Promise<Move[]> => {
      const { rows } = await pool.query<Move>(
        'select block_height::int as height, key, amount from app.other_moves order by 1, 2',
      )
      return rows
    }
    const expectFolded = async (): Promise<void> => {
      for (const { folded, expected } of [await sums(pool), await counts(pool)]) expect(folded).to.deep.equal(expected)
    }
    const thrownBy = async (committing: Promise<unknown>): Promise<unknown> =>
      committing.then(
        () => undefined,
        (error: unknown) => error,
      )

    it('makes all rows, folds and leases visible at once', async () => {
      const leases = await leasesOf(members, 0)
      const begun = await RangeCommit.begin(optionsOf(members, leases))
      if (typeof begun === 'string') throw new Error(begun)
      await begun.write(slice([move(1, 'a'), move(9, 'b')]))
      expect(await storedMoves(pool)).to.deep.equal([])
      expect(new Set(await statuses(leases))).to.deep.equal(new Set(['active']))
      await begun.finish()
      expect(await storedMoves(pool)).to.deep.equal([move(1, 'a'), move(9, 'b')])
      expect(await otherMoves()).to.deep.equal([move(1, 'a'), move(9, 'b')])
      expect(await statuses(leases)).to.deep.equal(['done', 'done', 'done'])
      await expectFolded()
      expect((await counts(pool)).folded).to.have.length(2)
    })

    it('completes leases of adjacent ranges', async () => {
      const leases = await leasesOf(members, 0, 10, 20)
      const all = [move(5, 'a'), move(15, 'a'), move(25, 'a')]
      expect(await commitSlices(optionsOf(members, leases), [slice(all)])).to.equal('committed')
      expect(await storedMoves(pool)).to.deep.equal(all)
      expect(new Set(await statuses(leases))).to.deep.equal(new Set(['done']))
      await expectFolded()
    })

    it('writes the slices of a range in several steps', async () => {
      const leases = await leasesOf(members, 0, 10)
      const slices = [[move(1, 'a')], [], [move(7, 'b'), move(12, 'a')], [move(19, 'c')]]
      expect(
        await commitSlices(
          optionsOf(members, leases),
          slices.map((moves) => slice(moves)),
        ),
      ).to.equal('committed')
      expect(await storedMoves(pool)).to.deep.equal(slices.flat())
      expect(await otherMoves()).to.deep.equal(slices.flat())
      await expectFolded()
    })

    it('writes nothing if one of the claims was revoked', async () => {
      const leases = await leasesOf(members, 0, 10)
      await activeLease(pool, 10, 20, otherWorker.name)
      expect(await commitSlices(optionsOf(members, leases), [slice([move(1, 'a')])])).to.equal('fenced')
      expect(await storedMoves(pool)).to.deep.equal([])
      expect(new Set(await statuses(leases))).to.deep.equal(new Set(['active']))
    })

    it('writes nothing for blocks of another chain version', async () => {
      const leases = await leasesOf(members, 0)
      const options = optionsOf(members, leases, { chainVersion: 1 })
      expect(await commitSlices(options, [slice([move(1, 'a')])])).to.equal('rolled-back')
      expect(new Set(await statuses(leases))).to.deep.equal(new Set(['active']))
    })

    it('names the worker whose rows are rejected, and writes nothing', async () => {
      const leases = await leasesOf(members, 0)
      const twice = [move(1, 'a'), move(1, 'a')]
      const error = await thrownBy(
        commitSlices(optionsOf(members, leases), [
          [
            [exampleWorker, outputOf([move(1, 'a')])],
            [otherWorker, outputOf(twice, otherWorker)],
          ],
        ]),
      )
      expect(error).to.be.instanceOf(WorkerError).with.property('worker', otherWorker)
      expect(error).to.have.property('cause').that.is.instanceOf(FatalError)
      expect(await storedMoves(pool)).to.deep.equal([])
      expect(new Set(await statuses(leases))).to.deep.equal(new Set(['active']))
      const others = [exampleWorker, countingWorker]
      const left = leases.filter(({ worker }) => worker !== otherWorker.name)
      expect(await commitSlices(optionsOf(others, left), [slice([move(1, 'a')], others)])).to.equal('committed')
      await expectFolded()
    })

    it('names the worker whose fold fails', async () => {
      const broken: Worker = {
        ...countingWorker,
        folds: countingWorker.folds.map((fold) =>
          // Another name, because statements are prepared by it.
          fold.kind === 'state' ? { ...fold, name: 'app.example_broken', fold: 'select 1 / 0, $1' } : fold,
        ),
      }
      const workers = [exampleWorker, broken]
      const leases = await leasesOf(workers, 0)
      const error = await thrownBy(commitSlices(optionsOf(workers, leases), [slice([move(1, 'a')], workers)]))
      expect(error).to.be.instanceOf(WorkerError).with.property('worker', broken)
      expect(await storedMoves(pool)).to.deep.equal([])
    })

    it('folds followers of a rewritten worker again, whether or not they take part', async () => {
      await commitSlices(optionsOf(members, await leasesOf(members, 0)), [slice([move(1, 'a'), move(2, 'b')])])
      for (const [workers, key] of [
        [[exampleWorker], 'c'],
        [members, 'd'],
        [[exampleWorker, countingWorker], 'e'],
      ] as const) {
        await commitSlices(optionsOf(workers, await leasesOf(workers, 0)), [slice([move(1, key)], workers)])
        expect(await storedMoves(pool)).to.deep.equal([move(1, key)])
        await expectFolded()
      }
    })

    it('produces the same folds for any order, repetition and combination of workers', async () => {
      const moves = fc.uniqueArray(
        fc.record({ height: fc.nat(29), key: fc.constantFrom('a', 'b', 'c'), amount: fc.integer({ min: -5, max: 5 }) }),
        { selector: ({ height, key }) => `${height}/${key}`, maxLength: 20 },
      )
      const groups = [members, [exampleWorker], [exampleWorker, countingWorker], [otherWorker]] as const
      const steps = fc.array(fc.tuple(fc.constantFrom(...groups), fc.nat(2), moves), { maxLength: 8 })
      await fc.assert(
        fc.asyncProperty(steps, moves, async (some, last) => {
          await pool.query(`truncate app.example_moves, app.example_sums, app.example_counts, app.other_moves,
            app.worker_leases`)
          const all = [...some, ...[2, 0, 1].map((part) => [members, part, last] as const)]
          for (const [workers, part, derived] of all) {
            const ofPart = derived.filter(({ height }) => Math.floor(height / 10) === part)
            await commitSlices(optionsOf(workers, await leasesOf(workers, 10 * part)), [slice(ofPart, workers)])
          }
          await expectFolded()
          expect(await otherMoves()).to.deep.equal(await storedMoves(pool))
          expect(await storedMoves(pool)).to.have.length(last.length)
        }),
        { numRuns: 20 },
      )
    })

    it('sends the announcement with the commit', async () => {
      const listener = await pool.connect()
      const payloads: string[] = []
      let received = Promise.withResolvers<void>()
      listener.on('notification', ({ payload = '' }) => {
        payloads.push(payload)
        received.resolve()
      })
      try {
        await listener.query(`listen ${farmChannel}`)
        const options = optionsOf(members, await leasesOf(members, 0), { announcement: headDerived })
        const aborted = await RangeCommit.begin(options)
        if (typeof aborted === 'string') throw new Error(aborted)
        await aborted.write(slice([move(1, 'a')]))
        await aborted.abort()
        await pool.query(`notify ${farmChannel}, 'aborted'`)
        await received.promise
        received = Promise.withResolvers()
        expect(await commitSlices(options, [slice([move(2, 'a')])])).to.equal('committed')
        await received.promise
        expect(payloads).to.deep.equal(['aborted', headDerived])
      } finally {
        listener.release(true)
      }
    })
  })
})
