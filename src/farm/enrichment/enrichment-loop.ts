import type pg from 'pg'
import type { QueryContext, EnrichmentWorker, Outcome, Question } from '../../../jobs/enrichment/enrichment-worker.ts'
import { ChainCallFailedError, StateNotServedError } from '../../flow/chain-reader.ts'
import { asError, FatalError, FlowfarmError, RetryableError } from '../../platform/errors.ts'
import { LogThrottle } from '../../platform/log-throttle.ts'
import type { Logger } from '../../platform/log.ts'
import type { Metrics } from '../../platform/metrics.ts'
import { backoffMs } from '../../platform/retry.ts'
import { WakeUp } from '../../platform/signals.ts'
import { QuestionStore } from './question-store.ts'
import type { KeyOutcome, KeyRow } from './question-store.ts'

export interface EnrichmentLoopOptions {
  readonly pool: pg.Pool
  readonly worker: EnrichmentWorker
  readonly context: Omit<QueryContext, 'signal'>
  readonly concurrency: number
  /** Also limited by the question. */
  readonly range: number
  readonly log: Logger
  /** Shared by the workers of the process, because one failing node fails all of them. */
  readonly failures?: LogThrottle | undefined
  readonly metrics: Metrics
  /** Also the pause after an idle round, ms. Default 1000. */
  readonly roundMs?: number | undefined
  /** Maximum pause without a wake-up, ms. Default 10,000. */
  readonly idleMs?: number | undefined
}

const defaultRoundMs = 1000
/** Rest of a scan after a lap that found nothing, in rounds. */
const lapRestRounds = 60
const maxPauseMs = 60_000

/**
 * Queries due keys in rounds until the signal.
 *
 *     round ──more due──► round
 *       ├──nothing due──► idle ──wake-up or timeout──► round
 *       └──no node responds──► paused with back-off ──► round
 *
 * It is stateless and can be stopped at any time.
 */
export class EnrichmentLoop {
  readonly #options: EnrichmentLoopOptions
  readonly #stores: readonly QuestionStore[]
  readonly #wakeUp = new WakeUp()
  #discoveredAt = Number.NEGATIVE_INFINITY
  readonly #uninterruptible = new WakeUp()

  constructor(options: EnrichmentLoopOptions) {
    this.#options = options
    const lapRestMs = lapRestRounds * (options.roundMs ?? defaultRoundMs)
    this.#stores = options.worker.questions.map((question) => new QuestionStore(options.pool, question, lapRestMs))
  }

  wake(): void {
    this.#wakeUp.call()
  }

  /** Never rejects: a failing enrichment worker must not stop derivation. */
  async run(signal: AbortSignal): Promise<void> {
    const { worker, log, failures = new LogThrottle(), roundMs = defaultRoundMs, idleMs = 10_000 } = this.#options
    let troubles = 0
    while (!signal.aborted) {
      try {
        const isMore = await this.round(signal)
        troubles = 0
        if (isMore) continue
        await this.#uninterruptible.sleep(roundMs, signal)
        await this.#wakeUp.sleep(idleMs, signal)
      } catch (thrown) {
        if (signal.aborted) return
        const pauseMs = backoffMs(++troubles, roundMs, maxPauseMs)
        const details = { err: asError(thrown), worker: worker.name, pauseMs }
        const isUnanswered = isTransient(thrown) || thrown instanceof ChainCallFailedError
        if (isUnanswered) failures.log(log, 'warn', details, 'No source responds: the worker pauses and retries')
        else failures.log(log, 'error', details, 'An enrichment round failed: the worker pauses and retries')
        await this.#uninterruptible.sleep(pauseMs, signal)
      }
    }
  }

  /** @returns whether more work is due */
  async round(signal: AbortSignal): Promise<boolean> {
    let isMore = false
    const { roundMs = defaultRoundMs } = this.#options
    const isDiscoveryDue = performance.now() - this.#discoveredAt >= roundMs
    if (isDiscoveryDue) this.#discoveredAt = performance.now()
    for (const store of this.#stores) {
      if (isDiscoveryDue) await store.discover()
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
        outcome: { kind: 'none', code: 'no-longer-there', message: 'The key no longer exists' },
      })),
    )
    const batches: KeyRow[][] = []
    for (let i = 0; i < rows.length; i += batch) batches.push(rows.slice(i, i + batch))
    // Keep successes whatever the other batches return.
    const settled = await Promise.allSettled(batches.map((one) => this.#askOne(store, one, signal)))
    const failed = settled.find((one) => one.status === 'rejected')
    if (failed !== undefined) throw asError(failed.reason)
    const isUnfinished = settled.some((one) => one.status === 'fulfilled' && one.value)
    return isUnfinished || rows.length + gone.length === max
  }

  /** @returns whether a key must be queried again at once */
  async #askOne(store: QuestionStore, batch: readonly KeyRow[], signal: AbortSignal): Promise<boolean> {
    const { worker, metrics } = this.#options
    const end = metrics.enrichmentSeconds.startTimer({ worker: worker.name })
    const { outcomes, interruption } = await askBatch(store.question, batch, { ...this.#options.context, signal })
    end()
    for (const { outcome } of await this.#keep(store, outcomes))
      metrics.enrichmentKeys.inc({ worker: worker.name, outcome: outcome.kind })
    if (interruption !== undefined) throw asError(interruption)
    return outcomes.some(({ outcome }) => outcome.kind === 'answered' && outcome.againMs === 0)
  }

  /** A result that the database rejects fails its key only. @returns the stored outcomes */
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

const longestMessage = 2000

const maxFailedInRow = 3

/** Whether the error is unrelated to the keys, so that they are retried unchanged. */
function isTransient(error: unknown): boolean {
  if (error instanceof ChainCallFailedError) return false
  return error instanceof RetryableError || error instanceof StateNotServedError
}

interface BatchResult {
  readonly outcomes: readonly KeyOutcome[]
  /** Undefined if all keys have an outcome. */
  readonly interruption: unknown
}

/**
 * If a batch fails because of its keys, queries halves down to the failing keys.
 *
 * @throws the signal's reason
 */
async function askBatch(
  question: Question<never>,
  rows: readonly KeyRow[],
  context: QueryContext,
): Promise<BatchResult> {
  const outcomes: KeyOutcome[] = []
  const waiting = [rows]
  let failedInRow = 0
  for (let part = waiting.pop(); part !== undefined; part = waiting.pop()) {
    try {
      outcomes.push(...(await askOnce(question, part, context)))
      failedInRow = 0
    } catch (thrown) {
      context.signal.throwIfAborted()
      if (isTransient(thrown)) return { outcomes, interruption: thrown }
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

async function askOnce(
  question: Question<never>,
  rows: readonly KeyRow[],
  context: QueryContext,
): Promise<KeyOutcome[]> {
  // `details` returns the columns that the question declares.
  const outcomes = await question.ask(rows as readonly never[], context)
  return rows.map((row, i) => ({
    row,
    outcome: outcomes[i] ?? failure(new Error('the query returned no outcome for the key')),
  }))
}

function failure(thrown: unknown): Outcome {
  const error = asError(thrown)
  return {
    kind: 'failed',
    code: error instanceof FlowfarmError ? error.code : 'asking-failed',
    message: error.message.slice(0, longestMessage),
  }
}
