import type pg from 'pg'
import { withTransaction } from '../../platform/db/pool.ts'
import { parseMultirange } from '../../platform/ranges.ts'
import type { HeightSet } from '../../platform/ranges.ts'
import { addCheckpoints, foldLeases, lockCheckpoints, ingesterServices } from '../leases/coverage.ts'
import type { EndedAttempt, QueuedLease } from '../leases/leases.ts'
import { insertLeases, readBacklogs, reenqueueLeases, requeueDueLeases } from './plan-leases.ts'
import { planRanges } from './plan-ranges.ts'
import type { WorkerPlan } from './plan-ranges.ts'
import { maxFailing as maxFailingLeases, reapLeases } from '../leases/leases.ts'
import { finishRequests } from '../leases/requests.ts'
import type { CoordinatorOptions } from './coordinator.ts'
import type { LeaseEnqueuer } from './lease-enqueuer.ts'

const noLeases: LeaseCounts = { openLive: 0, openHistory: 0, failed: 0, flagged: 0 }

interface Cleaned {
  readonly queued: readonly QueuedLease[]
  readonly expired: readonly EndedAttempt[]
  readonly requeued: number
  readonly reenqueued: number
}

interface Capacity {
  readonly plan: WorkerPlan
  readonly live: number
  readonly history: number
}

export class Rounds {
  readonly #options: CoordinatorOptions
  readonly #enqueuer: LeaseEnqueuer
  readonly #rest: HistoryPause
  readonly #batcher: HistoryBatcher
  readonly #spans: SearchSpans
  readonly #known = new Set<string>()
  readonly #suspended = new Set<string>()
  #cleanUpAt = 0
  #foldAt = 0
  #finishAt = 0

  constructor(options: CoordinatorOptions, enqueuer: LeaseEnqueuer) {
    this.#options = options
    this.#enqueuer = enqueuer
    this.#rest = new HistoryPause(options.historySleepMs ?? 0)
    this.#batcher = new HistoryBatcher(options.historyBatchMs ?? 0)
    this.#spans = new SearchSpans(options.span ?? 100_000)
  }

  /** @returns `more`: the next round should follow at once; `idle`: there is nothing to do or to watch */
  async next(): Promise<'more' | 'waiting' | 'idle'> {
    const { pool, log, onRound } = this.#options
    const startedAt = performance.now()
    const plans = this.#options.workers()
    const names = plans.map((plan) => plan.name)
    await this.#addCheckpoints(names)
    const liveBlocks = this.#liveBlocks(plans)
    const { state, requested, cleaned, planned, folded, isMore, isPending } = await withTransaction(
      pool,
      async (client) => {
        await lockCheckpoints(client, names)
        // Folds what was completed without a coordinator: planning reads every done lease of its
        // window.
        const foldedAhead = this.#foldAt === 0 ? await this.#fold(client, names) : 0
        const cleaned = await this.#cleanUp(client, names)
        const state = await readFarmState(client, names, liveBlocks)
        const requested = await readRequestedHeights(client)
        const { leases, isMore, isPending } = await this.#plan(client, plans, state, liveBlocks, requested)
        const folded = foldedAhead + (await this.#fold(client, names))
        return { state, requested, cleaned, planned: leases, folded, isMore, isPending }
      },
    )
    for (const run of cleaned.expired) log.warn(run, 'Lease expired')
    const liveFrom = liveBlocks > 0 && state.stored !== undefined ? state.stored.to - liveBlocks : Infinity
    this.#enqueuer.give([...planned, ...cleaned.queued].map((lease) => ({ ...lease, isLive: lease.from >= liveFrom })))
    if (requested.size > 0) await this.#finishRequests(names)
    onRound?.({
      allocated: planned.length,
      expired: cleaned.expired,
      requeued: cleaned.requeued,
      reenqueued: cleaned.reenqueued,
      folded,
      seconds: (performance.now() - startedAt) / 1000,
    })
    if (isMore) return 'more'
    const isWatched = [...state.counts.values()].some(
      ({ openLive, openHistory, failed }) => openLive + openHistory + failed > 0,
    )
    return isPending || isWatched || requested.size > 0 ? 'waiting' : 'idle'
  }

  /** 0 without live derivers, else at least one range, so that new blocks do not count as history. */
  #liveBlocks(plans: readonly WorkerPlan[]): number {
    const { isLiveEnabled = true, liveBlocks = 100 } = this.#options
    return isLiveEnabled ? Math.max(liveBlocks, ...plans.map((plan) => plan.liveChunk)) : 0
  }

