import { expect } from 'chai'
import fc from 'fast-check'
import { difference, intersection, normalize, size, union } from '../../platform/ranges.ts'
import type { HeightRange, HeightSet } from '../../platform/ranges.ts'
import { planRanges } from './plan-ranges.ts'
import type { Backlog, PlannedRange, PlanOptions } from './plan-ranges.ts'

const limit = 300
const height = fc.nat(limit)
const set = (maxLength: number): fc.Arbitrary<HeightSet> =>
  fc
    .array(fc.tuple(height, height), { maxLength })
    .map((pairs) => normalize(pairs.map(([a, b]) => ({ from: Math.min(a, b), to: Math.max(a, b) }))))

const follows = { a: [], b: ['a'], c: ['a'], d: ['a', 'b'], e: [] } as const
const names = ['a', 'b', 'c', 'd', 'e'] as const

const backlog = fc.record({
  pending: set(5),
  passable: set(5),
  requested: set(2),
  reached: fc.option(height, { nil: undefined }),
  liveChunk: fc.constantFrom(5, 10),
  historyChunk: fc.constantFrom(20, 50),
  liveCapacity: fc.nat(6),
  requestCapacity: fc.nat(6),
  historyCapacity: fc.nat(6),
})
type Drawn = typeof backlog extends fc.Arbitrary<infer T> ? T : never

const farm = fc.record({
  drawn: fc.tuple(backlog, backlog, backlog, backlog, backlog),
  liveBlocks: fc.nat(60),
  isLiveEnabled: fc.boolean(),
  isHistoryEnabled: fc.boolean(),
})

interface Farm {
  readonly backlogs: readonly Backlog[]
  readonly options: PlanOptions
}

function farmOf(drawn: readonly Drawn[], flags: Omit<PlanOptions, 'head' | 'passable'>): Farm {
  const backlogs = names.map((name, i): Backlog => {
    const one = drawn[i] as Drawn
    return {
      plan: { name, follows: follows[name], liveChunk: one.liveChunk, historyChunk: one.historyChunk },
      pending: one.pending,
      requested: one.requested,
      reached: one.reached,
      liveCapacity: one.liveCapacity,
      requestCapacity: one.requestCapacity,
      historyCapacity: Math.min(one.historyCapacity, one.requestCapacity),
    }
  })
  const head = Math.max(0, ...backlogs.map(({ pending }) => pending.at(-1)?.to ?? 0))
  const passable = new Map(
    names.map((name, i) => [name, difference((drawn[i] as Drawn).passable, drawn[i]?.pending ?? [])]),
  )
  return { backlogs, options: { head, ...flags, passable } }
}

const anyFarm = farm.map(({ drawn, ...flags }) => farmOf(drawn, flags))

const rangesOf = (planned: readonly PlannedRange[], name: string): PlannedRange[] =>
  planned.filter(({ workers }) => workers.includes(name))
const texts = (ranges: readonly HeightRange[]): string[] => ranges.map(({ from, to }) => `${from}-${to}`)

