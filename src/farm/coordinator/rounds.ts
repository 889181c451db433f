import type pg from 'pg'
import { withTransaction } from '../../platform/db/pool.ts'
import { parseMultirange } from '../../platform/ranges.ts'
import type { HeightSet } from '../../platform/ranges.ts'
import { addCheckpoints, foldLeases, lockCheckpoints, ingesterServices } from '../leases/coverage.ts'
import type { EndedRun, QueuedLease } from '../leases/leases.ts'
import { handOverLeases, requeueDueLeases, cutLeases } from './plan-leases.ts'
import type { Allowance, WorkerPlan } from './plan-leases.ts'
import { reapLeases } from '../leases/leases.ts'
import { finishRequests } from '../leases/requests.ts'
import type { CoordinatorOptions } from './coordinator.ts'
import type { HandOver } from './hand-over.ts'

const noLeases: LeaseCounts = { openLive: 0, openHistory: 0, failed: 0, flagged: 0 }

/** How many leases more a worker may have. */
interface Room {
  readonly plan: WorkerPlan
  readonly live: number
  readonly history: number
}

/** The rounds of one term of the coordinator. Each does what is due and remembers only when it did it last. */
export class Rounds {
  readonly #options: CoordinatorOptions
  readonly #handOver: HandOver
  readonly #rest: HistoryRest
  readonly #gather: HistoryGather
  readonly #spans: SearchSpans
  readonly #known = new Set<string>()
  readonly #heldBack = new Set<string>()
  #tidyAt = 0
  #foldAt = 0
  #finishAt = 0

  constructor(options: CoordinatorOptions, handOver: HandOver) {
    this.#options = options
    this.#handOver = handOver
    this.#rest = new HistoryRest(options.historySleepMs ?? 0)
    this.#gather = new HistoryGather(options.historyGatherMs ?? 0)
    this.#spans = new SearchSpans(options.span ?? 100_000)
  }

  /** @returns whether the next round should follow at once, because this one did not look everywhere */
  async next(): Promise<boolean> {
    const startedAt = performance.now()
    const plans = this.#options.workers()
    const names = plans.map((plan) => plan.name)
    await this.#addCheckpoints(names)
    // What was done while nobody coordinated: a cut reads every done lease of its window.
    const foldedAhead = this.#foldAt === 0 ? await this.#fold(names) : 0
    const tidied = await this.#tidy(names)
    const liveBlocks = this.#liveBlocks(plans)
    const state = await readFarmState(this.#options.pool, names, liveBlocks)
    const requested = await readRequestedHeights(this.#options.pool)
    const { cut, isMore } = await this.#cut(plans, state, liveBlocks, requested)
    const liveFrom = liveBlocks > 0 && state.stored !== undefined ? state.stored.to - liveBlocks : Infinity
    this.#handOver.give([...cut, ...tidied.queued].map((lease) => ({ ...lease, isLive: lease.from >= liveFrom })))
    const folded = foldedAhead + (await this.#fold(names))
    if (requested.size > 0) await this.#finishRequests(names)
    this.#options.onRound?.({
      cut: cut.length,
      expired: tidied.expired,
      requeued: tidied.requeued,
      handedOver: tidied.handedOver,
      folded,
      seconds: (performance.now() - startedAt) / 1000,
    })
    return isMore
  }

  /**
   * Without live derivers no height is live; else at least as many as go into one range, or a new block could be
   * history.
   */
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
  ): Promise<{ queued: QueuedLease[]; expired: readonly EndedRun[]; requeued: number; handedOver: number }> {
    const { pool, log, retryPolicy, tidyMs = 250, staleMs = 5000 } = this.#options
    if (performance.now() < this.#tidyAt) return { queued: [], expired: [], requeued: 0, handedOver: 0 }
    const reaped = await reapLeases(pool, retryPolicy)
    const due = await requeueDueLeases(pool, names)
    const stale = await handOverLeases(pool, names, staleMs)
    this.#tidyAt = performance.now() + tidyMs
    for (const run of reaped.runs) log.warn(run, 'a process did not renew its lease in time')
    const reapedOfOurs = reaped.queued.filter((lease) => names.includes(lease.worker))
    return {
      queued: [...reapedOfOurs, ...due, ...stale],
      expired: reaped.runs,
      requeued: due.length,
      handedOver: stale.length,
    }
  }

  async #cut(
    plans: readonly WorkerPlan[],
    state: FarmState,
    liveBlocks: number,
    requested: ReadonlyMap<string, HeightSet>,
  ): Promise<{ cut: QueuedLease[]; isMore: boolean }> {
    const { pool, isLiveEnabled = true, isHistoryEnabled = true } = this.#options
    const { stored } = state
    if (stored === undefined) return { cut: [], isMore: false }
    const rooms = plans.map((plan) => this.#room(plan, state)).filter(({ live, history }) => live + history > 0)
    const isOff = !isLiveEnabled && !isHistoryEnabled
    if (rooms.length === 0 || (isOff && requested.size === 0)) return { cut: [], isMore: false }
    const startedAt = performance.now()
    const { first, cut, allowances } = await withTransaction(pool, async (client) => {
      await lockCheckpoints(
        client,
        rooms.map(({ plan }) => plan.name),
      )
      const first = await this.#cutRequested(client, rooms, liveBlocks, requested)
      const allowances = isOff ? [] : rooms.map((room) => this.#allowance(room, state, first))
      const cut = isOff ? [] : await cutLeases(client, allowances, { liveBlocks, isHistoryEnabled })
      return { first, cut, allowances }
    })
    const endedAt = performance.now()
    // What who follows others is given has gathered already: a range that those have done.
    const gathering = new Set(plans.filter(({ follows }) => follows.length === 0).map(({ name }) => name))
    for (const { worker, to } of cut) {
      if (to <= stored.to - liveBlocks && gathering.has(worker)) this.#gather.given(worker, endedAt)
    }
    const isMore = allowances.map(({ plan, historyRoom, span }) => {
      const depths = cut
        .filter((lease) => lease.worker === plan.name)
        .map((lease) => stored.to - lease.from)
        .filter((depth) => depth > liveBlocks)
      return this.#spans.searched(plan.name, {
        span,
        whole: stored.to - stored.from,
        room: historyRoom,
        depths,
        startedAt,
        endedAt,
      })
    })
    return { cut: [...first, ...cut], isMore: isMore.includes(true) }
  }

