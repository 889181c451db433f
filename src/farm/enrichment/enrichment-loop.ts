import type pg from 'pg'
import type { AskContext, EnrichmentWorker, Outcome, Question } from '../../../jobs/enrichment/enrichment-worker.ts'
import { ChainCallFailedError, StateNotServedError } from '../../flow/chain-reader.ts'
import { asError, FatalError, FlowfarmError, RetryableError } from '../../platform/errors.ts'
import { LogThrottle } from '../../platform/log-throttle.ts'
import type { Logger } from '../../platform/log.ts'
import type { Metrics } from '../../platform/metrics.ts'
import { backoffMs } from '../../platform/retry.ts'
import { WakeUp } from '../../platform/signals.ts'
import { QuestionStore } from './question-store.ts'
import type { KeyOutcome, KeyRow } from './question-store.ts'

export interface AskingLoopOptions {
  readonly pool: pg.Pool
  readonly worker: EnrichmentWorker
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
export class EnrichmentLoop {
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
    const max = concurrency * batch
    const { rows, gone } = await store.due(max)
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
    return isUnfinished || rows.length + gone.length === max
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

/** Errors of scripts quote the script. */
const longestMessage = 2000

/** Keys one after the other for which the call itself failed, before the node is held to blame. */
const maxFailedInRow = 3

/** Whether an error says nothing of what was asked for: it is to be asked again as it is. */
function isPassing(error: unknown): boolean {
  if (error instanceof ChainCallFailedError) return false
  return error instanceof RetryableError || error instanceof StateNotServedError
}

/** What became of a batch. */
interface BatchResult {
  /** Of those keys that something can be said of. */
  readonly outcomes: readonly KeyOutcome[]
  /** Why the others were left; undefined where there are none. */
  readonly interruption: unknown
}

/**
 * Asks for some keys at once, and where that fails because of what is asked, in halves, down to the keys at fault:
 * one bad contract does not hold up the others. An error that says nothing of the keys interrupts it, and so do
 * calls that fail for key after key: then it is the node.
 * @throws the signal's reason
 */
async function askBatch(question: Question<never>, rows: readonly KeyRow[], context: AskContext): Promise<BatchResult> {
  const outcomes: KeyOutcome[] = []
  const waiting = [rows]
  let failedInRow = 0
  for (let part = waiting.pop(); part !== undefined; part = waiting.pop()) {
    try {
      outcomes.push(...(await askOnce(question, part, context)))
      failedInRow = 0
    } catch (thrown) {
      context.signal.throwIfAborted()
      if (isPassing(thrown)) return { outcomes, interruption: thrown }
      const [row] = part
      if (part.length > 1) {
        const middle = part.length >> 1
        waiting.push(part.slice(middle), part.slice(0, middle))
      } else if (row !== undefined) {
        outcomes.push({ row, outcome: failure(thrown) })
        failedInRow = thrown instanceof ChainCallFailedError ? failedInRow + 1 : 0
        if (failedInRow >= maxFailedInRow) return { outcomes, interruption: thrown }
      }
    }
  }
  return { outcomes, interruption: undefined }
}

async function askOnce(question: Question<never>, rows: readonly KeyRow[], context: AskContext): Promise<KeyOutcome[]> {
  // What `details` gives is what the question expects: both stand in its declaration.
  const outcomes = await question.ask(rows as readonly never[], context)
  return rows.map((row, i) => ({
    row,
    outcome: outcomes[i] ?? failure(new Error('the question gave no outcome for the key')),
  }))
}

/** The outcome of a key that an error is the fault of. */
function failure(thrown: unknown): Outcome {
  const error = asError(thrown)
  return {
    kind: 'failed',
    code: error instanceof FlowfarmError ? error.code : 'asking-failed',
    message: error.message.slice(0, longestMessage),
  }
}
