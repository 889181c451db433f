import { asError, FatalError } from '../../base/errors.ts'
import { LogThrottle } from '../../base/log-throttle.ts'
import { backoffMs, pause } from '../../base/retry.ts'
import { acquireLock } from '../../db/advisory-lock.ts'
import { asDatabaseError } from '../../db/errors.ts'
import { listen } from '../../db/listen.ts'
import { farmChannel } from '../leases/sql/announce-farm-work.ts'
import type { CoordinatorOptions } from './coordinator-options.ts'
import { HandOver } from './hand-over.ts'
import { Rounds } from './rounds.ts'
import { WakeUp } from './wake-up.ts'

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
        onTrouble: (err) =>
          this.#failures.log(log, 'warn', { err }, 'The coordinator receives no notifications: connecting again'),
      },
    )
    // A statement on a connection that went silent may never return; the loss of the lock must end the term all the same.
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
        // As long as it worked, so that announcements in any number leave the database half of its time; there are few of the head.
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
