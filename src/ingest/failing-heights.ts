import type pg from 'pg'
import type { ChainSource } from '../access/chain-source.ts'
import type { FetchedBlock } from '../access/messages.ts'
import { NodesFailedError, NotYetError } from '../access/chain-source.ts'
import { pgText } from '../platform/db/copy-writer.ts'
import { FlowfarmError, RetryableError } from '../platform/errors.ts'
import { LogThrottle } from '../platform/log-throttle.ts'
import type { Logger } from '../platform/log.ts'
import type { Metrics } from '../platform/metrics.ts'
import type { HeightRange } from '../platform/ranges.ts'
import { BadBlockError } from './errors.ts'
import { ingesterNames } from './checkpoints.ts'
import type { IngesterName } from './checkpoints.ts'
import { withTransaction } from '../platform/db/pool.ts'
import { insertUnavailable } from './batch-writer.ts'

/** No node serves its block, or it cannot be stored. */
export interface LostHeight {
  readonly lostHeight: number
  readonly reason: string
  readonly endpoint: string
}

interface FailingHeightsOptions {
  readonly pool: pg.Pool
  readonly name: IngesterName
  readonly source: Pick<ChainSource, 'isSettled' | 'salvageBlock'>
  readonly log: Logger
  readonly metrics: Metrics
  /** 0: only operators skip heights. */
  readonly unavailableAfterMs: number
  /** Short failures are common and not reported. */
  readonly reportAfterMs: number
}

interface Failing {
  readonly since: number
  /** A successful fetch does not resolve it. */
  readonly isBad: boolean
  isReported: boolean
}

/**
 * States of a settled height: failing → reported after `reportAfterMs` (log, metric,
 * raw.failing_heights) → unavailable, after `unavailableAfterMs` or when an operator skips it.
 *
 * Times survive restarts and apply to a run: a height whose neighbour became unavailable for the
 * same cause inherits its time. A stored height ends the run. During an outage (no node responds)
 * heights are never skipped automatically.
 */
export class FailingHeights {
  readonly #options: FailingHeightsOptions
  readonly #failing = new Map<number, Failing>()
  readonly #runs = new LogThrottle()
  #givenUp: number | undefined

  constructor(options: FailingHeightsOptions) {
    this.#options = options
  }

  /** The height was fetched or is no longer needed. Its row is deleted by the commit. */
  ended(height: number): void {
    if (this.#failing.get(height)?.isBad === false) this.#delete(height)
  }

  stored({ from, to }: HeightRange): void {
    for (const height of this.#failing.keys()) if (from <= height && height < to) this.#delete(height)
  }

  /** @returns the rest of the height if it is skipped; undefined: retry */
  async failed(height: number, error: Error, signal: AbortSignal): Promise<FetchedBlock | LostHeight | undefined> {
    const { source, pool, name, reportAfterMs } = this.#options
    if (error instanceof NotYetError || !(await source.isSettled(height, signal))) return undefined
    let failing = this.#failing.get(height)
    if (failing === undefined) {
      failing = { since: performance.now(), isBad: error instanceof BadBlockError, isReported: false }
      this.#failing.set(height, failing)
      this.#count()
    }
    const neighbour = height + (name === ingesterNames.forward ? -1 : 1)
    const isNext = neighbour === this.#givenUp
    if (!isNext && performance.now() - failing.since < reportAfterMs) return undefined
    const cause = error instanceof FlowfarmError ? error.code : 'unreadable'
    const recorded = await recordFailure(pool, { height, neighbour, ingester: name, cause, reason: error.message })
    const isDue = this.#isDue(recorded.failingMs, error)
    if (recorded.isSkipped || (isDue && (isNext || failing.isReported))) return this.#giveUp(height, error, signal)
    this.#report(height, failing, error)
    return undefined
  }

  #isDue(failingMs: number, error: Error): boolean {
    const { unavailableAfterMs } = this.#options
    const isOutage = error instanceof NodesFailedError && error.isOutage
    return unavailableAfterMs > 0 && failingMs >= unavailableAfterMs && !isOutage
  }

  #report(height: number, failing: Failing, error: Error): void {
    if (failing.isReported) return
    failing.isReported = true
    const { log, unavailableAfterMs } = this.#options
    const then = unavailableAfterMs === 0 ? 'until an operator skips it' : `for up to ${unavailableAfterMs / 1000} s`
    const what = failing.isBad
      ? `Settled height ${height} cannot be stored`
      : `No access node serves settled height ${height}`
    log.error(
      { height, reason: error.message, unavailableAfterMs },
      `${what}: ingestion waits ${then}. Add a node that ${failing.isBad ? 'has a different block' : 'has it'}, ` +
        `or run npm run raw -- skip ${height}.`,
    )
  }