  /** What people asked for comes before all other history, and also where history is off. */
  async #cutRequested(
    client: pg.ClientBase,
    rooms: readonly Room[],
    liveBlocks: number,
    requested: ReadonlyMap<string, HeightSet>,
  ): Promise<QueuedLease[]> {
    const allowances = rooms.flatMap(({ plan, history }): Allowance[] => {
      const within = requested.get(plan.name)
      return within === undefined || history === 0 ? [] : [{ plan, liveRoom: 0, historyRoom: history, span: 0, within }]
    })
    return allowances.length === 0 ? [] : cutLeases(client, allowances, { liveBlocks, isHistoryEnabled: true })
  }

  #allowance({ plan, live, history }: Room, { counts }: FarmState, first: readonly QueuedLease[]): Allowance {
    const requested = first.filter(({ worker }) => worker === plan.name).length
    const open = (counts.get(plan.name)?.openHistory ?? 0) + requested
    const now = performance.now()
    const historyRoom = this.#gather.room(plan.name, this.#rest.room(plan.name, open, history - requested, now), now)
    return { plan, liveRoom: live, historyRoom, span: this.#spans.of(plan.name) }
  }

  #room(plan: WorkerPlan, { counts, stored }: FarmState): Room {
    const { maxOpen = 64, maxFailing = 1000, log } = this.#options
    const count = counts.get(plan.name) ?? noLeases
    const failing = count.failed + count.flagged
    const isHeldBack = failing >= maxFailing
    if (isHeldBack && !this.#heldBack.has(plan.name)) {
      this.#heldBack.add(plan.name)
      log.error(
        { worker: plan.name, ...count },
        'most ranges of the worker fail: it gets no new ones until a person has looked at them',
      )
    } else if (!isHeldBack) this.#heldBack.delete(plan.name)
    // Not before half of it is done: many at a time cost little more than one, to find as well as to hand over.
    const history = isHeldBack || count.openHistory > maxOpen / 2 ? 0 : maxOpen - count.openHistory
    return { plan, live: isHeldBack || stored === undefined ? 0 : Math.max(0, maxOpen - count.openLive), history }
  }

  /** Costs what the sets of coverage have in pieces, so it is done now and then. */
  async #finishRequests(names: readonly string[]): Promise<void> {
    const { pool, log, foldMs = 500 } = this.#options
    const startedAt = performance.now()
    if (startedAt < this.#finishAt) return
    const finished = await finishRequests(pool, names)
    const endedAt = performance.now()
    this.#finishAt = endedAt + Math.max(foldMs, 10 * (endedAt - startedAt))
    for (const request of finished) log.info({ request }, 'what was asked for is derived')
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

/** Requests that are looked at, the oldest; more wait until some of them are finished. */
const maxOpen = 1000

/** The heights of open requests, by worker. By the index on open requests, which is nearly always empty. */
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
 * HISTORY_DERIVERS_GATHER_MS: a worker that keeps up with ingest would get many small ranges of history, and each
 * commit costs as much as some ten blocks. So it gets none for a while after it got some, and what is stored
 * meanwhile comes as one range. Where much is owed this holds nothing up: each time many ranges are given. Who
 * follows other workers has no need of it.
 */
export class HistoryGather {
  readonly #gatherMs: number
  readonly #givenAt = new Map<string, number>()

  constructor(gatherMs: number) {
    this.#gatherMs = gatherMs
  }

  /** How many ranges of history a worker may have, out of `room`. `now` in milliseconds. */
  room(worker: string, room: number, now: number): number {
    const givenAt = this.#givenAt.get(worker)
    return givenAt !== undefined && now - givenAt < this.#gatherMs ? 0 : room
  }

  /** The worker got ranges of history. */
  given(worker: string, now: number): void {
    this.#givenAt.set(worker, now)
  }
}

/**
 * HISTORY_DERIVERS_SLEEP_MS: each worker does one range of history at a time and rests after it.
 *
 *     working ──no open range of history──► resting ──restMs gone by──► may have one more ──► working
 */
export class HistoryRest {
  readonly #restMs: number
  readonly #restingSince = new Map<string, number>()

  /** @param restMs 0: no rests, and no limit of one range */
  constructor(restMs: number) {
    this.#restMs = restMs
  }

  /**
   * How many ranges of history a worker that has `open` of them may have more, out of `room`. `now` in
   * milliseconds.
   */
  room(worker: string, open: number, room: number, now: number): number {
    if (this.#restMs === 0) return room
    if (open > 0) {
      this.#restingSince.delete(worker)
      return 0
    }
    const since = this.#restingSince.get(worker)
    if (since !== undefined && now - since >= this.#restMs) {
      // That one may be done before anybody looks again, so its rest begins when no range is seen next.
      this.#restingSince.delete(worker)
      return Math.min(1, room)
    }
    if (since === undefined) this.#restingSince.set(worker, now)
    return 0
  }
}

/** How many leases a worker has in each state. */
interface LeaseCounts {
  /** Queued or active, in the live zone. */
  readonly openLive: number
  /** Queued or active, below the live zone. */
  readonly openHistory: number
  readonly failed: number
  readonly flagged: number
}

interface FarmState {
  /** The heights between the lowest and the highest stored one, `to` exclusive; undefined while nothing is stored. */
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

/**
 * Reads the ends of the raw tables and counts the leases of `workers` that are neither done nor skipped. The live
 * zone is the newest `liveBlocks` stored heights. By the index on open leases, so what is done costs nothing.
 */
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

/** What one search for owed heights below the live zone came to. */
interface Search {
  /** How far below the highest stored height it looked. */
  readonly span: number
  /** As far as there is anything to look at. */
  readonly whole: number
  /** Leases that could have been given. */
  readonly room: number
  /** How far below the highest stored height each lease begins that was given. */
  readonly depths: readonly number[]
  readonly startedAt: number
  readonly endedAt: number
}

/** A span is widened by this factor, so that a chain of 200 million blocks is in sight after three rounds. */
const widening = 8

/**
 * How far below the head owed heights are looked for, for each worker. Looking costs what the sets of coverage have in
 * pieces there, so it goes no further down than it must:
 *
 * - as far as twice the depth of the last finds, while they fill the room;
 * - further at once while they do not, up to the whole chain;
 * - near the head again when the whole chain has nothing, and then for ten times as long as looking took.
 */
export class SearchSpans {
  readonly #min: number
  readonly #spans = new Map<string, number>()
  readonly #nextWidening = new Map<string, number>()

  /** @param min the span near the head, in heights */
  constructor(min: number) {
    this.#min = min
  }

  of(worker: string): number {
    return this.#spans.get(worker) ?? this.#min
  }

  /** Takes note of a search. Times in milliseconds. @returns whether to look further down at once */
  searched(worker: string, { span, whole, room, depths, startedAt, endedAt }: Search): boolean {
    if (room === 0) return false
    if (depths.length >= room) {
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
