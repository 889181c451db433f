import { expect } from 'chai'
import fc from 'fast-check'
import type pg from 'pg'
import { difference, intersection, normalize, size, union } from '../../platform/ranges.ts'
import type { HeightRange, HeightSet } from '../../platform/ranges.ts'
import { withTransaction } from '../../platform/db/pool.ts'
import { createTestDatabase } from '../../../test/support/database.ts'
import type { TestDatabase } from '../../../test/support/database.ts'
import { addLeases, clearFarm, setCoverage, storedLeases } from '../farm-tables.test-support.ts'
import { lockCheckpoints } from '../leases/coverage.ts'
import type { LeaseStatus } from '../leases/leases.ts'
import { insertLeases, readBacklogs } from './plan-leases.ts'
import type { WorkerHeights } from './plan-leases.ts'
import { planRanges } from './plan-ranges.ts'
import type { PlannedRange } from './plan-ranges.ts'

const limit = 300
const statuses: readonly LeaseStatus[] = ['queued', 'active', 'done', 'failed', 'flagged', 'skipped']
const height = fc.nat(limit)
const set = (maxLength: number): fc.Arbitrary<HeightSet> =>
  fc
    .array(fc.tuple(height, height), { maxLength })
    .map((pairs) => normalize(pairs.map(([a, b]) => ({ from: Math.min(a, b), to: Math.max(a, b) }))))

interface LeaseOf extends HeightRange {
  readonly worker: string
  readonly status: LeaseStatus
}

/** Non-overlapping leases of a worker, from alternating gaps and lengths. */
const leasesOf = (worker: string): fc.Arbitrary<LeaseOf[]> =>
  fc
    .array(
      fc.record({ gap: fc.nat(30), length: fc.integer({ min: 1, max: 25 }), status: fc.constantFrom(...statuses) }),
      { maxLength: 10 },
    )
    .map((parts) => {
      let at = 0
      return parts.map(({ gap, length, status }) => {
        const from = at + gap
        at = from + length
        return { worker, from, to: at, status }
      })
    })

const farm = fc.record({
  forward: set(2),
  history: set(3),
  a: set(5),
  b: set(5),
  c: set(5),
  leases: fc.tuple(leasesOf('a'), leasesOf('b'), leasesOf('c')).map((all) => all.flat()),
  liveChunk: fc.integer({ min: 1, max: 12 }),
  historyChunks: fc.tuple(...[0, 0, 0].map(() => fc.constantFrom(20, 60))),
  liveBlocks: fc.nat(60),
  span: fc.integer({ min: 0, max: 400 }),
  lowest: fc.option(height, { nil: undefined }),
})

type Farm = typeof farm extends fc.Arbitrary<infer T> ? T : never

const follows: Readonly<Record<string, readonly string[]>> = { a: [], b: ['a'], c: ['a', 'b'] }
const names = Object.keys(follows)