describe('planRanges', () => {
  const forAny = (check: (farm: Farm, planned: readonly PlannedRange[]) => void): void =>
    fc.assert(
      fc.property(anyFarm, (one) => check(one, planRanges(one.backlogs, one.options))),
      { numRuns: 500 },
    )

  it('plans pending heights only, each once', () =>
    forAny(({ backlogs }, planned) => {
      for (const { plan, pending } of backlogs) {
        const own = rangesOf(planned, plan.name)
        expect(difference(normalize(own), pending)).to.deep.equal([])
        expect(size(normalize(own)), 'ranges overlap').to.equal(own.reduce((sum, { from, to }) => sum + to - from, 0))
      }
    }))

  it('is within the capacities and chunks of each worker', () =>
    forAny(({ backlogs }, planned) => {
      for (const { plan, liveCapacity, requestCapacity } of backlogs) {
        const [live, history] = [true, false].map((isLive) =>
          rangesOf(planned, plan.name).filter((range) => range.isLive === isLive),
        ) as [PlannedRange[], PlannedRange[]]
        expect(live.length).to.be.at.most(liveCapacity)
        expect(history.length).to.be.at.most(requestCapacity)
        for (const { from, to } of live) expect(to - from).to.be.within(1, plan.liveChunk)
        for (const { from, to } of history) expect(to - from).to.be.within(1, plan.historyChunk)
      }
    }))

  it('plans the head first, then requested heights, then other history, each newest first', () =>
    forAny(({ backlogs, options }, planned) => {
      const liveFrom = options.head - options.liveBlocks
      const firstHistory = planned.findIndex(({ isLive }) => !isLive)
      for (const [i, { from, to, isLive }] of planned.entries()) {
        expect(isLive).to.equal(firstHistory === -1 || i < firstHistory)
        if (isLive) expect(from).to.be.at.least(liveFrom)
        else expect(to).to.be.at.most(Math.max(0, liveFrom))
      }
      for (const { plan, requested } of backlogs) {
        const own = rangesOf(planned, plan.name)
        const [live, history] = [own.filter(({ isLive }) => isLive), own.filter(({ isLive }) => !isLive)]
        expect(live).to.deep.equal(live.toSorted((x, y) => y.to - x.to))
        const rest = history.findIndex(({ to }, i) => i > 0 && to > (history[i - 1] as HeightRange).from)
        const [first, last] = rest === -1 ? [[], history] : [history.slice(0, rest), history.slice(rest)]
        expect(difference(normalize(first), requested)).to.deep.equal([])
        expect(last).to.deep.equal(last.toSorted((x, y) => y.to - x.to))
      }
    }))

  it('gives equal ranges to workers with equal backlogs', () =>
    fc.assert(
      fc.property(farm, ({ drawn, ...flags }) => {
        const [a, b, , d] = drawn
        // Two pairs: without followed workers, and two followers of one worker.
        const { backlogs, options } = farmOf([a, b, b, d, a], flags)
        for (const { workers } of planRanges(backlogs, options)) {
          expect(workers.includes('a')).to.equal(workers.includes('e'))
          expect(workers.includes('b')).to.equal(workers.includes('c'))
        }
      }),
      { numRuns: 300 },
    ))

  it('gives a follower what its followed workers have done, or do in the same range before it', () =>
    forAny(({ backlogs, options }, planned) => {
      for (const range of planned) {
        expect(range.workers).to.deep.equal(names.filter((name) => range.workers.includes(name)))
        for (const { plan } of backlogs.filter(({ plan: { name } }) => range.workers.includes(name)))
          for (const followed of plan.follows.filter((name) => !range.workers.includes(name)))
            expect(difference([range], options.passable.get(followed) ?? []), `${followed} first`).to.deep.equal([])
      }
    }))

  it('equals the model for a worker alone', () =>
    fc.assert(
      fc.property(anyFarm, fc.constantFrom(...names), ({ backlogs, options }, name) => {
        const own = backlogs.find(({ plan }) => plan.name === name) as Backlog
        const planned = planRanges([own], options)
        expect(planned.every(({ workers }) => workers.join() === name)).to.equal(true)
        const model = modelRanges(own, options)
        expect(texts(planned)).to.deep.equal(texts(model))
      }),
      { numRuns: 500 },
    ))

  it('plans everything in the end, also beside workers without capacity or with other chunks', () =>
    fc.assert(
      fc.property(farm, fc.subarray([...names]), ({ drawn, liveBlocks }, stopped) => {
        const isStopped = (name: string): boolean => stopped.some((one) => one === name)
        let { backlogs, options } = farmOf(drawn, { liveBlocks, isLiveEnabled: true, isHistoryEnabled: true })
        backlogs = backlogs.map((one) => {
          const capacity = isStopped(one.plan.name) ? 0 : 2
          return { ...one, liveCapacity: capacity, requestCapacity: capacity, historyCapacity: capacity }
        })
        const reachable = new Map<string, HeightSet>()
        for (const { plan, pending } of backlogs) {
          const able = plan.follows.reduce(
            (heights, followed) =>
              intersection(heights, union(options.passable.get(followed) ?? [], reachable.get(followed) ?? [])),
            isStopped(plan.name) ? [] : pending,
          )
          reachable.set(plan.name, able)
        }
        const expected = backlogs.map(({ plan, pending }) => difference(pending, reachable.get(plan.name) ?? []))
        for (;;) {
          const planned = planRanges(backlogs, options)
          if (planned.length === 0) break
          const done = new Map(names.map((name) => [name, normalize(rangesOf(planned, name))]))
          backlogs = backlogs.map((one) => ({
            ...one,
            pending: difference(one.pending, done.get(one.plan.name as 'a') ?? []),
          }))
          const passable = new Map(
            names.map((name) => [name, union(options.passable.get(name) ?? [], done.get(name) ?? [])]),
          )
          options = { ...options, passable }
        }
        expect(backlogs.map(({ pending }) => pending)).to.deep.equal(expected)
      }),
      { numRuns: 300 },
    ))

  const plan = (name: string, more: Partial<Backlog['plan']> = {}) => ({
    name,
    follows: [],
    liveChunk: 10,
    historyChunk: 300,
    ...more,
  })
  const ofAll = (pending: HeightSet, more: Partial<Backlog> & Pick<Backlog, 'plan'>): Backlog => ({
    pending,
    requested: [],
    reached: undefined,
    liveCapacity: 64,
    requestCapacity: 64,
    historyCapacity: 64,
    ...more,
  })
  const options: PlanOptions = {
    head: 1005,
    liveBlocks: 25,
    isLiveEnabled: true,
    isHistoryEnabled: true,
    passable: new Map(),
  }
  const lines = (planned: readonly PlannedRange[]): string[] =>
    planned.map(({ from, to, workers, isLive }) => `${from}-${to} ${workers.join()}${isLive ? ' live' : ''}`)

  it('plans live chunks at the head and history chunks below, with followers in the same ranges', () => {
    const all = [{ from: 0, to: 1005 }]
    const backlogs = [ofAll(all, { plan: plan('a') }), ofAll(all, { plan: plan('b', { follows: ['a'] }) })]
    expect(lines(planRanges(backlogs, options))).to.deep.equal([
      '995-1005 a,b live',
      '985-995 a,b live',
      '980-985 a,b live',
      '680-980 a,b',
      '380-680 a,b',
      '80-380 a,b',
      '0-80 a,b',
    ])
  })

  it('cuts ranges where the backlogs of workers differ', () => {
    const backlogs = [
      ofAll([{ from: 500, to: 980 }], { plan: plan('a') }),
      ofAll([{ from: 0, to: 900 }], { plan: plan('b') }),
    ]
    expect(lines(planRanges(backlogs, options))).to.deep.equal([
      '900-980 a',
      '600-900 a,b',
      '500-600 a,b',
      '200-500 b',
      '0-200 b',
    ])
  })

  it('plans longer ranges for followers of a worker with short ones when those are done', () => {
    const pending = [{ from: 680, to: 980 }]
    const backlogs = [
      ofAll(pending, { plan: plan('a', { historyChunk: 100 }) }),
      ofAll(pending, { plan: plan('b', { follows: ['a'] }) }),
    ]
    expect(lines(planRanges(backlogs, options))).to.deep.equal(['880-980 a', '780-880 a', '680-780 a'])
    const passable = new Map([['a', [{ from: 780, to: 980 }]]])
    expect(lines(planRanges(backlogs.slice(1), { ...options, passable }))).to.deep.equal(['780-980 b'])
  })

  it('without history, plans the head and heights above the newest one of the worker', () => {
    const backlogs = [
      ofAll([{ from: 0, to: 1005 }], { plan: plan('a') }),
      ofAll([{ from: 0, to: 1005 }], { plan: plan('b'), reached: 700 }),
      ofAll([], { plan: plan('c') }),
    ]
    expect(lines(planRanges(backlogs, { ...options, isHistoryEnabled: false }))).to.deep.equal([
      '995-1005 a,b live',
      '985-995 a,b live',
      '980-985 a,b live',
      '700-980 b',
    ])
  })

  it('with both kinds of derivers disabled, plans requested heights only', () => {
    const requested = [{ from: 400, to: 500 }]
    const backlogs = [ofAll([{ from: 0, to: 1005 }], { plan: plan('a'), requested })]
    const off = { ...options, liveBlocks: 0, isLiveEnabled: false, isHistoryEnabled: false }
    expect(lines(planRanges(backlogs, off))).to.deep.equal(['400-500 a'])
  })
})

