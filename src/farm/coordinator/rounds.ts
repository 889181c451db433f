import type pg from 'pg'
import { withTransaction } from '../../platform/db/pool.ts'
import { parseMultirange } from '../../platform/ranges.ts'
import type { HeightSet } from '../../platform/ranges.ts'
import { addCheckpoints, foldLeases, lockCheckpoints, ingesterServices } from '../leases/coverage.ts'
import type { EndedRun, QueuedLease } from '../leases/leases.ts'
import { reenqueueLeases, requeueDueLeases, allocateLeases } from './plan-leases.ts'
import type { Allowance, WorkerPlan } from './plan-leases.ts'
import { reapLeases } from '../leases/leases.ts'
import { finishRequests } from '../leases/requests.ts'
import type { CoordinatorOptions } from './coordinator.ts'
import type { LeaseEnqueuer } from './lease-enqueuer.ts'

const noLeases: LeaseCounts = { openLive: 0, openHistory: 0, failed: 0, flagged: 0 }

interface Capacity {
  readonly plan: WorkerPlan
  readonly live: number
  readonly history: number
}

export class Rounds {
  readonly #options: CoordinatorOptions
  readonly #enqueuer: LeaseEnqueuer
  readonly #rest: HistoryRest
  readonly #batcher: HistoryBatcher
  readonly #spans: SearchSpans
  readonly #known = new Set<string>()
  readonly #heldBack = new Set<string>()
  #tidyAt = 0
  #foldAt = 0
  #finishAt = 0

  constructor(options: CoordinatorOptions, enqueuer: LeaseEnqueuer) {
    this.#options = options
    this.#enqueuer = enqueuer
    this.#rest = new HistoryRest(options.historySleepMs ?? 0)
    this.#batcher = new HistoryBatcher(options.historyBatchMs ?? 0)
    this.#spans = new SearchSpans(options.span ?? 100_000)
  }

  /** @returns whether the next round should follow at once */
  async next(): Promise<boolean> {
    const startedAt = performance.now()
    const plans = this.#options.workers()
    const names = plans.map((plan) => plan.name)
    await this.#addCheckpoints(names)
    // Folds what was completed without a coordinator: allocation reads every done lease of its
    // window.
    const foldedAhead = this.#foldAt === 0 ? await this.#fold(names) : 0
    const tidied = await this.#tidy(names)
    const liveBlocks = this.#liveBlocks(plans)
    const state = await readFarmState(this.#options.pool, names, liveBlocks)
    const requested = await readRequestedHeights(this.#options.pool)
    const { allocated, isMore } = await this.#allocate(plans, state, liveBlocks, requested)
    const liveFrom = liveBlocks > 0 && state.stored !== undefined ? state.stored.to - liveBlocks : Infinity
    this.#enqueuer.give([...allocated, ...tidied.queued].map((lease) => ({ ...lease, isLive: lease.from >= liveFrom })))
    const folded = foldedAhead + (await this.#fold(names))
    if (requested.size > 0) await this.#finishRequests(names)
    this.#options.onRound?.({
      allocated: allocated.length,
      expired: tidied.expired,
      requeued: tidied.requeued,
      reenqueued: tidied.reenqueued,
      folded,
      seconds: (performance.now() - startedAt) / 1000,
    })
    return isMore
  }

  /** Without live derivers none, else at least one range, or new blocks could count as history. */
  #liveBlocks(plans: readonly WorkerPlan[]): number {
    const { isLiveEnabled = true, liveBlocks = 100 } = this.#options
    return isLiveEnabled ? Math.max(liveBlocks, ...plans.map((plan) => plan.liveChunk)) : 0
  }

