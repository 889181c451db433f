import type pg from 'pg'
import type { Worker } from '../../../jobs/worker.ts'
import { asError } from '../../platform/errors.ts'
import { farmChannel, listen } from '../../platform/db/listen.ts'
import type { Listener } from '../../platform/db/listen.ts'
import type { DedicatedConnectionOptions } from '../../platform/db/dedicated-connection.ts'
import { LogThrottle } from '../../platform/log-throttle.ts'
import type { Logger } from '../../platform/log.ts'
import type { Metrics } from '../../platform/metrics.ts'
import { pause } from '../../platform/retry.ts'
import { WakeUp } from '../../platform/signals.ts'
import type { RetryPolicy } from '../leases/leases.ts'
import { processName } from '../worker-loop/farm-workers.ts'
import { CompletionAnnouncer, HeldLeases } from '../worker-loop/held-leases.ts'
import type { FaultFor } from '../worker-loop/range-runner.ts'
import { EventRunner } from './event-runner.ts'
import type { EventRunnerOptions } from './event-runner.ts'
import { leaseRanges } from './lease-ranges.ts'
import type { IdleWorker, OwnLease } from './lease-ranges.ts'

/** All registered own workers, without their code. */
export type ReadOwnWorkers = (db: pg.Pool | pg.ClientBase) => Promise<readonly Worker[]>

/** Workers of WORKERS_DIR whose code this process runs. They may change at any time. */
export interface OwnWorkerSource {
  /** Each has `deriveEvents` and was registered with `addOwnWorker`. */
  workers(): readonly Worker[]
  onChange(listener: () => void): void
  /** Ends running derivations. */
  stop(): Promise<void>
}

export interface OwnWorkersOptions extends Pick<EventRunnerOptions, 'deriveTimeoutMs' | 'unitMs' | 'unitBytes'> {
  readonly source: OwnWorkerSource
  /** For LISTEN. */
  readonly databaseUrl: string
  /** For reading and committing ranges: separate from the pools of built-in workers, like the others. */
  readonly pool: pg.Pool
  readonly leasePool: pg.Pool
  readonly heartbeatPool: pg.Pool
  readonly log: Logger
  readonly metrics: Metrics
  readonly retryPolicy?: RetryPolicy
  readonly faultFor?: FaultFor
  readonly connection?: Pick<DedicatedConnectionOptions, 'heartbeatMs' | 'answerTimeoutMs'>
  /** Default 5,000 ms. */
  readonly leaseMs?: number
  /** As in `LeaseRangesOptions`. Default 100. */
  readonly liveBlocks?: number
  /** Heights of a range at the head. Default 10. */
  readonly liveChunk?: number
  /** Default 100,000. */
  readonly historyChunk?: number
  /** Default true. */
  readonly isHistoryEnabled?: boolean
  /** HISTORY_DERIVERS_SLEEP_MS. Default 0. */
  readonly historySleepMs?: number
  /** Interval of searches of the whole chain while there is nothing to derive. Default 1,000 ms. */
  readonly historyBatchMs?: number
  /** Maximum interval of searches without a notification. Default 1,000 ms. */
  readonly roundMs?: number
}

/** Minimum interval of searches, ms: each notification of the farm causes one. */
const minRoundMs = 20

/**
 * Each worker has two loops, head and history, so that a backfill does not delay new rows.
 *
 *     idle ──a range could be leased──► running ──done──► idle (history: after a pause)
 */
export class OwnWorkers {
  readonly #options: OwnWorkersOptions
  readonly #held: HeldLeases
  readonly #announcer: CompletionAnnouncer
  readonly #runner: EventRunner
  readonly #wakeUp = new WakeUp()
  readonly #failures = new LogThrottle()
  readonly #stopping = new AbortController()
  /** By `slotOf`. */
  readonly #running = new Map<
    string,
    { readonly worker: Worker; readonly run: Promise<void>; readonly abort: () => void }
  >()
  readonly #historyAt = new Map<string, number>()
  #listener: Listener | undefined
  #rounds: Promise<void> | undefined

