import type pg from 'pg'
import { acquireLock } from '../../platform/db/advisory-lock.ts'
import { farmChannel, headDerived, listen } from '../../platform/db/listen.ts'
import type { DedicatedConnectionOptions } from '../../platform/db/dedicated-connection.ts'
import { asDatabaseError } from '../../platform/db/errors.ts'
import { asError, FatalError } from '../../platform/errors.ts'
import { LogThrottle } from '../../platform/log-throttle.ts'
import type { Logger } from '../../platform/log.ts'
import { backoffMs, pause } from '../../platform/retry.ts'
import { WakeUp } from '../../platform/signals.ts'
import type { EndedAttempt, RetryPolicy } from '../leases/leases.ts'
import type { WorkerPlan } from './plan-ranges.ts'
import { LeaseEnqueuer } from './lease-enqueuer.ts'
import type { Enqueue } from './lease-enqueuer.ts'
import { Rounds } from './rounds.ts'

export interface CoordinatorOptions {
  /** For the lock and LISTEN. */
  readonly databaseUrl: string
  readonly pool: pg.Pool
  readonly log: Logger
  readonly signal: AbortSignal
  /** Read in each round. Leases of other workers are left alone. */
  readonly workers: () => readonly WorkerPlan[]
  readonly enqueue: Enqueue
  /** ENABLE_LIVE_DERIVERS. False: the head is treated as history. Default true. */
  readonly isLiveEnabled?: boolean
  /**
   * ENABLE_HISTORY_DERIVERS. False: allocate only the live zone and heights above the worker's
   * newest one. Default true.
   */
  readonly isHistoryEnabled?: boolean
  /**
   * HISTORY_DERIVERS_SLEEP_MS. Above 0 each worker has one range of history at a time. Default 0.
   */
  readonly historySleepMs?: number
  /** HISTORY_DERIVERS_BATCH_MS. Default 0. */
  readonly historyBatchMs?: number
  /**
   * LIVE_DERIVERS_HEAD_BACKFILL_BLOCKS: heights of the live zone, allocated in live chunks; at
   * least one chunk. Default 100.
   */
  readonly liveBlocks?: number
  /** Leases of a worker in history, and as many near the head. Default 64. */
  readonly maxOpen?: number
  /** Default `maxFailing` of leases. */
  readonly maxFailing?: number
  readonly retryPolicy?: RetryPolicy
  /** Maximum interval of rounds; four times as long with nothing to do. Default 500 ms. */
  readonly roundMs?: number
  /** Interval of checks for expired, due and lost leases. Default 250 ms. */
  readonly cleanUpMs?: number
  /** Minimum interval of folds, at least ten times the duration of a fold. Default 500 ms. */
  readonly foldMs?: number
  /** Unclaimed leases are enqueued again after this time. Default 5,000 ms. */
  readonly staleMs?: number
  /** Initial search depth below the highest stored height. Default 100,000 heights. */
  readonly span?: number
  /** Heartbeat of the lock and LISTEN connections. Default: dead after 20 s of silence. */
  readonly connection?: Pick<DedicatedConnectionOptions, 'heartbeatMs' | 'answerTimeoutMs'>
  /**
   * After this time without a response of the queues another process may coordinate. Default 10,000
   * ms.
   */
  readonly queueTimeoutMs?: number
  readonly onRound?: (report: RoundReport) => void
}

export interface RoundReport {
  readonly allocated: number
  readonly expired: readonly EndedAttempt[]
  readonly requeued: number
  readonly reenqueued: number
  readonly folded: number
  readonly seconds: number
}

export const coordinatorLock = 'farm:coordinator'

/** Notified by ingesters in the transaction that stores blocks. */
const blocksChannel = 'flowfarm_blocks'
const lastRoundMs = 2000
/** Pause after giving up the lock, ms: longer than others need to find it free. */
const queueRestMs = 3000
const headPayload = 'main_ingester:'
/** Time for the process of the ingester to derive new blocks, ms. */
const headGraceMs = 150
/** Period after the last blocks derived that way, ms. */
const headLaneMs = 10_000

/**
 * Allocates the work of the farm. One process at a time coordinates; the others wait for the lock.
 *
 *     waiting for the lock ──► rounds ──lock or database lost: back-off──► waiting for the lock …
 * ──signal──► stopped
 *                                └──queues do not respond: pause────────►
 *
 * It is stateless. Two coordinators at once, until one notices the loss of its lock, are
 * safe: changes of leases hold the checkpoints of their workers.
 */
export class Coordinator {
  readonly #options: CoordinatorOptions
  readonly #failures = new LogThrottle()
  readonly #wakeUp = new WakeUp()
  readonly #headMoved = new WakeUp()
  #headDerivedAt = -Infinity
  #headTimer: NodeJS.Timeout | undefined
  readonly #enqueuer: LeaseEnqueuer

