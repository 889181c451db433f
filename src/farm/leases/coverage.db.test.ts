import { expect } from 'chai'
import fc from 'fast-check'
import type pg from 'pg'
import { difference, normalize, toMultirange, union } from '../../platform/ranges.ts'
import type { HeightRange } from '../../platform/ranges.ts'
import { withTransaction } from '../../platform/db/pool.ts'
import { createTestDatabase } from '../../../test/support/database.ts'
import type { TestDatabase } from '../../../test/support/database.ts'
import {
  addLeases,
  clearFarm,
  completeClaims,
  leaseLines,
  setCoverage,
  storedLeases,
} from '../farm-tables.test-support.ts'
import type { LeaseStatus } from './leases.ts'
import { claimLeases } from './leases.ts'
import { addRederiveRequest } from './requests.ts'
import { readCoverage, rollBackFarm, foldLeases, lockCheckpoints } from './coverage.ts'

describe('coverage', () => {
  let database: TestDatabase
  let pool: pg.Pool

  before(async () => {
    database = await createTestDatabase({ max: 20 })
    pool = database.pool
  })
  beforeEach(() => clearFarm(pool))
  after(() => database.drop())

  const fold = (...workers: string[]): Promise<number> =>
    withTransaction(pool, async (client) => {
      await lockCheckpoints(client, workers)
      return foldLeases(client, workers)
    })

  /** Like ingest: checkpoints first. */
  const rollBack = (ancestor: number, meanwhile?: () => Promise<void>): Promise<void> =>
    withTransaction(pool, async (client) => {
      await client.query('select 1 from app.indexing_checkpoints order by service_name for update')
      await meanwhile?.()
      await rollBackFarm(client, ancestor)
    })

  async function coverageText(worker: string): Promise<string> {
    return toMultirange((await readCoverage(pool, [worker])).get(worker) ?? [])
  }

  async function lastHeight(worker: string): Promise<number | null> {
    const { rows } = await pool.query<{ last: number | null }>(
      'select last_height::float8 as last from app.indexing_checkpoints where service_name = $1',
      [worker],
    )
    return rows[0]?.last ?? null
  }

  it('has folded and completed ranges and is unchanged by folding', async () => {
    await setCoverage(pool, { a: [{ from: 0, to: 10 }], b: [], main_ingester: [{ from: 0, to: 50 }] })
    await addLeases(pool, [
      { worker: 'a', from: 10, to: 20, status: 'done' },
      { worker: 'a', from: 30, to: 40, status: 'done' },
      { worker: 'a', from: 20, to: 30 },
      { worker: 'b', from: 5, to: 6, status: 'done' },
      { worker: 'b', from: 6, to: 7, status: 'skipped' },
    ])
    const before = await readCoverage(pool)
    expect(await coverageText('a')).to.equal('{[0,20),[30,40)}')
    expect(await fold('a')).to.equal(2)
    expect(await readCoverage(pool)).to.deep.equal(before)
    expect(await leaseLines(pool)).to.deep.equal(['a 20-30 queued', 'b 5-6 done', 'b 6-7 skipped'])
    expect(await lastHeight('a')).to.equal(19)
    expect(await fold('a', 'b')).to.equal(1)
    expect(await fold('a', 'b')).to.equal(0)
    expect(await readCoverage(pool)).to.deep.equal(before)
    expect([...(await readCoverage(pool, ['b'])).keys()]).to.deep.equal(['b'])
  })

  it('is consistent for readers during folds and commits', async () => {
    await setCoverage(pool, { a: [] })
    const count = 120
    const over = new AbortController()
    const folding = (async () => {
      while (!over.signal.aborted) await fold('a')
    })()
    const seen: string[] = []
    const reading = (async () => {
      while (!over.signal.aborted) seen.push(await coverageText('a'))
    })()
    for (let i = 0; i < count; i++) {
      await addLeases(pool, [{ worker: 'a', from: i, to: i + 1 }])
      const leases = await claimLeases(pool, [{ worker: 'a', from: i }], { leasedBy: 'x', leaseMs: 60_000 })
      await withTransaction(pool, (client) => completeClaims(client, leases))
    }
    over.abort()
    await Promise.all([folding, reading])
    expect(seen.filter((text) => !/^\{(\[0,\d+\))?\}$/.test(text))).to.deep.equal([])
    expect(await coverageText('a')).to.equal(`{[0,${count})}`)
  })

  describe('a rollback', () => {
    it('removes coverage and leases above the common ancestor', async () => {
      await setCoverage(pool, {
        a: [{ from: 0, to: 150 }],
        b: [{ from: 0, to: 20 }],
        main_ingester: [{ from: 0, to: 200 }],
      })
      await addLeases(pool, [
        { worker: 'a', from: 150, to: 160, status: 'done' },
        { worker: 'a', from: 160, to: 170, status: 'active' },
        { worker: 'b', from: 20, to: 90, status: 'queued' },
        { worker: 'b', from: 90, to: 100, status: 'done' },
        { worker: 'b', from: 100, to: 104, status: 'skipped' },
        { worker: 'b', from: 104, to: 110, status: 'flagged' },
        { worker: 'c', from: 99, to: 101, status: 'active' },
      ])
      await rollBack(101)
      expect(await coverageText('a')).to.equal('{[0,102)}')
      expect(await coverageText('b')).to.equal('{[0,20),[90,100)}')
      expect(await lastHeight('a')).to.equal(101)
      expect(await leaseLines(pool)).to.deep.equal([
        'b 20-90 queued',
        'b 90-100 done',
        'b 100-102 skipped',
        'c 99-101 active',
      ])
      await rollBack(-1)
      expect(await leaseLines(pool)).to.deep.equal([])
      expect(await lastHeight('a')).to.equal(null)
    })

    it('waits for a running commit and undoes it', async () => {
      await setCoverage(pool, { a: [] })
      await addLeases(pool, [{ worker: 'a', from: 95, to: 105 }])
      const leases = await claimLeases(pool, [{ worker: 'a', from: 95 }], { leasedBy: 'x', leaseMs: 60_000 })
      const client = await pool.connect()
      await client.query('begin')
      expect(await completeClaims(client, leases)).to.equal(1)
      const rolledBack = rollBack(99)
      await untilWaiting(pool)
      await client.query('commit')
      client.release()
      await rolledBack
      expect(await coverageText('a')).to.equal('{[95,100)}')
      expect(await leaseLines(pool)).to.deep.equal([])
    })

    it('fences a later commit, also after a new allocation', async () => {
      await setCoverage(pool, { a: [] })
      await addLeases(pool, [{ worker: 'a', from: 95, to: 105 }])
      const [old] = await claimLeases(pool, [{ worker: 'a', from: 95 }], { leasedBy: 'x', leaseMs: 60_000 })
      if (old === undefined) throw new Error('not claimed')
      let late: Promise<unknown> | undefined
      await withTransaction(pool, async (client) => {
        await client.query('select 1 from app.indexing_checkpoints order by service_name for update')
        await rollBackFarm(client, 99)
        late = withTransaction(pool, (other) => completeClaims(other, [old]))
        await untilWaiting(pool)
      })
      expect(await late).to.equal(0)
      await addLeases(pool, [{ worker: 'a', from: 95, to: 105 }])
      await claimLeases(pool, [{ worker: 'a', from: 95 }], { leasedBy: 'y', leaseMs: 60_000 })
      expect(await withTransaction(pool, (client) => completeClaims(client, [old]))).to.equal(0)
    })

    it('does not overlap with folds', async () => {
      await setCoverage(pool, { a: [], b: [] })
      for (let round = 0; round < 20; round++) {
        await addLeases(
          pool,
          ['a', 'b'].flatMap((worker) =>
            [0, 10, 20].map((from) => ({ worker, from, to: from + 10, status: 'done' as const })),
          ),
        )
        await Promise.all([fold('a', 'b'), rollBack(14), fold('b', 'a')])
        expect(await coverageText('a')).to.equal('{[0,15)}')
        expect(await storedLeases(pool)).to.deep.equal([])
        await setCoverage(pool, { a: [], b: [] })
      }
    })
  })

  it('of a range can be reopened for a worker and all its followers', async () => {
    const whole = [{ from: 0, to: 100 }]
    await setCoverage(pool, { a: whole, b: whole, c: whole, d: whole })
    await addLeases(pool, [{ worker: 'a', from: 100, to: 120, status: 'skipped' }])
    const workers = [
      { name: 'a', follows: [] },
      { name: 'c', follows: ['b'] },
      { name: 'b', follows: ['a'] },
      { name: 'd', follows: [] },
    ]
    const { reopened } = await addRederiveRequest(pool, workers, ['a'], { from: 90, to: 110 })
    expect(reopened).to.deep.equal(['a', 'c', 'b'])
    for (const worker of ['a', 'b', 'c']) expect(await coverageText(worker)).to.equal('{[0,90)}')
    expect(await coverageText('d')).to.equal('{[0,100)}')
    expect(await leaseLines(pool)).to.deep.equal(['a 110-120 skipped'])
  })

  it('loses exactly the reopened heights, regardless of leases', async () => {
    const states: LeaseStatus[] = ['queued', 'active', 'done', 'failed', 'flagged', 'skipped']
    const part = fc.record({
      gap: fc.nat(5),
      length: fc.integer({ min: 1, max: 9 }),
      status: fc.constantFrom(...states),
    })
    const model = fc.record({
      parts: fc.array(part, { maxLength: 12 }),
      from: fc.nat(80),
      length: fc.integer({ min: 1, max: 40 }),
    })
    await fc.assert(
      fc.asyncProperty(model, async ({ parts, from, length }) => {
        await clearFarm(pool)
        let at = 0
        const leases = parts.map(({ gap, length, status }) => {
          at += gap + length
          return { worker: 'a', from: at - length, to: at, status }
        })
        const folded = normalize(leases.filter((_, i) => i % 4 === 3))
        const open = leases.filter((_, i) => i % 4 !== 3)
        await setCoverage(pool, { a: folded })
        await addLeases(pool, open)
        await addRederiveRequest(pool, [{ name: 'a', follows: [] }], ['a'], { from, to: from + length })
        const hole: HeightRange[] = [{ from, to: from + length }]
        const of = (status: LeaseStatus) => normalize(open.filter((lease) => lease.status === status))
        expect(await coverageText('a')).to.equal(toMultirange(difference(union(folded, of('done')), hole)))
        const left = await storedLeases(pool)
        expect(normalize(left.filter((lease) => lease.status === 'skipped'))).to.deep.equal(
          difference(of('skipped'), hole),
        )
        const untouched = open.filter(
          (lease) => lease.status !== 'skipped' && (lease.to <= from || lease.from >= from + length),
        )
        expect(left.filter((lease) => lease.status !== 'skipped')).to.have.length(untouched.length)
      }),
      { numRuns: 100 },
    )
  })
})

/** Resolves when a session of the database waits for a lock. */
async function untilWaiting(pool: pg.Pool): Promise<void> {
  for (;;) {
    const { rows } = await pool.query(
      `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    )
    if (rows.length > 0) return
  }
}