  constructor(options: OwnWorkersOptions) {
    const { heartbeatPool, leasePool, leaseMs = 5000, log } = options
    this.#options = options
    this.#held = new HeldLeases(heartbeatPool, leaseMs, (err) => log.warn({ err }, 'Could not renew leases'))
    this.#announcer = new CompletionAnnouncer(leasePool, (err) =>
      log.debug({ err }, 'Could not announce failed ranges'),
    )
    this.#runner = new EventRunner({ ...options, held: this.#held, announcer: this.#announcer })
  }

  async start(): Promise<void> {
    const { source, databaseUrl, connection, log } = this.#options
    source.onChange(() => this.#sourceChanged())
    const wake = (): void => this.#wakeUp.call()
    this.#listener = await listen(databaseUrl, [farmChannel], wake, {
      ...connection,
      signal: this.#stopping.signal,
      applicationName: 'flowfarm own workers',
      onReconnect: wake,
      onError: (err) => log.debug({ err }, 'Own workers receive no notifications: reconnecting'),
    })
    this.#rounds = this.#run()
  }

  /** Releases the leases. Never rejects. */
  async stop(): Promise<void> {
    this.#stopping.abort(new Error('the process is stopping'))
    await this.#rounds
    this.#held.abortAll(new Error('the process is stopping'))
    await Promise.all([...this.#running.values()].map(({ run }) => run))
    await this.#options.source.stop()
    this.#held.stop()
    await this.#announcer.idle()
    await this.#listener?.ended
  }

  /** Leases of workers whose code was replaced are released at once. */
  #sourceChanged(): void {
    const workers = this.#options.source.workers()
    for (const { worker, abort } of this.#running.values()) if (!workers.includes(worker)) abort()
    this.#historyAt.clear()
    this.#wakeUp.call()
  }

  async #run(): Promise<void> {
    const { log, roundMs = 1000 } = this.#options
    const { signal } = this.#stopping
    while (!signal.aborted) {
      const startedAt = performance.now()
      try {
        await this.#round()
      } catch (thrown) {
        this.#failures.log(log, 'warn', { err: asError(thrown) }, 'Could not lease ranges of own workers: retrying')
      }
      try {
        await pause(Math.max(minRoundMs, performance.now() - startedAt), signal)
        await this.#wakeUp.sleep(roundMs, signal)
      } catch {
        return
      }
    }
  }

  async #round(): Promise<void> {
    const { leasePool, source, leaseMs = 5000, liveBlocks = 100, isHistoryEnabled = true } = this.#options
    const { historyBatchMs = 1000 } = this.#options
    const now = performance.now()
    const workers = source.workers()
    const idle = workers.map((worker) => this.#idle(worker, now)).filter((one) => one.isLiveIdle || one.isHistoryIdle)
    if (idle.length === 0) return
    const by = { leasedBy: processName(), leaseMs, liveBlocks, isHistoryEnabled }
    const leases = await leaseRanges(leasePool, idle, by)
    const searchedMs = performance.now() - now
    for (const { plan, isHistoryIdle } of idle)
      if (isHistoryIdle) this.#historyAt.set(plan.name, now + Math.max(historyBatchMs, 10 * searchedMs))
    for (const lease of leases) {
      const worker = workers.find(({ name }) => name === lease.lease.worker)
      if (worker !== undefined) this.#start(worker, lease)
    }
  }

  #idle({ name, follows }: Worker, now: number): IdleWorker {
    const { liveBlocks = 100, liveChunk = 10, historyChunk = 100_000 } = this.#options
    return {
      plan: { name, follows, liveChunk, historyChunk },
      isLiveIdle: liveBlocks > 0 && !this.#running.has(slotOf(name, true)),
      isHistoryIdle: !this.#running.has(slotOf(name, false)) && now >= (this.#historyAt.get(name) ?? 0),
    }
  }

  #start(worker: Worker, { lease, isLive, isNew }: OwnLease): void {
    const { historySleepMs = 0, historyBatchMs = 1000, historyChunk = 100_000 } = this.#options
    const slot = slotOf(worker.name, isLive)
    const aborting = new AbortController()
    const run = this.#runner.run(worker, lease, aborting.signal).then(() => {
      this.#running.delete(slot)
      // Blocks stored meanwhile form one range.
      const isShort = isNew && lease.to - lease.from < historyChunk
      const restMs = Math.max(historySleepMs, isShort ? historyBatchMs : 0)
      if (!isLive) this.#historyAt.set(worker.name, performance.now() + restMs)
      this.#wakeUp.call()
    })
    this.#running.set(slot, { worker, run, abort: () => aborting.abort(new Error('the worker was replaced')) })
  }
}

function slotOf(worker: string, isLive: boolean): string {
  return `${worker} ${isLive ? 'head' : 'history'}`
}