  async #giveUp(height: number, error: Error, signal: AbortSignal): Promise<FetchedBlock | LostHeight> {
    const { source, metrics, name, pool } = this.#options
    const canSalvage = error instanceof RetryableError && !(error instanceof BadBlockError)
    const { block, reasons } = canSalvage
      ? await source.salvageBlock(height, signal)
      : { block: undefined, reasons: [] }
    if (block !== undefined && block.missing.length === 0) return block
    await recordGivenUp(pool, height)
    this.#givenUp = height
    this.#delete(height)
    metrics.heightsGivenUp.inc({ ingester: name })
    this.#reportGivenUp(height, { reason: error.message, reasons, missing: block?.missing.length })
    if (block !== undefined) return block
    const [first] = reasons
    const endpoint = first?.endpoint ?? (error instanceof BadBlockError ? error.endpoint : '')
    return { lostHeight: height, reason: first?.reason ?? error.message, endpoint }
  }

  /** One line per interval: a run can have millions of heights. */
  #reportGivenUp(
    height: number,
    details: { readonly missing: number | undefined; readonly [name: string]: unknown },
  ): void {
    const suppressed = this.#runs.due()
    if (suppressed === undefined) return
    const others = suppressed === 0 ? '' : `, and ${suppressed} before it,`
    this.#options.log.error(
      { height, suppressed, ...details },
      `Height ${height}${others} is recorded as unavailable${details.missing === undefined ? '' : ' in part'}. ` +
        `To fetch it again, run npm run raw -- retry ${height}.`,
    )
  }

  #delete(height: number): void {
    if (this.#failing.delete(height)) this.#count()
  }

  #count(): void {
    this.#options.metrics.failingHeights.set({ ingester: this.#options.name }, this.#failing.size)
  }
}

/** Nodes control the reason. */
const reasonLength = 1000

/**
 * The failing time includes that of a neighbour skipped for the same cause.
 * @returns how long it has failed, and whether an operator skips it
 */
async function recordFailure(
  pool: pg.Pool,
  failure: {
    readonly height: number
    readonly neighbour: number
    readonly ingester: string
    readonly cause: string
    readonly reason: string
  },
): Promise<{ readonly failingMs: number; readonly isSkipped: boolean }> {
  const { rows } = await pool.query<{ failing_ms: number; is_skipped: boolean }>({
    name: 'ingest-record-failure',
    text: `
      insert into raw.failing_heights as f (height, ingester, reason, cause, failing_since)
      values ($1, $2, $3, $4, coalesce((
        select failing_since from raw.failing_heights where height = $5 and cause = $4 and given_up_at is not null
      ), now()))
      on conflict (height) do update
      set ingester = excluded.ingester, reason = excluded.reason, cause = excluded.cause, attempts = f.attempts + 1,
        failing_since = least(f.failing_since, excluded.failing_since), last_failed_at = now(), given_up_at = null
      returning (extract(epoch from now() - failing_since) * 1000)::float8 as failing_ms,
        skip_requested_at is not null as is_skipped`,
    values: [
      failure.height,
      failure.ingester,
      pgText(failure.reason.slice(0, reasonLength)),
      failure.cause,
      failure.neighbour,
    ],
  })
  return { failingMs: rows[0]?.failing_ms ?? 0, isSkipped: rows[0]?.is_skipped ?? false }
}

/** The row keeps the time of the run until the height is stored or retried. */
async function recordGivenUp(pool: pg.Pool, height: number): Promise<void> {
  await pool.query('update raw.failing_heights set given_up_at = now() where height = $1', [height])
}

/** @returns false, without recording, if a rollback or retry intervened or the height is stored */
export function recordLostHeight(
  pool: pg.Pool,
  ingester: { readonly name: string; readonly generation: number },
  lost: LostHeight,
): Promise<boolean> {
  const { lostHeight: height, reason, endpoint } = lost
  return withTransaction(pool, async (client) => {
    const { rowCount } = await client.query(
      `select 1 from app.indexing_checkpoints
       where service_name = $1 and generation = $2 and not covered @> $3::bigint for update`,
      [ingester.name, ingester.generation, height],
    )
    if (rowCount !== 1) return false
    await insertUnavailable(client, [{ blockHeight: height, part: 'block', txIndex: -1, reason, endpoint }])
    return true
  })
}
