import { expect } from 'chai'
import fc from 'fast-check'
import type pg from 'pg'
import { createTestDatabase } from '../../../test/support/database.ts'
import type { TestDatabase } from '../../../test/support/database.ts'
import { withTransaction } from '../../platform/db/pool.ts'
import { rollBackFarm } from '../leases/coverage.ts'
import { blockCommits } from '../leases/chain-version.ts'
import type { CommitOutcome } from './commit-range.ts'
import {
  activeLease,
  commitRange,
  countingWorker,
  counts,
  createExampleTables,
  exampleWorker,
  leaseStatus,
  outputOf,
  storedMoves,
  sums,
} from './example-worker.test-support.ts'
import { rollBackDerived } from './folds.ts'
import { RangeOutput } from './range-output.ts'

describe('the rollback of derived rows', () => {
  let database: TestDatabase
  let pool: pg.Pool
  before(async () => {
    database = await createTestDatabase()
    pool = database.pool
    await createExampleTables(pool)
  })
  beforeEach(async () => {
    await pool.query(
      'truncate app.example_moves, app.example_sums, app.example_counts, app.worker_leases; update app.indexing_checkpoints set generation = 0',
    )
  })
  after(() => database.drop())

  /** Like the ingest rollback, without the raw tables. */
  const rollBack = async (client: pg.ClientBase, ancestor: number): Promise<void> => {
    await blockCommits(client)
    await client.query('select 1 from app.indexing_checkpoints order by service_name for update')
    await rollBackFarm(client, ancestor)
    await rollBackDerived(client, ancestor, [countingWorker, exampleWorker])
    await client.query('update app.indexing_checkpoints set generation = generation + 1')
  }
  const commit = async (from: number, to: number, heights: readonly number[]): Promise<CommitOutcome> => {
    const moves = heights.map((height) => ({ height, key: height % 2 === 0 ? 'even' : 'odd', amount: height }))
    return commitRange(pool, {
      worker: exampleWorker,
      lease: await activeLease(pool, from, to),
      chainVersion: 0,
      output: outputOf(moves),
    })
  }
  /** Resolves when a session waits for a lock. */
  const untilWaiting = async (): Promise<void> => {
    for (;;) {
      const { rowCount } = await pool.query(
        "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
      )
      if (rowCount !== 0) return
    }
  }

  it('equals a clean derivation up to the ancestor', async () => {
    const heights = fc.uniqueArray(fc.nat(59), { maxLength: 40 })
    await fc.assert(
      fc.asyncProperty(heights, fc.nat(60), async (all, ancestor) => {
        await pool.query(
          'truncate app.example_moves, app.example_sums, app.example_counts, app.worker_leases; update app.indexing_checkpoints set generation = 0',
        )
        for (const from of [20, 0, 40])
          await commit(
            from,
            from + 20,
            all.filter((height) => height >= from && height < from + 20),
          )
        await commitRange(pool, {
          worker: countingWorker,
          lease: await activeLease(pool, 0, 60, countingWorker.name),
          chainVersion: 0,
          output: new RangeOutput(countingWorker),
        })
        await withTransaction(pool, (client) => rollBack(client, ancestor))
        expect((await storedMoves(pool)).map(({ height }) => height)).to.deep.equal(
          all.filter((height) => height <= ancestor).sort((a, b) => a - b),
        )
        const { folded, expected } = await sums(pool)
        expect(folded).to.deep.equal(expected)
        const counted = await counts(pool)
        expect(counted.folded).to.deep.equal(counted.expected)
      }),
      { numRuns: 20 },
    )
  })

  it('waits for a running commit and deletes its rows', async () => {
    const blocker = await pool.connect()
    await commit(0, 10, [1, 2])
    await blocker.query('begin; lock table app.example_sums in share mode')
    const committing = commit(10, 20, [11, 12])
    await untilWaiting()
    const rollingBack = withTransaction(pool, (client) => rollBack(client, 5))
    await blocker.query('commit')
    blocker.release()
    expect(await committing).to.equal('committed')
    await rollingBack
    expect((await storedMoves(pool)).map(({ height }) => height)).to.deep.equal([1, 2])
    const { folded, expected } = await sums(pool)
    expect(folded).to.deep.equal(expected)
  })

  it('blocks a commit until it has finished, and then rejects it', async () => {
    const roller = await pool.connect()
    await commit(0, 10, [1, 2])
    await roller.query('begin')
    await rollBack(roller, 5)
    const lease = await activeLease(pool, 10, 20)
    const committing = commitRange(pool, {
      worker: exampleWorker,
      lease,
      chainVersion: 0,
      output: outputOf([{ height: 11, key: 'odd', amount: 1 }]),
    })
    await untilWaiting()
    await roller.query('commit')
    roller.release()
    expect(await committing).to.equal('rolled-back')
    expect((await storedMoves(pool)).map(({ height }) => height)).to.deep.equal([1, 2])
    expect(await leaseStatus(pool, lease)).to.equal('active')
  })
})
