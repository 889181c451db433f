import type pg from 'pg'
import type { AskContext, AskingWorker } from '../../../jobs/asking/asking-worker.ts'
import { asError, FatalError } from '../../base/errors.ts'
import type { Logger } from '../../base/log.ts'
import { LogThrottle } from '../../base/log-throttle.ts'
import type { Metrics } from '../../base/metrics.ts'
import { backoffMs } from '../../base/retry.ts'
import { ChainCallFailedError } from '../../chain/chain-reader.ts'
import { WakeUp } from '../coordinator/wake-up.ts'
import { askBatch, failure, isPassing } from './ask-batch.ts'
import { QuestionStore } from './question-store.ts'
import type { KeyOutcome, KeyRow } from './question-store.ts'

export interface AskingLoopOptions {
  readonly pool: pg.Pool
  readonly worker: AskingWorker
  readonly context: Omit<AskContext, 'signal'>
  /** Batches that are asked for at the same time. */
  readonly concurrency: number
  /** Most keys in one batch; never more than the question allows. */
  readonly range: number
  readonly log: Logger
  /** Shared by the workers of the process: one node without scripts fails all of them. */
  readonly failures?: LogThrottle | undefined
  readonly metrics: Metrics
  /** Least pause between two looks for new keys, and after a round that found nothing to do, ms. Default 1000. */
  readonly roundMs?: number | undefined
  /** Longest pause when nothing wakes it, ms. Default 10,000. */
  readonly idleMs?: number | undefined
}

const defaultRoundMs = 1000
/** How long a walk through all keys rests after a lap that found nothing, in rounds. */
const lapRestRounds = 60
/** The longest pause while no node answers, ms. */
const longestPauseMs = 60_000

/**
 * Asks what is due, round after round, until the signal.
 *
 *     round ──there is more──► round
 *       ├──nothing is due──► idle ──woken, or a while later──► round
 *       └──no node answers──► paused, longer each time ──► round
 *
 * It keeps nothing that it cannot read again, so it may end at any moment.
 */
export class AskingLoop {
  readonly #options: AskingLoopOptions
  readonly #stores: readonly QuestionStore[]
  readonly #wakeUp = new WakeUp()
  /** When new keys were last looked for. */
  #lookedAt = Number.NEGATIVE_INFINITY
  /** A sleep that a wake-up does not end. */
  readonly #unwakeable = new WakeUp()

  constructor(options: AskingLoopOptions) {
    this.#options = options
    const lapRestMs = lapRestRounds * (options.roundMs ?? defaultRoundMs)
    this.#stores = options.worker.questions.map((question) => new QuestionStore(options.pool, question, lapRestMs))
  }

  /** There may be new keys. */
  wake(): void {
    this.#wakeUp.call()
  }

  /** Never rejects: what nobody can answer must not stop those who derive. */
  async run(signal: AbortSignal): Promise<void> {
    const { worker, log, failures = new LogThrottle(), roundMs = defaultRoundMs, idleMs = 10_000 } = this.#options
    let troubles = 0
    while (!signal.aborted) {
      try {
        const isMore = await this.round(signal)
        troubles = 0
        if (isMore) continue
        await this.#unwakeable.sleep(roundMs, signal)
        await this.#wakeUp.sleep(idleMs, signal)
      } catch (thrown) {
        if (signal.aborted) return
        const pauseMs = backoffMs(++troubles, roundMs, longestPauseMs)
        const details = { err: asError(thrown), worker: worker.name, pauseMs }
        const isUnanswered = isPassing(thrown) || thrown instanceof ChainCallFailedError
        if (isUnanswered)
          failures.log(log, 'warn', details, 'No source answers at present: the worker pauses and retries')
        else failures.log(log, 'error', details, 'An enrichment round failed: the worker pauses and retries')
        await this.#unwakeable.sleep(pauseMs, signal)
      }
    }
  }

  /**
   * Looks for new keys and asks what is due, of each question once.
   * @returns whether there is more to do at once
   */
  async round(signal: AbortSignal): Promise<boolean> {
    let isMore = false
    const { roundMs = defaultRoundMs } = this.#options
    const isTimeToLook = performance.now() - this.#lookedAt >= roundMs
    if (isTimeToLook) this.#lookedAt = performance.now()
    for (const store of this.#stores) {
      if (isTimeToLook) await store.discover()
      if (await this.#askDue(store, signal)) isMore = true
    }
    return isMore
  }

  async #askDue(store: QuestionStore, signal: AbortSignal): Promise<boolean> {
    const { concurrency, range } = this.#options
    const batch = Math.min(range, store.question.batch)
    const most = concurrency * batch
    const { rows, gone } = await store.due(most)
    await store.store(
      gone.map((row) => ({
        row,
        outcome: { kind: 'none', code: 'no-longer-there', message: 'nothing of it is left to ask for' },
      })),
    )
    const batches: KeyRow[][] = []
    for (let i = 0; i < rows.length; i += batch) batches.push(rows.slice(i, i + batch))
    // Those that succeed are kept, whatever becomes of the others.
    const settled = await Promise.allSettled(batches.map((one) => this.#askOne(store, one, signal)))
    const failed = settled.find((one) => one.status === 'rejected')
    if (failed !== undefined) throw asError(failed.reason)
    const isUnfinished = settled.some((one) => one.status === 'fulfilled' && one.value)
    return isUnfinished || rows.length + gone.length === most
  }

  /** @returns whether a key wants to be asked for again at once */
  async #askOne(store: QuestionStore, batch: readonly KeyRow[], signal: AbortSignal): Promise<boolean> {
    const { worker, metrics } = this.#options
    const end = metrics.askingSeconds.startTimer({ worker: worker.name })
    const { outcomes, interruption } = await askBatch(store.question, batch, { ...this.#options.context, signal })
    end()
    for (const { outcome } of await this.#keep(store, outcomes))
      metrics.askedKeys.inc({ worker: worker.name, outcome: outcome.kind })
    if (interruption !== undefined) throw asError(interruption)
    return outcomes.some(({ outcome }) => outcome.kind === 'answered' && outcome.againMs === 0)
  }

  /**
   * An answer that the database does not take is a failure of its key, and of no other.
   * @returns what was kept
   */
  async #keep(store: QuestionStore, outcomes: readonly KeyOutcome[]): Promise<readonly KeyOutcome[]> {
    try {
      await store.store(outcomes)
      return outcomes
    } catch (error) {
      const [one] = outcomes
      if (!(error instanceof FatalError) || one === undefined || one.outcome.kind === 'failed') throw error
      if (outcomes.length === 1) return this.#keep(store, [{ row: one.row, outcome: failure(error) }])
      const kept: KeyOutcome[] = []
      for (const outcome of outcomes) kept.push(...(await this.#keep(store, [outcome])))
      return kept
    }
  }
}
