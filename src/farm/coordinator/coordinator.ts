import type pg from 'pg'
import { acquireLock } from '../../platform/db/advisory-lock.ts'
import { farmChannel, listen } from '../../platform/db/listen.ts'
import type { DedicatedConnectionOptions } from '../../platform/db/dedicated-connection.ts'
import { asDatabaseError } from '../../platform/db/errors.ts'
import { asError, FatalError } from '../../platform/errors.ts'
import { LogThrottle } from '../../platform/log-throttle.ts'
import type { Logger } from '../../platform/log.ts'
import { backoffMs, pause } from '../../platform/retry.ts'
import { WakeUp } from '../../platform/signals.ts'
import type { EndedRun, RetryPolicy } from '../leases/leases.ts'
import type { WorkerPlan } from './plan-leases.ts'
import { HandOver } from './hand-over.ts'
import type { Enqueue } from './hand-over.ts'
import { Rounds } from './rounds.ts'

export interface CoordinatorOptions {
  /** For the lock and LISTEN, which need connections of their own. */
  readonly databaseUrl: string
  readonly pool: pg.Pool
  readonly log: Logger
  /** Ends the coordinator. */
  readonly signal: AbortSignal
  /** The workers that are on, asked anew in every round; ranges of others stay as they are. */
  readonly workers: () => readonly WorkerPlan[]
  readonly enqueue: Enqueue
  /** ENABLE_LIVE_DERIVERS. False: the head is given out like history. Default true. */
  readonly isLiveEnabled?: boolean
  /**
   * ENABLE_HISTORY_DERIVERS. False: only what is near the head, or newer than anything the worker has. Default
   * true.
   */
  readonly isHistoryEnabled?: boolean
  /** HISTORY_DERIVERS_SLEEP_MS. Above 0 each worker has one range of history at a time. Default 0. */
  readonly historySleepMs?: number
  /** HISTORY_DERIVERS_GATHER_MS: least time between two times at which a worker gets ranges of history. Default 0. */
  readonly historyGatherMs?: number
  /**
   * LIVE_DERIVERS_HEAD_BACKFILL_BLOCKS: the newest stored heights, which are given out in live chunks; at least one
   * chunk. Default 100.
   */
  readonly liveBlocks?: number
  /** Most leases of a worker, queued and active, in history and as many again near the head. Default 64. */
  readonly maxOpen?: number
  /** A worker with so many failed and flagged leases gets no new ones: it is broken, not its ranges. Default 1,000. */
  readonly maxFailing?: number
  readonly retryPolicy?: RetryPolicy
  /** Longest time between two rounds. Default 500 ms. */
  readonly roundMs?: number
  /** Time between two looks for expired, due and forgotten leases. Default 250 ms. */
  readonly tidyMs?: number
  /** Least time between two folds; it grows to ten times what a fold takes. Default 500 ms. */
  readonly foldMs?: number
  /** A queued lease that nobody claimed for so long is handed to the queue again. Default 5,000 ms. */
  readonly staleMs?: number
  /** How far below the highest stored height the search for owed heights begins. Default 100,000 heights. */
  readonly span?: number
  /** When the connections for the lock and LISTEN are taken for dead. Default: after 20 s of silence. */
  readonly connection?: Pick<DedicatedConnectionOptions, 'heartbeatMs' | 'answerTimeoutMs'>
  /**
   * After so long in which the queues took nothing, another process may coordinate: perhaps they answer there.
   * Default 10,000 ms.
   */
  readonly queuePatienceMs?: number
  /** Told what every round did. */
  readonly onRound?: (report: RoundReport) => void
}

export interface RoundReport {
  /** New leases. */
  readonly cut: number
  /** Leases that were taken from processes, and what became of them. */
  readonly expired: readonly EndedRun[]
  /** Failed leases whose pause was over. */
  readonly requeued: number
  /** Leases that were handed to the queue again, or for the first time after a person requeued them. */
  readonly handedOver: number
  /** Done leases that became coverage. */
  readonly folded: number
  readonly seconds: number
}

/** Held by the process that coordinates the farm. */
export const coordinatorLock = 'farm:coordinator'

/** Sent by ingesters inside the transaction that stores blocks. */
const blocksChannel = 'flowfarm_blocks'
/** How long the last round of a term may still take, ms. */
const lastRoundMs = 2000
/** How long a process waits that lets another one coordinate, ms: longer than others take to find the lock free. */
const queueRestMs = 3000
/** How those of the ingester begin that follows the head. */
const headPayload = 'main_ingester:'

