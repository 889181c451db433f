import { expect } from 'chai'
import fc from 'fast-check'
import type pg from 'pg'
import { txContractsWorker } from '../../../jobs/tx-contracts-worker.ts'
import type { EventDerivation } from '../../../jobs/worker.ts'
import { storeBlocks } from '../../../test/support/chain-rows.ts'
import { createTestDatabase } from '../../../test/support/database.ts'
import type { TestDatabase } from '../../../test/support/database.ts'
import { commitOutput, deriveInto } from '../../../test/support/derived-tables.ts'
import { foldDigest, inAnyOrder, partitions, rollBackWorker } from '../../../test/support/fold-histories.ts'
import { ownDifferences, ownWorker, registerOwnWorker } from '../../../test/support/own-worker.ts'
import { RangeOutput } from '../commit/range-output.ts'
import type { HeightRange } from '../../platform/ranges.ts'
import { EventReader } from '../range-reader/event-reader.ts'
import { RangeReader } from '../range-reader/range-reader.ts'

const end = 60

describe('rows and folds of an own worker', () => {
  let database: TestDatabase
  let pool: pg.Pool
  const worker = ownWorker('own_a', 'A.f233dcee88fe0abe.FungibleToken')
  const derivation = worker.deriveEvents as EventDerivation

  before(async () => {
    database = await createTestDatabase()
    pool = database.pool
    await storeBlocks(pool, 0, end - 1)
    const { blocks } = await new RangeReader({ pool }).read(0, end)
    await deriveInto(pool, txContractsWorker, blocks, { from: 0, to: end })
    await registerOwnWorker(pool, worker)
  })
  after(() => database.drop())

  async function derive(range: HeightRange): Promise<void> {
    const output = new RangeOutput(worker)
    const reader = new EventReader(pool, derivation, 20_000)
    for (let next = range.from; next < range.to;) {
      const { events, to } = await reader.read(next, range.to)
      await derivation.derive(events, output, new AbortController().signal)
      next = to
    }
    await commitOutput(pool, worker, range, output)
  }

  it('are the same for any order of ranges, repetitions and rollbacks', async () => {
    await derive({ from: 0, to: end })
    expect(await ownDifferences(pool, worker)).to.deep.equal([])
    const once = await foldDigest(pool, worker)
    const history = fc.record({
      first: inAnyOrder(partitions(end)),
      second: inAnyOrder(partitions(end)),
      repeated: fc.nat(4),
      ancestor: fc.nat(end),
    })
    await fc.assert(
      fc.asyncProperty(history, async ({ first, second, repeated, ancestor }) => {
        await pool.query('truncate own_a.events, own_a.totals, own_a.latest')
        for (const range of first) await derive(range)
        for (const range of second.slice(0, repeated)) await derive(range)
        await rollBackWorker(pool, worker, ancestor)
        for (const range of second.filter(({ to }) => to > ancestor)) await derive(range)
        expect(await foldDigest(pool, worker)).to.equal(once)
      }),
      { numRuns: 15 },
    )
  })
})
