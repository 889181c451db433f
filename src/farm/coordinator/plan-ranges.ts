import { difference, intersection, union } from '../../platform/ranges.ts'
import type { HeightRange, HeightSet } from '../../platform/ranges.ts'

export interface WorkerPlan {
  readonly name: string
  /** `[]` if only the raw tables are read. */
  readonly follows: readonly string[]
  readonly liveChunk: number
  readonly historyChunk: number
}

export interface Backlog {
  readonly plan: WorkerPlan
  /** Stored, not covered and in no lease. */
  readonly pending: HeightSet
  /** Requested by operators: planned before other history, even if history derivers are disabled. */
  readonly requested: HeightSet
  /** End of the newest coverage or lease. */
  readonly reached: number | undefined
  readonly liveCapacity: number
  readonly requestCapacity: number
  /** At most `requestCapacity`. */
  readonly historyCapacity: number
}

export interface PlanOptions {
  /** End of the stored heights. */
  readonly head: number
  /** Planned in live chunks. */
  readonly liveBlocks: number
  readonly isLiveEnabled: boolean
  /** False: plan only the live zone and heights above the worker's newest lease or coverage. */
  readonly isHistoryEnabled: boolean
  /** Heights that the followers of each worker may derive: done or skipped. */
  readonly passable: ReadonlyMap<string, HeightSet>
}

/** One job: all workers derive the same blocks, each under a lease of its own. */
export interface PlannedRange extends HeightRange {
  /** Each after those that it follows. */
  readonly workers: readonly string[]
  readonly isLive: boolean
}

/**
 * Head first, then requested heights, then the newest history. Workers that owe the same heights get
 * the same ranges; a follower gets heights that its followed workers have done, or do in the same
 * range.
 *
 * @param backlogs each worker after those that it follows
 */
export function planRanges(backlogs: readonly Backlog[], options: PlanOptions): PlannedRange[] {
  const { head, liveBlocks, isLiveEnabled, isHistoryEnabled, passable } = options
  const liveFrom = head - liveBlocks
  const below = [{ from: 0, to: Math.max(0, liveFrom) }]
  const live = planZone(backlogs, passable, {
    isLive: true,
    heights: ({ pending }) => (isLiveEnabled ? difference(pending, below) : []),
    chunk: ({ liveChunk }) => liveChunk,
    capacity: ({ liveCapacity }) => liveCapacity,
  })
  const history = {
    isLive: false,
    chunk: ({ historyChunk }: WorkerPlan) => historyChunk,
  }
  const requested = planZone(backlogs, passable, {
    ...history,
    heights: (backlog) => intersection(intersection(backlog.pending, backlog.requested), below),
    capacity: ({ requestCapacity }) => requestCapacity,
  })
  const isOff = !isLiveEnabled && !isHistoryEnabled
  const rest = planZone(backlogs, passable, {
    ...history,
    heights: ({ plan, pending, reached }) => {
      const lowest = isHistoryEnabled ? 0 : Math.min(liveFrom, reached ?? liveFrom)
      const left = difference(intersection(pending, below), rangesOf(requested, plan.name))
      return isOff ? [] : difference(left, [{ from: 0, to: Math.max(0, lowest) }])
    },
    capacity: (backlog) => Math.max(0, backlog.historyCapacity - rangesOf(requested, backlog.plan.name).length),
  })
  return [...live, ...requested, ...rest]
}

interface Zone {
  readonly isLive: boolean
  heights(backlog: Backlog): HeightSet
  chunk(plan: WorkerPlan): number
  capacity(backlog: Backlog): number
}

function planZone(backlogs: readonly Backlog[], passable: ReadonlyMap<string, HeightSet>, zone: Zone): PlannedRange[] {
  const chunks = new Map(backlogs.map(({ plan }) => [plan.name, zone.chunk(plan)]))
  const capacity = new Map(backlogs.map((backlog) => [backlog.plan.name, zone.capacity(backlog)]))
  const open = new Map<string, HeightSet>()
  for (const backlog of backlogs) {
    const { name, follows } = backlog.plan
    let heights = (capacity.get(name) ?? 0) > 0 ? zone.heights(backlog) : []
    for (const followed of follows) {
      // Ranges of other lengths are separate jobs, which may run in any order.
      const together = chunks.get(followed) === chunks.get(name) ? open.get(followed) : undefined
      heights = intersection(heights, union(passable.get(followed) ?? [], together ?? []))
    }
    open.set(name, heights)
  }
  const planned: PlannedRange[] = []
  for (const [chunk, members] of Map.groupBy(backlogs, ({ plan }) => zone.chunk(plan))) {
    const plans = members.map(({ plan }) => plan)
    for (const segment of segmentsOf(plans, open)) {
      for (let to = segment.to; to > segment.from; to -= chunk) {
        const workers = withCapacity(segment.plans, capacity)
        if (workers.length === 0) break
        planned.push({ from: Math.max(segment.from, to - chunk), to, workers, isLive: zone.isLive })
        for (const worker of workers) capacity.set(worker, (capacity.get(worker) ?? 0) - 1)
      }
    }
  }
  return planned.sort((a, b) => b.to - a.to)
}

/** In each segment a followed worker either takes part or has done all heights. */
function withCapacity(plans: readonly WorkerPlan[], capacity: ReadonlyMap<string, number>): string[] {
  const left = new Set<string>()
  const dropped = new Set<string>()
  for (const { name, follows } of plans) {
    const canRun = (capacity.get(name) ?? 0) > 0 && !follows.some((followed) => dropped.has(followed))
    ;(canRun ? left : dropped).add(name)
  }
  return [...left]
}

interface Segment extends HeightRange {
  readonly plans: readonly WorkerPlan[]
}

/** Heights that exactly these workers can take, newest first. */
function* segmentsOf(plans: readonly WorkerPlan[], open: ReadonlyMap<string, HeightSet>): Generator<Segment> {
  const borders = plans
    .flatMap((plan) =>
      (open.get(plan.name) ?? []).flatMap(({ from, to }) => [
        { height: to, plan, isEntered: true },
        { height: from, plan, isEntered: false },
      ]),
    )
    .sort((a, b) => b.height - a.height)
  const active = new Set<WorkerPlan>()
  let to = 0
  for (const { height, plan, isEntered } of borders) {
    if (active.size > 0 && height < to) yield { from: height, to, plans: plans.filter((one) => active.has(one)) }
    to = height
    if (isEntered) active.add(plan)
    else active.delete(plan)
  }
}

function rangesOf(planned: readonly PlannedRange[], worker: string): HeightSet {
  return planned.filter(({ workers }) => workers.includes(worker)).toReversed()
}