  async #addCheckpoints(names: readonly string[]): Promise<void> {
    if (names.every((name) => this.#known.has(name))) return
    await addCheckpoints(this.#options.pool, names)
    for (const name of names) this.#known.add(name)
  }

  async #tidy(
    names: readonly string[],
  ): Promise<{ queued: QueuedLease[]; expired: readonly EndedRun[]; requeued: number; reenqueued: number }> {
    const { pool, log, retryPolicy, tidyMs = 250, staleMs = 5000 } = this.#options
    if (performance.now() < this.#tidyAt) return { queued: [], expired: [], requeued: 0, reenqueued: 0 }
    const reaped = await reapLeases(pool, retryPolicy)
    const due = await requeueDueLeases(pool, names)
    const stale = await reenqueueLeases(pool, names, staleMs)
    this.#tidyAt = performance.now() + tidyMs
    for (const run of reaped.runs) log.warn(run, 'Lease expired')
    const reapedOfOurs = reaped.queued.filter((lease) => names.includes(lease.worker))
    return {
      queued: [...reapedOfOurs, ...due, ...stale],
      expired: reaped.runs,
      requeued: due.length,
      reenqueued: stale.length,
    }
  }

  async #allocate(
    plans: readonly WorkerPlan[],
    state: FarmState,
    liveBlocks: number,
    requested: ReadonlyMap<string, HeightSet>,
  ): Promise<{ allocated: QueuedLease[]; isMore: boolean }> {
    const { pool, isLiveEnabled = true, isHistoryEnabled = true } = this.#options
    const { stored } = state
    if (stored === undefined) return { allocated: [], isMore: false }
    const capacities = plans
      .map((plan) => this.#capacity(plan, state))
      .filter(({ live, history }) => live + history > 0)
    const isOff = !isLiveEnabled && !isHistoryEnabled
    if (capacities.length === 0 || (isOff && requested.size === 0)) return { allocated: [], isMore: false }
    const startedAt = performance.now()
    const { first, allocated, allowances } = await withTransaction(pool, async (client) => {
      await lockCheckpoints(
        client,
        capacities.map(({ plan }) => plan.name),
      )
      const first = await this.#allocateRequested(client, capacities, liveBlocks, requested)
      const allowances = isOff ? [] : capacities.map((capacity) => this.#allowance(capacity, state, first))
      const allocated = isOff ? [] : await allocateLeases(client, allowances, { liveBlocks, isHistoryEnabled })
      return { first, allocated, allowances }
    })
    const endedAt = performance.now()
    // Workers that follow others need no batching: they get ranges that those have done.
    const batched = new Set(plans.filter(({ follows }) => follows.length === 0).map(({ name }) => name))
    for (const { worker, to } of allocated) {
      if (to <= stored.to - liveBlocks && batched.has(worker)) this.#batcher.given(worker, endedAt)
    }
    const isMore = allowances.map(({ plan, historyCapacity, span }) => {
      const depths = allocated
        .filter((lease) => lease.worker === plan.name)
        .map((lease) => stored.to - lease.from)
        .filter((depth) => depth > liveBlocks)
      return this.#spans.searched(plan.name, {
        span,
        whole: stored.to - stored.from,
        max: historyCapacity,
        depths,
        startedAt,
        endedAt,
      })
    })
    return { allocated: [...first, ...allocated], isMore: isMore.includes(true) }
  }

  /** Before other history, even if history derivers are disabled. */
  async #allocateRequested(
    client: pg.ClientBase,
    capacities: readonly Capacity[],
    liveBlocks: number,
    requested: ReadonlyMap<string, HeightSet>,
  ): Promise<QueuedLease[]> {
    const allowances = capacities.flatMap(({ plan, history }): Allowance[] => {
      const within = requested.get(plan.name)
      return within === undefined || history === 0
        ? []
        : [{ plan, liveCapacity: 0, historyCapacity: history, span: 0, within }]
    })
    return allowances.length === 0 ? [] : allocateLeases(client, allowances, { liveBlocks, isHistoryEnabled: true })
  }

