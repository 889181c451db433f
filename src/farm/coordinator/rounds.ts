import { withTransaction } from '../../db/pool.ts'
import { addCheckpoints } from '../coverage/sql/add-checkpoints.ts'
import { foldLeases } from '../coverage/sql/fold-leases.ts'
import { lockCheckpoints } from '../coverage/sql/lock-checkpoints.ts'
import type { EndedRun, QueuedLease } from '../leases/lease.ts'
import { handOverLeases } from '../leases/sql/hand-over-leases.ts'
import { reapLeases } from '../leases/sql/reap-leases.ts'
import { requeueDueLeases } from '../leases/sql/requeue-due-leases.ts'
import type { CoordinatorOptions } from './coordinator-options.ts'
import type { HandOver } from './hand-over.ts'
import { HistoryRest } from './history-rest.ts'
import { SearchSpans } from './search-spans.ts'
import { cutLeases } from './sql/cut-leases.ts'
import type { Allowance } from './sql/cut-leases.ts'
import { readFarmState } from './sql/read-farm-state.ts'
import type { FarmState, LeaseCounts } from './sql/read-farm-state.ts'
import type { WorkerPlan } from './worker-plan.ts'

const noLeases: LeaseCounts = { openLive: 0, openHistory: 0, failed: 0, flagged: 0 }

/** The rounds of one term of the coordinator. Each does what is due and remembers only when it did it last. */
export class Rounds {
  readonly #options: CoordinatorOptions
  readonly #handOver: HandOver
  readonly #rest: HistoryRest
  readonly #spans: SearchSpans
  readonly #known = new Set<string>()
  readonly #heldBack = new Set<string>()
  #tidyAt = 0
  #foldAt = 0

  constructor(options: CoordinatorOptions, handOver: HandOver) {
    this.#options = options
    this.#handOver = handOver
    this.#rest = new HistoryRest(options.historySleepMs ?? 0)
    this.#spans = new SearchSpans(options.span ?? 100_000)
  }

  /** @returns whether the next round should follow at once, because this one did not look everywhere */
  async next(): Promise<boolean> {
    const startedAt = performance.now()
    const plans = this.#options.workers()
    const names = plans.map((plan) => plan.name)
    await this.#addCheckpoints(names)
    const tidied = await this.#tidy(names)
    const liveBlocks = this.#liveBlocks(plans)
    const state = await readFarmState(this.#options.pool, names, liveBlocks)
    const { cut, isMore } = await this.#cut(plans, state, liveBlocks)
    const liveFrom = liveBlocks > 0 && state.stored !== undefined ? state.stored.to - liveBlocks : Infinity
    this.#handOver.give([...cut, ...tidied.queued].map((lease) => ({ ...lease, isLive: lease.from >= liveFrom })))
    const folded = await this.#fold(names)
    this.#options.onRound?.({
      cut: cut.length, expired: tidied.expired, requeued: tidied.requeued, handedOver: tidied.handedOver, folded,
      seconds: (performance.now() - startedAt) / 1000,
    })
    return isMore
  }

  /** Without live derivers no height is live; else at least as many as go into one range, or a new block could be history. */
  #liveBlocks(plans: readonly WorkerPlan[]): number {
    const { isLiveEnabled = true, liveBlocks = 100 } = this.#options
    return isLiveEnabled ? Math.max(liveBlocks, ...plans.map((plan) => plan.liveChunk)) : 0
  }

  async #addCheckpoints(names: readonly string[]): Promise<void> {
    if (names.every((name) => this.#known.has(name))) return
    await addCheckpoints(this.#options.pool, names)
    for (const name of names) this.#known.add(name)
  }

  async #tidy(names: readonly string[]): Promise<{ queued: QueuedLease[]; expired: readonly EndedRun[]; requeued: number; handedOver: number }> {
    const { pool, log, retryPolicy, tidyMs = 250, staleMs = 5000 } = this.#options
    if (performance.now() < this.#tidyAt) return { queued: [], expired: [], requeued: 0, handedOver: 0 }
    const reaped = await reapLeases(pool, retryPolicy)
    const due = await requeueDueLeases(pool, names)
    const stale = await handOverLeases(pool, names, staleMs)
    this.#tidyAt = performance.now() + tidyMs
    for (const run of reaped.runs) log.warn(run, 'a process did not renew its lease in time')
    const reapedOfOurs = reaped.queued.filter((lease) => names.includes(lease.worker))
    return { queued: [...reapedOfOurs, ...due, ...stale], expired: reaped.runs, requeued: due.length, handedOver: stale.length }
  }

  async #cut(
    plans: readonly WorkerPlan[], state: FarmState, liveBlocks: number,
  ): Promise<{ cut: QueuedLease[]; isMore: boolean }> {
    const { pool, isLiveEnabled = true, isHistoryEnabled = true } = this.#options
    const { stored } = state
    if (stored === undefined || (!isLiveEnabled && !isHistoryEnabled)) return { cut: [], isMore: false }
    const allowances = plans.map((plan) => this.#allowance(plan, state)).filter((a) => a.liveRoom + a.historyRoom > 0)
    if (allowances.length === 0) return { cut: [], isMore: false }
    const startedAt = performance.now()
    const cut = await withTransaction(pool, async (client) => {
      await lockCheckpoints(client, allowances.map((a) => a.plan.name))
      return cutLeases(client, allowances, { liveBlocks, isHistoryEnabled })
    })
    const endedAt = performance.now()
    const isMore = allowances.map(({ plan, historyRoom, span }) => {
      const depths = cut.filter((lease) => lease.worker === plan.name).map((lease) => stored.to - lease.from).filter((depth) => depth > liveBlocks)
      return this.#spans.searched(plan.name, { span, whole: stored.to - stored.from, room: historyRoom, depths, startedAt, endedAt })
    })
    return { cut, isMore: isMore.includes(true) }
  }

  #allowance(plan: WorkerPlan, { counts, stored }: FarmState): Allowance {
    const { maxOpen = 64, maxTroubled = 1000, log } = this.#options
    const count = counts.get(plan.name) ?? noLeases
    const troubled = count.failed + count.flagged
    const isHeldBack = troubled >= maxTroubled
    if (isHeldBack && !this.#heldBack.has(plan.name)) {
      this.#heldBack.add(plan.name)
      log.error({ worker: plan.name, ...count }, 'most ranges of the worker fail: it gets no new ones until a person has looked at them')
    } else if (!isHeldBack) this.#heldBack.delete(plan.name)
    // Not before half of it is done: many at a time cost little more than one, to find as well as to hand over.
    const historyRoom = isHeldBack || count.openHistory > maxOpen / 2 ? 0 : maxOpen - count.openHistory
    return {
      plan, liveRoom: isHeldBack || stored === undefined ? 0 : Math.max(0, maxOpen - count.openLive),
      historyRoom: this.#rest.room(plan.name, count.openHistory, historyRoom, performance.now()),
      span: this.#spans.of(plan.name),
    }
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
