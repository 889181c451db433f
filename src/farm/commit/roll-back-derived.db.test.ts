import { expect } from 'chai'
import fc from 'fast-check'
import type pg from 'pg'
import { createTestDatabase } from '../../../test/support/database.ts'
import type { TestDatabase } from '../../../test/support/database.ts'
import type { Worker } from '../../../jobs/worker.ts'
import { withTransaction } from '../../platform/db/pool.ts'
import { rollBackFarm } from '../leases/coverage.ts'
import { lockOutCommits } from '../leases/chain-version.ts'
import { commitRange } from './commit-range.ts'
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
import { rollBackDerived } from './folds.ts'

/**
 * Folds rows of another worker and has no history rows; its position before that worker must not
 * matter.
 */
const countingWorker: Worker = {
  name: 'counting_worker',
  description: 'How often each key moved.',
  phase: 2,
  follows: [exampleWorker.name],
  tables: [],
  folds: [
    {
      kind: 'state',
      name: 'app.example_counts',
      reads: ['app.example_moves'],
      key: [{ column: 'key', type: 'text' }],
      touched: 'select distinct key from app.example_moves where block_height >= $1 and block_height < $2',
      fold: `
        with touched as (select unnest($1::text[]) as key), folded as (
          select key, count(*)::int as moves from app.example_moves join touched using (key) group by key
        ), gone as (
          delete from app.example_counts c using touched t where c.key = t.key and not exists (select from folded f where f.key = c.key)
        )
        insert into app.example_counts (key, moves) select * from folded on conflict (key) do update set moves = excluded.moves`,
    },
  ],
}

describe('the rollback of derived rows', () => {
  let database: TestDatabase
  let pool: pg.Pool
  before(async () => {
    database = await createTestDatabase()
    pool = database.pool
    await createExampleTables(pool)
    await pool.query('create table app.example_counts (key text primary key, moves integer not null)')
  })
  beforeEach(async () => {
    await pool.query(
      'truncate app.example_moves, app.example_sums, app.example_counts, app.worker_leases; update app.indexing_checkpoints set generation = 0',
    )
  })
  after(() => database.drop())

  /** Like the ingest rollback, without the raw tables. */
  const rollBack = async (client: pg.ClientBase, ancestor: number): Promise<void> => {
    await lockOutCommits(client)
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
          output: outputOf([]),
        })
        await withTransaction(pool, (client) => rollBack(client, ancestor))
        expect((await storedMoves(pool)).map(({ height }) => height)).to.deep.equal(
          all.filter((height) => height <= ancestor).sort((a, b) => a - b),
        )
        const { folded, expected } = await sums(pool)
        expect(folded).to.deep.equal(expected)
        const counts = await pool.query('select key, moves from app.example_counts order by key')
        const counted = await pool.query(
          'select key, count(*)::int as moves from app.example_moves group by key order by key',
        )
        expect(counts.rows).to.deep.equal(counted.rows)
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
