import { ApiError, asError } from '../../../platform/errors.ts'
import { LogThrottle } from '../../../platform/log-throttle.ts'
import type { Logger } from '../../../platform/log.ts'
import { backoffMs } from '../../../platform/retry.ts'
import { WakeUp } from '../../../platform/signals.ts'
import type { QueryService } from '../query-service.ts'
import type { AlertMails } from './alert-mails.ts'
import type { AlertLease, AlertStore, RunOutcome, RunResult } from './alert-store.ts'

/** Rows of a result that are read and delivered. */
export const maxAlertRows = 20

export interface AlertSchedulerOptions {
  readonly store: AlertStore
  readonly mails: Pick<AlertMails, 'prune'>
  readonly service: Pick<QueryService, 'runSql'>
  readonly log: Logger
  readonly onRun: (result: RunResult) => void
  /** Maximum time of a run, including the wait for a slot; longer than QUERY_TIMEOUT_S. */
  readonly runMs: number
  /** Default 1 s. */
  readonly pollMs?: number
}

/** Per process. Alerts share the slots of one client, so they cannot block users. */
const concurrency = 2

/** Time to store the result of a run that used all its time. */
const storeMs = 10_000

const maxErrorCharacters = 1000

const pruneMs = 3_600_000

const transient: ReadonlySet<string> = new Set([
  'too-many-statements',
  'sql-busy',
  'sql-stuck',
  'sql-unavailable',
  'sql-cancelled',
])

/**
 * Runs due alerts. Any number of processes may run it: a run is leased, and its result is stored
 * only while the lease is the newest.
 *
 *   due ──claim──► leased ──finish──► due after the interval
 *                    └── lease expired (process died), released (process stops) ──► due
 */
export class AlertScheduler {
  readonly #options: AlertSchedulerOptions
  readonly #stopping = new AbortController()
  readonly #wakeUp = new WakeUp()
  readonly #runs = new Map<string, Promise<void>>()
  #loop: Promise<void> | undefined

  constructor(options: AlertSchedulerOptions) {
    this.#options = options
  }

  start(): void {
    this.#loop ??= this.#run()
  }

  /** Cancels running statements; other processes run them again. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#loop
    await Promise.all(this.#runs.values())
  }

  async #run(): Promise<void> {
    const { store, mails, log, runMs, pollMs = 1000 } = this.#options
    const { signal } = this.#stopping
    const outages = new LogThrottle()
    let pruned = -pruneMs
    for (let failures = 0; !signal.aborted;) {
      try {
        if (performance.now() - pruned > pruneMs) {
          pruned = performance.now()
          await mails.prune()
        }
        const lease =
          this.#runs.size < concurrency ? await store.claim(runMs + storeMs, [...this.#runs.keys()]) : undefined
        failures = 0
        if (lease === undefined) await this.#wakeUp.sleep(pollMs, signal)
        else this.#begin(lease)
      } catch (error) {
        if (signal.aborted) break
        outages.log(log, 'warn', { err: asError(error) }, 'Could not read due alerts. Retrying.')
        await this.#wakeUp.sleep(backoffMs(++failures, 100, 5000), signal)
      }
    }
  }

  #begin(lease: AlertLease): void {
    const done = this.#execute(lease)
      // The lease expires, and another run follows.
      .catch((error: unknown) => {
        this.#options.log.warn({ err: asError(error), alert: lease.id }, 'Could not store the run of an alert')
      })
      .finally(() => {
        this.#runs.delete(lease.id)
        this.#wakeUp.call()
      })
    this.#runs.set(lease.id, done)
  }

  async #execute(lease: AlertLease): Promise<void> {
    const { store, onRun } = this.#options
    const { signal } = this.#stopping
    const outcome = await this.#answer(lease, signal)
    if (signal.aborted && 'error' in outcome) return await store.release(lease)
    onRun(await store.finish(lease, outcome))
  }

  async #answer({ target, sql, parameters }: AlertLease, signal: AbortSignal): Promise<RunOutcome> {
    const { service, runMs } = this.#options
    const begin = performance.now()
    const durationMs = (): number => Math.round(performance.now() - begin)
    try {
      const answer = await service.runSql(target, sql, {
        client: 'alerts',
        parameters,
        maxRows: maxAlertRows,
        signal: AbortSignal.any([signal, AbortSignal.timeout(runMs)]),
      })
      return { durationMs: durationMs(), answer }
    } catch (error) {
      const { message } = asError(error)
      return {
        durationMs: durationMs(),
        error: message.replaceAll('\0', '').slice(0, maxErrorCharacters).toWellFormed(),
        isTransient: !(error instanceof ApiError) || error.status === 499 || transient.has(error.code),
      }
    }
  }
}