  async #addCheckpoints(names: readonly string[]): Promise<void> {
    if (names.every((name) => this.#known.has(name))) return
    await addCheckpoints(this.#options.pool, names)
    for (const name of names) this.#known.add(name)
  }

  async #cleanUp(client: pg.ClientBase, names: readonly string[]): Promise<Cleaned> {
    const { retryPolicy, cleanUpMs = 250, staleMs = 5000 } = this.#options
    if (performance.now() < this.#cleanUpAt) return { queued: [], expired: [], requeued: 0, reenqueued: 0 }
    const reaped = await reapLeases(client, retryPolicy)
    const due = await requeueDueLeases(client, names)
    const stale = await reenqueueLeases(client, names, staleMs)
    this.#cleanUpAt = performance.now() + cleanUpMs
    const reapedOfOurs = reaped.queued.filter((lease) => names.includes(lease.worker))
    return {
      queued: [...reapedOfOurs, ...due, ...stale],
      expired: reaped.runs,
      requeued: due.length,
      reenqueued: stale.length,
    }
  }

  async #plan(
    client: pg.ClientBase,
    plans: readonly WorkerPlan[],
    state: FarmState,
    liveBlocks: number,
    requested: ReadonlyMap<string, HeightSet>,
  ): Promise<{ leases: readonly QueuedLease[]; isMore: boolean; isPending: boolean }> {
    const { isLiveEnabled = true, isHistoryEnabled = true } = this.#options
    const { stored } = state
    const capacities = this.#capacities(plans, state)
    const isOff = !isLiveEnabled && !isHistoryEnabled && requested.size === 0
    if (stored === undefined || isOff || capacities.every(({ live, history }) => live + history === 0))
      return { leases: [], isMore: false, isPending: stored !== undefined && !isOff }
    const now = performance.now()
    const historyCapacities = this.#historyCapacities(capacities, state, now)
    const spans = new Map(plans.map(({ name }) => [name, this.#spans.of(name)]))
    // The same for all, so that workers with equal backlogs get equal ranges.
    const span = Math.max(liveBlocks, ...spans.values())
    const lowest = Math.min(...[...requested.values()].map((heights) => heights[0]?.from ?? Infinity))
    const names = new Set(plans.flatMap(({ name, follows }) => [name, ...follows]))
    const startedAt = performance.now()
    const heights = await readBacklogs(client, [...names], span, Number.isFinite(lowest) ? lowest : undefined)
    const ranges = planRanges(
      capacities.map(({ plan, live, history }) => ({
        plan,
        pending: heights.get(plan.name)?.pending ?? [],
        reached: heights.get(plan.name)?.reached,
        requested: requested.get(plan.name) ?? [],
        liveCapacity: live,
        requestCapacity: history,
        historyCapacity: historyCapacities.get(plan.name) ?? 0,
      })),
      {
        head: stored.to,
        liveBlocks,
        isLiveEnabled,
        isHistoryEnabled,
        passable: new Map([...heights].map(([name, { passable }]) => [name, passable])),
      },
    )
    const leases = await insertLeases(client, ranges)
    const endedAt = performance.now()
    const history = ranges.filter(({ isLive }) => !isLive)
    if (history.length > 0) this.#batcher.given(endedAt)
    const isMore = capacities.map(({ plan: { name } }) =>
      this.#spans.searched(name, {
        span: Math.max(span, spans.get(name) ?? 0),
        whole: stored.to - stored.from,
        max: historyCapacities.get(name) ?? 0,
        depths: history.filter(({ workers }) => workers.includes(name)).map(({ from }) => stored.to - from),
        startedAt,
        endedAt,
      }),
    )
    const isPending = [...heights.values()].some(({ pending }) => pending.length > 0)
    return { leases, isMore: isMore.includes(true), isPending }
  }

  /** Requested heights are planned before other history, up to the capacity of the worker. */
  #historyCapacities(capacities: readonly Capacity[], { counts }: FarmState, now: number): ReadonlyMap<string, number> {
    const open = new Map(capacities.map(({ plan }) => [plan.name, counts.get(plan.name)?.openHistory ?? 0]))
    const max = this.#rest.limit(open, now)
    const isDue = this.#batcher.isDue(now)
    return new Map(
      capacities.map(({ plan: { name }, history }) => [name, isDue ? Math.min(history, max.get(name) ?? 0) : 0]),
    )
  }

  #capacities(plans: readonly WorkerPlan[], { counts, stored }: FarmState): Capacity[] {
    const { maxOpen = 64, maxFailing = maxFailingLeases, log } = this.#options
    const capacities = plans.map((plan): Capacity => {
      const count = counts.get(plan.name) ?? noLeases
      const isSuspended = count.failed + count.flagged >= maxFailing
      if (isSuspended && !this.#suspended.has(plan.name)) {
        this.#suspended.add(plan.name)
        log.error(
          { worker: plan.name, ...count },
          'Worker gets no new ranges: too many of them fail. Review its failed ranges.',
        )
      } else if (!isSuspended) this.#suspended.delete(plan.name)
      if (isSuspended || stored === undefined) return { plan, live: 0, history: 0 }
      return { plan, live: Math.max(0, maxOpen - count.openLive), history: Math.max(0, maxOpen - count.openHistory) }
    })
    // Refill all at half of one, because many leases cost little more than one to find and enqueue.
    const isRefill = capacities.some(({ history }) => history >= maxOpen / 2)
    return isRefill ? capacities : capacities.map((capacity) => ({ ...capacity, history: 0 }))
  }