describe('planning from the database', () => {
  let database: TestDatabase
  let pool: pg.Pool

  before(async () => {
    database = await createTestDatabase()
    pool = database.pool
  })
  beforeEach(() => clearFarm(pool))
  after(() => database.drop())

  async function store(farm: Farm): Promise<void> {
    await clearFarm(pool)
    await setCoverage(pool, {
      main_ingester: farm.forward,
      history_ingester: farm.history,
      a: farm.a,
      b: farm.b,
      c: farm.c,
    })
    await addLeases(pool, farm.leases)
  }

  const read = (span: number, lowest?: number): Promise<ReadonlyMap<string, WorkerHeights>> =>
    withTransaction(pool, (client) => readBacklogs(client, names, span, lowest))

  it('reads the same backlogs as the model, for any coverage and leases', async () => {
    await fc.assert(
      fc.asyncProperty(farm, async (farm) => {
        await store(farm)
        const heights = await read(farm.span, farm.lowest)
        const head = union(farm.forward, farm.history).at(-1)?.to
        const window = [{ from: Math.min((head ?? Infinity) - farm.span, farm.lowest ?? Infinity), to: 10 * limit }]
        if (head === undefined && farm.lowest === undefined) {
          expect(heights).to.deep.equal(new Map())
          return
        }
        for (const name of names) {
          const { pending, passable, reached } = heights.get(name) as WorkerHeights
          const model = modelHeights(farm, name)
          expect(pending, `pending by ${name}`).to.deep.equal(intersection(model.pending, window))
          expect(intersection(passable, window)).to.deep.equal(intersection(model.passable, window))
          expect(difference(passable, model.passable)).to.deep.equal([])
          expect(reached).to.equal(model.reached)
        }
      }),
      { numRuns: 300 },
    )
  })

  it('leases every height exactly once', async () => {
    const round = (farm: Farm): Promise<readonly PlannedRange[]> =>
      withTransaction(pool, async (client) => {
        await lockCheckpoints(client, names)
        const heights = await readBacklogs(client, names, 1000)
        const planned = planRanges(
          names.map((name, i) => ({
            plan: {
              name,
              follows: follows[name] ?? [],
              liveChunk: farm.liveChunk,
              historyChunk: farm.historyChunks[i] ?? 1,
            },
            pending: heights.get(name)?.pending ?? [],
            reached: heights.get(name)?.reached,
            requested: [],
            liveCapacity: 3,
            requestCapacity: 3,
            historyCapacity: 3,
          })),
          {
            head: union(farm.forward, farm.history).at(-1)?.to ?? 0,
            liveBlocks: farm.liveBlocks,
            isLiveEnabled: true,
            isHistoryEnabled: true,
            passable: new Map([...heights].map(([name, { passable }]) => [name, passable])),
          },
        )
        const leases = await insertLeases(client, planned)
        expect(leases.map(({ worker, from, to }) => ({ worker, from, to }))).to.deep.equal(
          planned.flatMap(({ workers, from, to }) => workers.map((worker) => ({ worker, from, to }))),
        )
        return planned
      })
    await fc.assert(
      fc.asyncProperty(farm, async (farm) => {
        await store(farm)
        while ((await round(farm)).length > 0)
          await pool.query(`update app.worker_leases set status = 'done' where status = 'queued'`)
        const stored = await storedLeases(pool)
        const raw = union(farm.forward, farm.history)
        // Followers wait for incomplete heights: first for a failed range, in the end for nothing.
        const stuck = farm.leases.filter(
          ({ status }) => status === 'active' || status === 'failed' || status === 'flagged',
        )
        const skipped = farm.leases.filter(({ status }) => status === 'skipped')
        const reach: Record<string, HeightSet> = {}
        for (const name of names) {
          const own = stored.filter((lease) => lease.worker === name)
          expect(size(normalize(own)), 'leases overlap').to.equal(
            own.reduce((sum, lease) => sum + lease.to - lease.from, 0),
          )
          const passable = (follows[name] ?? [])
            .map((followed) => reach[followed] ?? [])
            .reduce(intersection, [{ from: 0, to: 10 * limit }])
          const pending = difference(
            difference(intersection(raw, passable), farm[name as 'a' | 'b' | 'c']),
            normalize(own),
          )
          expect(pending, `pending by ${name}`).to.deep.equal([])
          const isOf = (lease: LeaseOf): boolean => lease.worker === name
          const done = union(farm[name as 'a' | 'b' | 'c'], normalize(own))
          reach[name] = union(
            difference(done, difference(normalize(stuck.filter(isOf)), farm[name as 'a' | 'b' | 'c'])),
            normalize(skipped.filter(isOf)),
          )
        }
      }),
      { numRuns: 60 },
    )
  })

  it('reads no backlog before blocks are stored', async () => {
    expect(await read(1000)).to.deep.equal(new Map())
    await setCoverage(pool, { main_ingester: [] })
    expect(await read(1000)).to.deep.equal(new Map())
    expect(await withTransaction(pool, (client) => insertLeases(client, []))).to.deep.equal([])
  })
})

/** Reference model, without a window. */
function modelHeights(farm: Farm, name: string): WorkerHeights {
  const leases = farm.leases.filter(({ worker }) => worker === name)
  const coverage = farm[name as 'a' | 'b' | 'c']
  const passed = leases.filter(({ status }) => status === 'done' || status === 'skipped')
  const reached = Math.max(coverage.at(-1)?.to ?? -Infinity, leases.at(-1)?.to ?? -Infinity)
  return {
    pending: difference(difference(union(farm.forward, farm.history), coverage), normalize(leases)),
    passable: union(coverage, normalize(passed)),
    reached: Number.isFinite(reached) ? reached : undefined,
  }
}