  #allowance({ plan, live, history }: Capacity, { counts }: FarmState, first: readonly QueuedLease[]): Allowance {
    const requested = first.filter(({ worker }) => worker === plan.name).length
    const open = (counts.get(plan.name)?.openHistory ?? 0) + requested
    const now = performance.now()
    const historyCapacity = this.#batcher.limit(
      plan.name,
      this.#rest.limit(plan.name, open, history - requested, now),
      now,
    )
    return { plan, liveCapacity: live, historyCapacity, span: this.#spans.of(plan.name) }
  }

  #capacity(plan: WorkerPlan, { counts, stored }: FarmState): Capacity {
    const { maxOpen = 64, maxFailing = 1000, log } = this.#options
    const count = counts.get(plan.name) ?? noLeases
    const failing = count.failed + count.flagged
    const isHeldBack = failing >= maxFailing
    if (isHeldBack && !this.#heldBack.has(plan.name)) {
      this.#heldBack.add(plan.name)
      log.error(
        { worker: plan.name, ...count },
        'Worker gets no new ranges: too many of them fail. Review its failed ranges.',
      )
    } else if (!isHeldBack) this.#heldBack.delete(plan.name)
    // Refill at half, because many leases cost little more than one to find and enqueue.
    const history = isHeldBack || count.openHistory > maxOpen / 2 ? 0 : maxOpen - count.openHistory
    return { plan, live: isHeldBack || stored === undefined ? 0 : Math.max(0, maxOpen - count.openLive), history }
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

  async #fold(names: readonly string[]): Promise<number> {
    const { pool, foldMs = 500 } = this.#options
    const startedAt = performance.now()
    if (startedAt < this.#foldAt) return 0
    const folded = await withTransaction(pool, async (client) => {
      await lockCheckpoints(client, names)
      return foldLeases(client, names)
    })
    const endedAt = performance.now()
    this.#foldAt = endedAt + Math.max(foldMs, 10 * (endedAt - startedAt))
    return folded
  }
}

const maxOpen = 1000

/** Uses the index on open requests. */
async function readRequestedHeights(db: pg.Pool | pg.ClientBase): Promise<Map<string, HeightSet>> {
  const { rows } = await db.query<{ worker: string; heights: string }>({
    name: 'farm-requested-heights',
    text: `
      select w.worker, range_agg(int8range(r.from_height, r.to_height))::text as heights
      from (select * from app.backfill_requests where finished_at is null order by id limit ${maxOpen}) r
      cross join unnest(r.workers) as w (worker)
      group by w.worker`,
  })
  return new Map(rows.map(({ worker, heights }) => [worker, parseMultirange(heights)]))
}

/**
 * HISTORY_DERIVERS_BATCH_MS: without a minimum interval, a worker that keeps up with ingestion
 * would get many small ranges of history, and a commit costs as much as ten blocks. Not needed for
 * workers that follow others.
 */
export class HistoryBatcher {
  readonly #batchMs: number
  readonly #givenAt = new Map<string, number>()

  constructor(batchMs: number) {
    this.#batchMs = batchMs
  }

  /** At most `max`. `now` in milliseconds. */
  limit(worker: string, max: number, now: number): number {
    const givenAt = this.#givenAt.get(worker)
    return givenAt !== undefined && now - givenAt < this.#batchMs ? 0 : max
  }

  given(worker: string, now: number): void {
    this.#givenAt.set(worker, now)
  }
}

/**
 * HISTORY_DERIVERS_SLEEP_MS: each worker does one range of history at a time and then pauses.
 *
 *     working ──no open range of history──► resting ──restMs passed──► may get one ──► working
 */
export class HistoryRest {
  readonly #restMs: number
  readonly #restingSince = new Map<string, number>()

  /** @param restMs 0: no pause, and no limit of one range */
  constructor(restMs: number) {
    this.#restMs = restMs
  }

  /** At most `max`. `now` in milliseconds. */
  limit(worker: string, open: number, max: number, now: number): number {
    if (this.#restMs === 0) return max
    if (open > 0) {
      this.#restingSince.delete(worker)
      return 0
    }
    const since = this.#restingSince.get(worker)
    if (since !== undefined && now - since >= this.#restMs) {
      // The range may be done before the next call, so the pause starts when no range is seen next.
      this.#restingSince.delete(worker)
      return Math.min(1, max)
    }
    if (since === undefined) this.#restingSince.set(worker, now)
    return 0
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