  /** Linear in the ranges of coverage, so it runs periodically. */
  async #finishRequests(names: readonly string[]): Promise<void> {
    const { pool, log, foldMs = 500 } = this.#options
    const startedAt = performance.now()
    if (startedAt < this.#finishAt) return
    const finished = await finishRequests(pool, names)
    const endedAt = performance.now()
    this.#finishAt = endedAt + Math.max(foldMs, 10 * (endedAt - startedAt))
    for (const request of finished) log.info({ request }, 'Backfill request finished')
  }

  async #fold(client: pg.ClientBase, names: readonly string[]): Promise<number> {
    const { foldMs = 500 } = this.#options
    const startedAt = performance.now()
    if (startedAt < this.#foldAt) return 0
    const folded = await foldLeases(client, names)
    const endedAt = performance.now()
    this.#foldAt = endedAt + Math.max(foldMs, 10 * (endedAt - startedAt))
    return folded
  }
}

const maxRequests = 1000

/** Uses the index on open requests. */
export async function readRequestedHeights(db: pg.Pool | pg.ClientBase): Promise<Map<string, HeightSet>> {
  const { rows } = await db.query<{ worker: string; heights: string }>({
    name: 'farm-requested-heights',
    text: `
      select w.worker, range_agg(int8range(r.from_height, r.to_height))::text as heights
      from (select * from app.backfill_requests where finished_at is null order by id limit ${maxRequests}) r
      cross join unnest(r.workers) as w (worker)
      group by w.worker`,
  })
  return new Map(rows.map(({ worker, heights }) => [worker, parseMultirange(heights)]))
}

/**
 * HISTORY_DERIVERS_BATCH_MS: without a minimum interval, a farm that keeps up with ingestion would
 * get many small ranges of history, and a commit costs as much as ten blocks.
 */
export class HistoryBatcher {
  readonly #batchMs: number
  #givenAt = -Infinity

  constructor(batchMs: number) {
    this.#batchMs = batchMs
  }

  /** `now` in milliseconds. */
  isDue(now: number): boolean {
    return now - this.#givenAt >= this.#batchMs
  }

  given(now: number): void {
    this.#givenAt = now
  }
}

/**
 * HISTORY_DERIVERS_SLEEP_MS: each worker does one range of history at a time and then pauses. Idle
 * workers end their pauses together, so that they get the same range.
 *
 *     working ──no open range of history──► resting ──restMs passed──► may get one ──► working
 */
export class HistoryPause {
  readonly #restMs: number
  readonly #restingSince = new Map<string, number>()

  /** @param restMs 0: no pause, and no limit of one range */
  constructor(restMs: number) {
    this.#restMs = restMs
  }