/**
 * Gives out the work of the farm; one at a time in the database, the others wait.
 *
 *     waiting for the lock ──► rounds ──lock or database lost: back-off──► waiting for the lock … ──signal──► stopped
 *                                └──the queues do not answer: a rest────►
 *
 * It keeps nothing that it cannot read again. Two at the same time, for as long as one has not noticed the loss of its
 * lock, do no harm: whatever adds or removes leases holds the checkpoints of their workers.
 */
export class Coordinator {
  readonly #options: CoordinatorOptions
  readonly #failures = new LogThrottle()
  readonly #wakeUp = new WakeUp()
  /** Called when the head of the chain moves, which is not to wait for anything. */
  readonly #headMoved = new WakeUp()
  readonly #handOver: HandOver

  constructor(options: CoordinatorOptions) {
    this.#options = options
    this.#handOver = new HandOver(options.enqueue, (worker, error) => {
      const details = { err: asError(error), worker }
      this.#failures.log(options.log, 'warn', details, 'The queue refused ranges: they will be enqueued again')
    })
  }

  /** Begins the next round now, e.g. after a change of what `workers` returns. */
  wake(): void {
    this.#wakeUp.call()
  }

  /** Works until the signal comes. @throws FatalError */
  async run(): Promise<void> {
    const { log, signal, databaseUrl, connection } = this.#options
    for (let attempt = 1; !signal.aborted; attempt++) {
      try {
        const lock = await acquireLock(databaseUrl, coordinatorLock, {
          ...connection,
          signal,
          applicationName: 'flowfarm coordinator',
          onWaiting: (holder) => log.debug({ holder }, 'another process coordinates the farm, waiting for it to end'),
        })
        try {
          await this.#coordinate(AbortSignal.any([signal, lock.lost]), () => (attempt = 1))
        } finally {
          await lock.release()
        }
        log.warn({ pauseMs: queueRestMs }, 'the queues do not answer here: another process may coordinate')
        await pause(queueRestMs, signal)
        this.#handOver.resetUnanswered()
      } catch (thrown) {
        if (signal.aborted) break
        const error = asDatabaseError(thrown)
        if (error instanceof FatalError) throw error
        const pauseMs = backoffMs(attempt, 100, 5000)
        this.#failures.log(
          log,
          'warn',
          { err: error, attempt, pauseMs },
          'The coordinator was interrupted: trying again',
        )
        await pause(pauseMs, signal).catch((reason: unknown) => log.debug({ reason }, 'stopped while waiting'))
      }
    }
    await this.#handOver.idle()
  }

  /** Resolves when somebody else should do it. */
  async #coordinate(signal: AbortSignal, onProgress: () => void): Promise<void> {
    const { databaseUrl, log, connection, roundMs = 500, historySleepMs = 0, queuePatienceMs = 10_000 } = this.#options
    const longestMs = historySleepMs > 0 ? Math.min(roundMs, historySleepMs) : roundMs
    const ending = new AbortController()
    const listener = await listen(
      databaseUrl,
      [blocksChannel, farmChannel],
      (_, payload) => {
        this.#wakeUp.call()
        if (payload.startsWith(headPayload)) this.#headMoved.call()
      },
      {
        ...connection,
        signal: AbortSignal.any([signal, ending.signal]),
        applicationName: 'flowfarm coordinator',
        onReconnect: () => this.#wakeUp.call(),
        onError: (err) =>
          this.#failures.log(log, 'warn', { err }, 'The coordinator receives no notifications: connecting again'),
      },
    )
    // A statement on a connection that went silent may never return; the loss of the lock must end the term all the
    // same.
    const ended = Promise.withResolvers<never>()
    const end = (): void => ended.reject(asError(signal.reason))
    signal.addEventListener('abort', end, { once: true })
    let round: Promise<boolean> | undefined
    try {
      const rounds = new Rounds(this.#options, this.#handOver)
      for (;;) {
        signal.throwIfAborted()
        const startedAt = performance.now()
        round = rounds.next()
        const isMore = await Promise.race([round, ended.promise])
        onProgress()
        if (this.#handOver.unansweredMs > queuePatienceMs) return
        // As long as it worked, so that announcements in any number leave the database half of its time; there are
        // few of the head.
        await this.#headMoved.sleep(Math.min(performance.now() - startedAt, longestMs), signal)
        if (!isMore) await this.#wakeUp.sleep(longestMs, signal)
      }
    } finally {
      signal.removeEventListener('abort', end)
      ending.abort()
      await settledWithin(round, lastRoundMs)
      await listener.ended
    }
  }
}

/** What a round was about to do is done or undone before its term is over, unless it hangs. */
async function settledWithin(round: Promise<unknown> | undefined, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const tooLong = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms)
  })
  await Promise.race([Promise.allSettled([round]), tooLong])
  clearTimeout(timer)
}