  constructor(options: CoordinatorOptions) {
    this.#options = options
    this.#enqueuer = new LeaseEnqueuer(options.enqueue, (error) => {
      const details = { err: asError(error) }
      this.#failures.log(options.log, 'warn', details, 'The queue refused ranges: they will be enqueued again')
    })
  }

  wake(): void {
    this.#wakeUp.call()
  }

  /** Runs until the signal. @throws FatalError */
  async run(): Promise<void> {
    const { log, signal, databaseUrl, connection } = this.#options
    for (let attempt = 1; !signal.aborted; attempt++) {
      try {
        const lock = await acquireLock(databaseUrl, coordinatorLock, {
          ...connection,
          signal,
          applicationName: 'flowfarm coordinator',
          onWaiting: (holder) => log.debug({ holder }, 'Another process coordinates the farm: waiting for its lock'),
        })
        try {
          await this.#coordinate(AbortSignal.any([signal, lock.lost]), () => (attempt = 1))
        } finally {
          await lock.release()
        }
        log.warn({ pauseMs: queueRestMs }, 'The queues do not respond: another process may coordinate')
        await pause(queueRestMs, signal)
        this.#enqueuer.resetUnanswered()
      } catch (thrown) {
        if (signal.aborted) break
        const error = asDatabaseError(thrown)
        if (error instanceof FatalError) throw error
        const pauseMs = backoffMs(attempt, 100, 5000)
        this.#failures.log(log, 'warn', { err: error, attempt, pauseMs }, 'The coordinator was interrupted: retrying')
        await pause(pauseMs, signal).catch((reason: unknown) => log.debug({ reason }, 'Stopped while waiting'))
      }
    }
    await this.#enqueuer.idle()
  }

  /** New blocks are given some time if their process derives them itself. */
  #notified(payload: string): void {
    const isHead = payload.startsWith(headPayload)
    const now = performance.now()
    if (payload === headDerived) {
      this.#headDerivedAt = now
      clearTimeout(this.#headTimer)
      this.#headTimer = undefined
    } else if (isHead && now - this.#headDerivedAt < headLaneMs) {
      this.#headTimer ??= setTimeout(() => {
        this.#headTimer = undefined
        this.#wakeUp.call()
        this.#headMoved.call()
      }, headGraceMs)
    } else {
      this.#wakeUp.call()
      if (isHead) this.#headMoved.call()
    }
  }

  /** Returns when another process should coordinate. */
  async #coordinate(signal: AbortSignal, onProgress: () => void): Promise<void> {
    const { databaseUrl, log, connection, roundMs = 500, historySleepMs = 0, queueTimeoutMs = 10_000 } = this.#options
    const longestMs = historySleepMs > 0 ? Math.min(roundMs, historySleepMs) : roundMs
    const ending = new AbortController()
    const listener = await listen(databaseUrl, [blocksChannel, farmChannel], (_, payload) => this.#notified(payload), {
      ...connection,
      signal: AbortSignal.any([signal, ending.signal]),
      applicationName: 'flowfarm coordinator',
      onReconnect: () => this.#wakeUp.call(),
      onError: (err) =>
        this.#failures.log(log, 'warn', { err }, 'The coordinator receives no notifications: reconnecting'),
    })
    // A statement on a silent connection may never return, but losing the lock must end the term.
    const ended = Promise.withResolvers<never>()
    const end = (): void => ended.reject(asError(signal.reason))
    signal.addEventListener('abort', end, { once: true })
    let round: ReturnType<Rounds['next']> | undefined
    try {
      const rounds = new Rounds(this.#options, this.#enqueuer)
      for (;;) {
        signal.throwIfAborted()
        const startedAt = performance.now()
        round = rounds.next()
        const outcome = await Promise.race([round, ended.promise])
        onProgress()
        if (this.#enqueuer.unansweredMs > queueTimeoutMs) return
        // Sleeps as long as the round took, so that notifications leave the database half of its
        // time. The head is exempt.
        await this.#headMoved.sleep(Math.min(performance.now() - startedAt, longestMs), signal)
        if (outcome !== 'more') await this.#wakeUp.sleep(outcome === 'idle' ? 4 * longestMs : longestMs, signal)
      }
    } finally {
      signal.removeEventListener('abort', end)
      clearTimeout(this.#headTimer)
      ending.abort()
      await settledWithin(round, lastRoundMs)
      await listener.ended
    }
  }
}

async function settledWithin(round: Promise<unknown> | undefined, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const tooLong = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms)
  })
  await Promise.race([Promise.allSettled([round]), tooLong])
  clearTimeout(timer)
}