  /** Ranges of history that each worker may get. @param open its open ones @param now ms */
  limit(open: ReadonlyMap<string, number>, now: number): ReadonlyMap<string, number> {
    if (this.#restMs === 0) return new Map([...open].map(([worker]) => [worker, Infinity]))
    for (const [worker, count] of open) {
      if (count > 0) this.#restingSince.delete(worker)
      else if (!this.#restingSince.has(worker)) this.#restingSince.set(worker, now)
    }
    const isRested = [...this.#restingSince.values()].every((since) => now - since >= this.#restMs)
    if (!isRested) return new Map()
    const rested = [...this.#restingSince.keys()]
    // Ranges may be done before the next call, so the pause starts when none is open next.
    this.#restingSince.clear()
    return new Map(rested.map((worker) => [worker, 1]))
  }
}

interface LeaseCounts {
  readonly openLive: number
  readonly openHistory: number
  readonly failed: number
  readonly flagged: number
}

interface FarmState {
  /** `to` exclusive. */
  readonly stored: { readonly from: number; readonly to: number } | undefined
  readonly counts: ReadonlyMap<string, LeaseCounts>
}

interface Row {
  readonly worker: string
  readonly lowest: string | null
  readonly highest: string | null
  readonly open_live: string
  readonly open_history: string
  readonly failed: string
  readonly flagged: string
}

/** The live zone is the newest `liveBlocks` stored heights. */
export async function readFarmState(
  db: pg.Pool | pg.ClientBase,
  workers: readonly string[],
  liveBlocks: number,
): Promise<FarmState> {
  const { rows } = await db.query<Row>({
    name: 'farm-read-state',
    text: `
      with raw as materialized (
        select min(lower(covered)) as lowest, max(upper(covered)) as highest
        from app.indexing_checkpoints where service_name = any ($1::text[])
      )
      select w.worker, raw.lowest, raw.highest, c.*
      from raw cross join unnest($2::text[]) as w (worker) cross join lateral (
        select
          count(*) filter (where l.status in ('queued', 'active') and l.from_height >= raw.highest - $3::bigint) as
            open_live,
          count(*) filter (where l.status in ('queued', 'active') and (l.from_height >= raw.highest - $3::bigint) is
            not true) as open_history,
          count(*) filter (where l.status = 'failed') as failed,
          count(*) filter (where l.status = 'flagged') as flagged
        from app.worker_leases l
        where l.worker_type = w.worker and l.status in ('queued', 'active', 'failed', 'flagged')
      ) c`,
    values: [ingesterServices, workers, liveBlocks],
  })
  const [first] = rows
  return {
    stored:
      first === undefined || first.lowest === null || first.highest === null
        ? undefined
        : { from: Number(first.lowest), to: Number(first.highest) },
    counts: new Map(
      rows.map((row) => [
        row.worker,
        {
          openLive: Number(row.open_live),
          openHistory: Number(row.open_history),
          failed: Number(row.failed),
          flagged: Number(row.flagged),
        },
      ]),
    ),
  }
}

interface Search {
  readonly span: number
  readonly whole: number
  readonly max: number
  readonly depths: readonly number[]
  readonly startedAt: number
  readonly endedAt: number
}

/** Growth of the depth per search: 200 million blocks take three. */
const widening = 8

/**
 * Search depth below the head for each worker. The cost is linear in the ranges of coverage within
 * it:
 *
 * - twice the depth of the last finds, while they suffice;
 *
 * - deeper at once if they do not, up to the whole chain;
 *
 * - near the head again if the whole chain has no backlog, for ten times the duration of that
 * search.
 */
export class SearchSpans {
  readonly #min: number
  readonly #spans = new Map<string, number>()
  readonly #nextWidening = new Map<string, number>()

  /** @param min depth near the head, in heights */
  constructor(min: number) {
    this.#min = min
  }

  of(worker: string): number {
    return this.#spans.get(worker) ?? this.#min
  }

  /** Times in milliseconds. @returns whether to search deeper at once */
  searched(worker: string, { span, whole, max, depths, startedAt, endedAt }: Search): boolean {
    if (max === 0) return false
    if (depths.length >= max) {
      this.#spans.set(worker, Math.max(this.#min, 2 * Math.max(...depths)))
      return false
    }
    if (span < whole) {
      if (endedAt < (this.#nextWidening.get(worker) ?? 0)) return false
      this.#spans.set(worker, span * widening)
      return true
    }
    if (depths.length === 0) {
      this.#spans.delete(worker)
      this.#nextWidening.set(worker, endedAt + 10 * (endedAt - startedAt))
    }
    return false
  }
}
