import { expect } from 'chai'
import fc from 'fast-check'
import type pg from 'pg'
import { difference, intersection, normalize, size, union } from '../../platform/ranges.ts'
import type { HeightRange, HeightSet } from '../../platform/ranges.ts'
import { createTestDatabase } from '../../../test/support/database.ts'
import type { TestDatabase } from '../../../test/support/database.ts'
import { addLeases, clearFarm, setCoverage, storedLeases } from '../farm-tables.test-support.ts'
import type { LeaseStatus, QueuedLease } from '../leases/leases.ts'
import { allocateLeases } from './plan-leases.ts'
import type { Allowance, AllocationOptions } from './plan-leases.ts'

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
  historyChunk: fc.integer({ min: 1, max: 60 }),
  liveCapacity: fc.nat(8),
  historyCapacity: fc.nat(8),
  liveBlocks: fc.nat(60),
  span: fc.integer({ min: 0, max: 400 }),
  isHistoryEnabled: fc.boolean(),
  within: fc.option(set(3), { nil: undefined }),
})

type Farm = typeof farm extends fc.Arbitrary<infer T> ? T : never

const follows: Readonly<Record<string, readonly string[]>> = { a: [], b: ['a'], c: ['a', 'b'] }
const names = Object.keys(follows)

describe('allocateLeases', () => {
  let database: TestDatabase
  let pool: pg.Pool

  before(async () => {
    database = await createTestDatabase()
    pool = database.pool
  })
  beforeEach(() => clearFarm(pool))
  after(() => database.drop())

  async function allocate(allowances: readonly Allowance[], options: AllocationOptions): Promise<QueuedLease[]> {
    const client = await pool.connect()
    try {
      return await allocateLeases(client, allowances, options)
    } finally {
      client.release()
    }
  }

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

  const allowancesOf = (farm: Farm, change: Partial<Allowance> = {}): Allowance[] =>
    names.map((name) => ({
      plan: { name, follows: follows[name] ?? [], liveChunk: farm.liveChunk, historyChunk: farm.historyChunk },
      liveCapacity: farm.liveCapacity,
      historyCapacity: farm.historyCapacity,
      span: farm.span,
      ...(farm.within === undefined ? {} : { within: farm.within }),
      ...change,
    }))

  it('equals the model for any coverage and leases', async () => {
    await fc.assert(
      fc.asyncProperty(farm, async (farm) => {
        await store(farm)
        const leases = await allocate(allowancesOf(farm), farm)
        const given = names.flatMap((name) =>
          leases.filter((lease) => lease.worker === name).map((lease) => `${name} ${lease.from}-${lease.to}`),
        )
        expect(given).to.deep.equal(
          names.flatMap((name) => modelCut(farm, name).map((range) => `${name} ${range.from}-${range.to}`)),
        )
      }),
      { numRuns: 300 },
    )
  })

  it('allocates every height exactly once', async () => {
    await fc.assert(
      fc.asyncProperty(farm, async (farm) => {
        await store(farm)
        const everything = allowancesOf(
          { ...farm, within: undefined },
          { liveCapacity: 3, historyCapacity: 3, span: 1000 },
        )
        for (;;) {
          if ((await allocate(everything, { liveBlocks: farm.liveBlocks, isHistoryEnabled: true })).length === 0) break
          await pool.query(`update app.worker_leases set status = 'done' where status = 'queued'`)
        }
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
          const owed = difference(
            difference(intersection(raw, passable), farm[name as 'a' | 'b' | 'c']),
            normalize(own),
          )
          expect(owed, `owed by ${name}`).to.deep.equal([])
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

  it('allocates live chunks at the head and history chunks below', async () => {
    await setCoverage(pool, { main_ingester: [{ from: 500, to: 1005 }], history_ingester: [{ from: 0, to: 500 }] })
    const plan = { name: 'a', follows: [], liveChunk: 10, historyChunk: 300 }
    const leases = await allocate([{ plan, liveCapacity: 64, historyCapacity: 64, span: 2000 }], {
      liveBlocks: 25,
      isHistoryEnabled: true,
    })
    expect(leases.map((lease) => [lease.from, lease.to])).to.deep.equal([
      [995, 1005],
      [985, 995],
      [980, 985],
      [680, 980],
      [380, 680],
      [80, 380],
      [0, 80],
    ])
  })

  it('without history, allocates the head and heights above the newest one of the worker', async () => {
    await setCoverage(pool, { main_ingester: [{ from: 0, to: 1000 }], b: [{ from: 0, to: 700 }] })
    const plan = (name: string) => ({ name, follows: [], liveChunk: 100, historyChunk: 300 })
    const leases = await allocate(
      ['a', 'b'].map((name) => ({ plan: plan(name), liveCapacity: 64, historyCapacity: 64, span: 2000 })),
      { liveBlocks: 100, isHistoryEnabled: false },
    )
    expect(leases.map((lease) => [lease.worker, lease.from, lease.to])).to.deep.equal([
      ['a', 900, 1000],
      ['b', 900, 1000],
      ['b', 700, 900],
    ])
  })

  it('allocates nothing before the followed worker has run or blocks are stored', async () => {
    const plan = { name: 'b', follows: ['a'], liveChunk: 10, historyChunk: 10 }
    const allowance = { plan, liveCapacity: 64, historyCapacity: 64, span: 2000 }
    expect(await allocate([allowance], { liveBlocks: 10, isHistoryEnabled: true })).to.deep.equal([])
    await setCoverage(pool, { main_ingester: [{ from: 0, to: 50 }] })
    expect(await allocate([allowance], { liveBlocks: 10, isHistoryEnabled: true })).to.deep.equal([])
  })
})

/** Reference model: what `name` must receive, newest first, height by height where possible. */
function modelCut(farm: Farm, name: string): HeightRange[] {
  const raw = union(farm.forward, farm.history)
  const head = raw.at(-1)?.to
  if (head === undefined) return []
  const leasesOf = (worker: string, ...states: LeaseStatus[]): HeightSet =>
    normalize(
      farm.leases.filter((lease) => lease.worker === worker && (states.length === 0 || states.includes(lease.status))),
    )
  const coverage = (worker: string): HeightSet => farm[worker as 'a' | 'b' | 'c']
  let owed = raw
  for (const followed of follows[name] ?? [])
    owed = intersection(owed, union(coverage(followed), leasesOf(followed, 'done', 'skipped')))
  owed = difference(difference(owed, coverage(name)), leasesOf(name))
  owed = intersection(owed, farm.within ?? [{ from: head - farm.span, to: head }])
  const liveFrom = head - farm.liveBlocks
  // Only intersecting leases matter; leases below the window are lower than its backlog.
  const reached = Math.max(coverage(name).at(-1)?.to ?? -Infinity, leasesOf(name).at(-1)?.to ?? -Infinity)
  const lowest = farm.isHistoryEnabled ? -Infinity : Math.min(liveFrom, reached === -Infinity ? liveFrom : reached)
  const live = owed
    .flatMap((range) => [{ from: Math.max(range.from, liveFrom), to: range.to }])
    .filter((r) => r.from < r.to)
  const history = owed
    .flatMap((range) => [{ from: Math.max(range.from, lowest), to: Math.min(range.to, liveFrom) }])
    .filter((r) => r.from < r.to)
  return [
    ...chunks(live, farm.liveChunk).slice(0, farm.liveCapacity),
    ...chunks(history, farm.historyChunk).slice(0, farm.historyCapacity),
  ]
}

function chunks(set: HeightSet, length: number): HeightRange[] {
  const out: HeightRange[] = []
  for (const range of set.toReversed()) {
    for (let to = range.to; to > range.from; to -= length) out.push({ from: Math.max(range.from, to - length), to })
  }
  return out
}
