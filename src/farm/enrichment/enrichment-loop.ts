import type pg from 'pg'
import type {
  EnrichmentTable,
  EnrichmentWorker,
  Outcome,
  QueryContext,
} from '../../../jobs/enrichment/enrichment-worker.ts'
import { ChainCallFailedError, StateNotServedError } from '../../flow/chain-reader.ts'
import { asError, FatalError, FlowfarmError, RetryableError } from '../../platform/errors.ts'
import { LogThrottle } from '../../platform/log-throttle.ts'
import type { Logger } from '../../platform/log.ts'
import type { Metrics } from '../../platform/metrics.ts'
import { backoffMs } from '../../platform/retry.ts'
import { WakeUp } from '../../platform/signals.ts'
import { EnrichmentStore } from './enrichment-store.ts'
import type { Claim, KeyOutcome, KeyRow } from './enrichment-store.ts'

export interface EnrichmentLoopOptions {
  readonly pool: pg.Pool
  readonly worker: EnrichmentWorker
  readonly context: Omit<QueryContext, 'signal'>
  readonly concurrency: number
  /** Also limited by the table. */
  readonly range: number
  /** Whether this process adds new keys. Default true. */
  readonly isDiscoverer?: () => boolean
  readonly log: Logger
  /** Shared by the workers of the process, because one failing node fails all of them. */
  readonly failures?: LogThrottle | undefined
  readonly metrics: Metrics
  /** Also the pause after an idle round, ms. Default 1000. */
  readonly roundMs?: number | undefined
  /** Maximum pause without a wake-up, ms. Default 10,000. */
  readonly idleMs?: number | undefined
  /** Time after which the keys of a killed process are available again. Default 15,000. */
  readonly claimMs?: number | undefined
}

const defaultRoundMs = 1000
/** Rest after a scan that found nothing, in rounds. */
const scanRestRounds = 60
const maxPauseMs = 60_000
const defaultClaimMs = 15_000

/**
 * Claims and queries due keys in rounds until the signal.
 *
 *     round ──more due──► round
 *       ├──nothing due──► idle ──wake-up or timeout──► round
 *       └──no node responds──► paused with back-off ──► round
 *
 * Any number of processes may run the loop of a worker. It can be stopped at any time.
 */
export class EnrichmentLoop {
  readonly #options: EnrichmentLoopOptions
  readonly #stores: readonly EnrichmentStore[]
  readonly #wakeUp = new WakeUp()
  #discoveredAt = Number.NEGATIVE_INFINITY
  readonly #uninterruptible = new WakeUp()

  constructor(options: EnrichmentLoopOptions) {
    this.#options = options
    const scanRestMs = scanRestRounds * (options.roundMs ?? defaultRoundMs)
    this.#stores = options.worker.tables.map((table) => new EnrichmentStore(options.pool, table, scanRestMs))
  }

  wake(): void {
    this.#wakeUp.call()
  }