/** Reference model: the ranges of a worker alone, newest first. */
function modelRanges({ plan, ...backlog }: Backlog, options: PlanOptions): HeightRange[] {
  const { head, liveBlocks, isLiveEnabled, isHistoryEnabled, passable } = options
  const pending = plan.follows.reduce((left, name) => intersection(left, passable.get(name) ?? []), backlog.pending)
  const within = (from: number, to: number): HeightSet => (from < to ? intersection(pending, [{ from, to }]) : [])
  const liveFrom = head - liveBlocks
  const live = isLiveEnabled ? chunks(within(liveFrom, head), plan.liveChunk) : []
  const requested = chunks(intersection(within(0, liveFrom), backlog.requested), plan.historyChunk)
  const first = requested.slice(0, backlog.requestCapacity)
  const lowest = isHistoryEnabled ? 0 : Math.min(liveFrom, backlog.reached ?? liveFrom)
  const isOff = !isLiveEnabled && !isHistoryEnabled
  const rest = isOff ? [] : chunks(difference(within(lowest, liveFrom), normalize(first)), plan.historyChunk)
  return [
    ...live.slice(0, backlog.liveCapacity),
    ...first,
    ...rest.slice(0, Math.max(0, backlog.historyCapacity - first.length)),
  ]
}

function chunks(heights: HeightSet, length: number): HeightRange[] {
  const out: HeightRange[] = []
  for (const range of heights.toReversed()) {
    for (let to = range.to; to > range.from; to -= length) out.push({ from: Math.max(range.from, to - length), to })
  }
  return out
}