  /** Never rejects: a failing enrichment worker must not stop derivation. */
  async run(signal: AbortSignal): Promise<void> {
    const { worker, log, failures = new LogThrottle(), roundMs = defaultRoundMs, idleMs = 10_000 } = this.#options
    let failedRounds = 0
    while (!signal.aborted) {
      try {
        const isMore = await this.round(signal)
        failedRounds = 0
        if (isMore) continue
        await this.#uninterruptible.sleep(roundMs, signal)
        await this.#wakeUp.sleep(idleMs, signal)
      } catch (thrown) {
        if (signal.aborted) return
        const pauseMs = backoffMs(++failedRounds, roundMs, maxPauseMs)
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
    const { roundMs = defaultRoundMs, isDiscoverer } = this.#options
    const isDiscoveryDue = isDiscoverer?.() !== false && performance.now() - this.#discoveredAt >= roundMs
    if (isDiscoveryDue) this.#discoveredAt = performance.now()
    for (const store of this.#stores) {
      if (isDiscoveryDue) await store.discover()
      if (await this.#queryDue(store, signal)) isMore = true
    }
    return isMore
  }

  async #queryDue(store: EnrichmentStore, signal: AbortSignal): Promise<boolean> {
    const { concurrency, range, claimMs = defaultClaimMs } = this.#options
    const batch = Math.min(range, store.table.batch)
    const claim = await store.claim(concurrency * batch, claimMs)
    if (claim === undefined) return false
    const { keys, until } = claim
    const batches: Claim[] = []
    for (let i = 0; i < keys.length; i += batch) batches.push({ keys: keys.slice(i, i + batch), until })
    // Keep successes whatever the other batches return.
    const settled = await Promise.allSettled(batches.map((one) => this.#queryClaim(store, one, signal)))
    const failed = settled.find((one) => one.status === 'rejected')
    if (failed !== undefined) throw asError(failed.reason)
    const isUnfinished = settled.some((one) => one.status === 'fulfilled' && one.value)
    return isUnfinished || keys.length === concurrency * batch
  }

  /** @returns whether a key must be queried again at once */
  async #queryClaim(store: EnrichmentStore, claim: Claim, signal: AbortSignal): Promise<boolean> {
    const { worker, metrics, context, log } = this.#options
    try {
      const { rows, deleted } = await store.details(claim)
      await store.store(
        claim,
        deleted.map((row) => ({
          row,
          outcome: { kind: 'none', code: 'key-deleted', message: 'The key no longer exists' },
        })),
      )
      const end = metrics.enrichmentSeconds.startTimer({ worker: worker.name })
      const { outcomes, interruption } = await this.#whileRenewed(store, claim, () =>
        queryBatch(store.table, rows, { ...context, signal }),
      )
      end()
      const stored = await storeOutcomes(store, claim, outcomes)
      for (const { outcome } of stored) metrics.enrichmentKeys.inc({ worker: worker.name, outcome: outcome.kind })
      metrics.enrichmentKeys.inc({ worker: worker.name, outcome: 'expired' }, outcomes.length - stored.length)
      if (interruption !== undefined) throw asError(interruption)
      return stored.some(({ outcome }) => outcome.kind === 'answered' && outcome.refreshMs === 0)
    } catch (error) {
      // A stop must not wait for the database.
      if (!signal.aborted)
        await store.release(claim).catch((err: unknown) => log.debug({ err }, 'Claimed keys are due after the claim'))
      throw error
    }
  }

  /** No renewal overlaps a store, which needs the current end of the claim. */
  async #whileRenewed<T>(store: EnrichmentStore, claim: Claim, fn: () => Promise<T>): Promise<T> {
    const { log, claimMs = defaultClaimMs } = this.#options
    const end = new AbortController()
    const renew = async (): Promise<void> => {
      const timer = new WakeUp()
      for (;;) {
        await timer.sleep(claimMs / 3, end.signal)
        if (end.signal.aborted) return
        await store.renew(claim, claimMs).catch((err: unknown) => log.debug({ err }, 'Could not renew a claim'))
      }
    }
    const renewing = renew()
    try {
      return await fn()
    } finally {
      end.abort()
      await renewing
    }
  }
}

/** A result that the database rejects fails its key only. @returns the stored outcomes */
async function storeOutcomes(
  store: EnrichmentStore,
  claim: Claim,
  outcomes: readonly KeyOutcome[],
): Promise<readonly KeyOutcome[]> {
  try {
    return await store.store(claim, outcomes)
  } catch (error) {
    const [one] = outcomes
    if (!(error instanceof FatalError) || one === undefined || one.outcome.kind === 'failed') throw error
    if (outcomes.length === 1) return storeOutcomes(store, claim, [{ row: one.row, outcome: failure(error) }])
    const stored: KeyOutcome[] = []
    for (const outcome of outcomes) stored.push(...(await storeOutcomes(store, claim, [outcome])))
    return stored
  }
}

const maxMessageLength = 2000

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
async function queryBatch(
  table: EnrichmentTable<never>,
  rows: readonly KeyRow[],
  context: QueryContext,
): Promise<BatchResult> {
  const outcomes: KeyOutcome[] = []
  const waiting = rows.length === 0 ? [] : [rows]
  let failedInRow = 0
  for (let part = waiting.pop(); part !== undefined; part = waiting.pop()) {
    try {
      outcomes.push(...(await queryOnce(table, part, context)))
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

async function queryOnce(
  table: EnrichmentTable<never>,
  rows: readonly KeyRow[],
  context: QueryContext,
): Promise<KeyOutcome[]> {
  // `details` returns the columns that the table declares.
  const outcomes = await table.query(rows as readonly never[], context)
  return rows.map((row, i) => ({
    row,
    outcome: outcomes[i] ?? failure(new Error('the query returned no outcome for the key')),
  }))
}

function failure(thrown: unknown): Outcome {
  const error = asError(thrown)
  return {
    kind: 'failed',
    code: error instanceof FlowfarmError ? error.code : 'query-failed',
    message: error.message.slice(0, maxMessageLength),
  }
}
