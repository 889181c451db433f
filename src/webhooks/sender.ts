import type pg from 'pg'
import { asError } from '../platform/errors.ts'
import type { Logger } from '../platform/log.ts'
import { LogThrottle } from '../platform/log-throttle.ts'
import { backoffMs, pause, retryWhile } from '../platform/retry.ts'
import { listen } from '../platform/db/listen.ts'
import { deliver, readPending } from './deliver.ts'
import type { Attempt, DeliverOptions, PendingWork } from './deliver.ts'
import { renewLeases, claimLeases, deliveriesChannel, releaseLeases, lockLeases } from './leases.ts'
import type { DeliveryLease } from './leases.ts'
import { WakeUp } from '../platform/signals.ts'
import { query, withTransaction } from '../platform/db/pool.ts'

interface SenderOptions extends DeliverOptions {
  readonly databaseUrl: string
  readonly pool: pg.Pool
  readonly log: Logger
  readonly signal: AbortSignal
  readonly concurrency: number
  readonly retry: RetryRules
  readonly onAttempt?: (attempt: Attempt) => void
}

const leaseBatch = 100

/** Limit per lease. */
const maxDeliveries = 50

/** Limits a run, so that results are recorded soon. */
const runMs = 2000

const pollMs = 500

const leaseMs = 5000
const renewMs = 1500

/** Share of the concurrency per developer key. */
const maxKeyShare = 0.5

/** Grace period for running attempts, to avoid sending them twice. */
const graceMs = 1500

interface Run {
  readonly lease: DeliveryLease
  readonly done: Promise<void>
  /** Uses the `performance.now()` clock. */
  heldUntil: number
}

/**
 * Serves many subscriptions concurrently; the deliveries of one are sent in order, up to the first
 * failure. A slow receiver delays only its own subscription.
 */
export class Sender {
  readonly #options: SenderOptions
  readonly #recorder: RunRecorder
  readonly #wakeUp = new WakeUp()
  readonly #runs = new Map<DeliveryLease, Run>()
  readonly #breakOff = new AbortController()

  constructor(options: SenderOptions) {
    this.#options = options
    const { pool, log, retry, signal } = options
    this.#recorder = new RunRecorder({ pool, log, retry, signal, onRecorded: () => this.wake() })
  }

  wake(): void {
    this.#wakeUp.call()
  }

  /** Never rejects. */
  async run(): Promise<void> {
    const { signal, log, databaseUrl } = this.#options
    const wake = (): void => this.wake()
    const outages = new LogThrottle()
    const listening = listen(databaseUrl, [deliveriesChannel], wake, {
      signal,
      applicationName: 'flowfarm webhooks',
      onReconnect: wake,
      onError: (err) =>
        outages.log(log, 'warn', { err }, 'Webhook sender lost its notification connection. Reconnecting.'),
    }).catch(() => undefined)
    const renewing = this.#renew()
    for (let failures = 0; !signal.aborted;) {
      try {
        const hasMore = await this.#startRuns()
        failures = 0
        if (!hasMore) await this.#wakeUp.sleep(pollMs, signal)
      } catch (error) {
        if (signal.aborted) break
        outages.log(log, 'warn', { err: asError(error) }, 'Could not read pending webhook deliveries. Retrying.')
        await pause(backoffMs(++failures, 100, 5000), signal).catch(() => undefined)
      }
    }
    const timer = setTimeout(() => this.#breakOff.abort(), graceMs)
    await Promise.all([...this.#runs.values()].map(({ done }) => done))
    clearTimeout(timer)
    await this.#recorder.idle()
    await renewing
    await (
      await listening
    )?.ended
  }

  /** @returns whether there may be more deliveries and free slots */
  async #startRuns(): Promise<boolean> {
    const { pool, concurrency } = this.#options
    const max = Math.min(leaseBatch, concurrency - this.#runs.size)
    if (max <= 0) return false
    const heldUntil = performance.now() + leaseMs
    const leases = await claimLeases(pool, max, leaseMs, this.#busyKeys())
    if (leases.length === 0) return false
    const works = await readPending(
      pool,
      leases.map((lease) => lease.subscriptionId),
      maxDeliveries,
    )
    for (const lease of leases) {
      const run: Run = {
        lease,
        heldUntil,
        done: Promise.resolve().then(() => this.#send(run, works.get(lease.subscriptionId))),
      }
      this.#runs.set(lease, run)
    }
    return leases.length === max
  }

  #busyKeys(): number[] {
    const share = Math.max(1, Math.floor(this.#options.concurrency * maxKeyShare))
    const counts = new Map<number, number>()
    for (const { keyId } of this.#runs.keys()) counts.set(keyId, (counts.get(keyId) ?? 0) + 1)
    return [...counts].flatMap(([keyId, count]) => (count >= share ? [keyId] : []))
  }

  async #send(run: Run, work: PendingWork | undefined): Promise<void> {
    const { signal, log, onAttempt } = this.#options
    const { lease } = run
    const attempts: Attempt[] = []
    const until = performance.now() + runMs
    // Cached for one run; the connected address is verified for each attempt.
    const addresses = new Map<string, Promise<readonly string[]>>()
    const options: DeliverOptions = {
      ...this.#options,
      lookUp: (host) => {
        const found = addresses.get(host) ?? this.#options.lookUp(host)
        addresses.set(host, found)
        return found
      },
    }
    try {
      for (const delivery of work?.deliveries ?? []) {
        if (performance.now() >= run.heldUntil) break
        const attempt = await deliver(work as PendingWork, delivery, options, this.#breakOff.signal)
        attempts.push(attempt)
        onAttempt?.(attempt)
        if (attempt.error !== null || signal.aborted || performance.now() >= until) break
      }
    } catch (error) {
      // The next lease holder sends unfinished deliveries again with the same id.
      if (!this.#breakOff.signal.aborted)
        log.error({ err: asError(error), subscription: lease.subscriptionId }, 'Could not send a webhook')
    }
    await this.#recorder.record({ lease, attempts })
    this.#runs.delete(lease)
    this.wake()
  }

  async #renew(): Promise<void> {
    const { signal, pool, log } = this.#options
    while (!signal.aborted) {
      await pause(renewMs, signal).catch(() => undefined)
      if (signal.aborted || this.#runs.size === 0) continue
      const runs = [...this.#runs.values()]
      const heldUntil = performance.now() + leaseMs
      try {
        const own = await renewLeases(
          pool,
          runs.map(({ lease }) => lease),
          leaseMs,
        )
        for (const run of runs) run.heldUntil = own.has(run.lease.subscriptionId) ? heldUntil : 0
      } catch (error) {
        log.warn({ err: asError(error) }, 'Could not renew webhook leases')
      }
    }
  }
}

/** In order; only the last may have failed. */
interface FinishedRun {
  readonly lease: DeliveryLease
  readonly attempts: readonly Attempt[]
}

export interface RetryRules {
  readonly maxTries: number
  /** Applies to the first failure; doubles up to `capMs`. */
  readonly baseMs: number
  readonly capMs: number
  /** Consecutive failures. */
  readonly pauseAfter: number
}

interface RunRecorderOptions {
  readonly pool: pg.Pool
  readonly log: Logger
  readonly retry: RetryRules
  readonly signal: AbortSignal
  readonly onRecorded: () => void
}

const runBatch = 500

/** Runs that finish during a transaction share the next one. */
class RunRecorder {
  readonly #options: RunRecorderOptions
  readonly #waiting: { readonly run: FinishedRun; readonly resolve: () => void }[] = []
  readonly #failures = new LogThrottle()
  #writing: Promise<void> | undefined

  constructor(options: RunRecorderOptions) {
    this.#options = options
  }

  /** Never rejects: unrecorded deliveries are sent again. */
  record(run: FinishedRun): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#waiting.push({ run, resolve })
    this.#writing ??= this.#writeAll()
    return promise
  }

  async idle(): Promise<void> {
    await this.#writing
  }

  async #writeAll(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve))
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, runBatch)
      await this.#write(batch.map(({ run }) => run))
      for (const { resolve } of batch) resolve()
      this.#options.onRecorded()
    }
    this.#writing = undefined
  }

  async #write(runs: readonly FinishedRun[]): Promise<void> {
    const { pool, retry, log, signal } = this.#options
    try {
      await retryWhile(() => withTransaction(pool, (client) => writeRuns(client, retry, runs)), {
        baseMs: 50,
        maxMs: 1000,
        onRetry: (error, attempt) => {
          if (signal.aborted && attempt > 3) throw error
        },
      })
    } catch (error) {
      // Retries each run alone, so that one failure does not affect the others.
      if (runs.length > 1 && !signal.aborted) for (const run of runs) await this.#write([run])
      else {
        const details = { err: asError(error), runs: runs.length }
        this.#failures.log(log, 'warn', details, 'Webhook deliveries could not be recorded and will be sent again')
      }
    }
  }
}

async function writeRuns(client: pg.ClientBase, retry: RetryRules, all: readonly FinishedRun[]): Promise<void> {
  // Losing this commit in a crash only sends deliveries again with the same id.
  await query(client, 'set local synchronous_commit = off')
  const own = await lockLeases(
    client,
    all.map(({ lease }) => lease),
  )
  const runs = all.filter(({ lease }) => own.has(lease.subscriptionId))
  if (runs.length === 0) return
  await writeAttempts(
    client,
    runs.flatMap((run) => run.attempts),
    retry.maxTries,
  )
  await countFailures(client, runs, retry.pauseAfter)
  await releaseLeases(
    client,
    runs.map((run) => ({ lease: run.lease, retryMs: nextTry(run, retry) })),
  )
}

/** 0: immediately. */
function nextTry({ attempts }: FinishedRun, { maxTries, baseMs, capMs }: RetryRules): number {
  const last = attempts.at(-1)
  if (last === undefined || last.error === null || last.number >= maxTries) return 0
  const retryAfterMs = Math.min((last.retryAfterSeconds ?? 0) * 1000, capMs)
  return Math.max(retryAfterMs, backoffMs(last.number, baseMs, capMs))
}

async function writeAttempts(client: pg.ClientBase, attempts: readonly Attempt[], maxTries: number): Promise<void> {
  if (attempts.length === 0) return
  await query(
    client,
    `with given as (
       select * from unnest($1::bigint[], $2::bigint[], $3::int[], $4::int[], $5::smallint[], $6::text[], $7::text[])
         as a (subscription_id, sequence, attempt, latency_ms, response_status, response_excerpt, error)
     ), updated as (
       update app.webhook_deliveries d set attempt_count = g.attempt, latency_ms = g.latency_ms, response_status =
         g.response_status,
         response_excerpt = g.response_excerpt, error = g.error,
         status = case when g.error is null then 'delivered' when g.attempt >= $8 then 'dead' else 'pending' end,
         finished_at = case when g.error is null or g.attempt >= $8 then now() end
       from given g where d.subscription_id = g.subscription_id and d.sequence = g.sequence and d.status = 'pending'
       returning d.subscription_id, d.sequence
     )
     insert into app.webhook_failures (subscription_id, sequence, attempt, latency_ms, response_status, error,
       response_excerpt)
     select g.subscription_id, g.sequence, g.attempt, g.latency_ms, g.response_status, g.error, g.response_excerpt
     from given g join updated using (subscription_id, sequence) where g.error is not null
     on conflict do nothing`,
    [
      attempts.map((a) => a.subscriptionId),
      attempts.map((a) => a.sequence),
      attempts.map((a) => a.number),
      attempts.map((a) => a.latencyMs),
      attempts.map((a) => a.status),
      attempts.map((a) => a.excerpt),
      attempts.map((a) => a.error),
      maxTries,
    ],
  )
}

/** Pauses an endpoint that returns 410 or fails too often. Its cursors wait, so nothing is lost. */
async function countFailures(client: pg.ClientBase, runs: readonly FinishedRun[], pauseAfter: number): Promise<void> {
  const outcomes = runs.flatMap(({ lease, attempts }) => {
    const last = attempts.at(-1)
    return last === undefined
      ? []
      : [
          {
            id: lease.subscriptionId,
            isFailed: last.error !== null,
            isGone: last.status === 410,
            hasSucceeded: attempts.some((one) => one.error === null),
          },
        ]
  })
  if (outcomes.length === 0) return
  await query(
    client,
    `with outcome as (
       select s.endpoint_id, count(*) filter (where o.is_failed) as failed, bool_or(o.is_gone) as is_gone,
         bool_or(o.has_succeeded) as has_succeeded
       from unnest($1::bigint[], $2::bool[], $3::bool[], $4::bool[]) as o (subscription_id, is_failed, is_gone,
         has_succeeded)
       join app.webhook_subscriptions s on s.id = o.subscription_id group by 1
     ), counted as (
       select e.id, case when o.has_succeeded then 0 else e.failures end + o.failed as failures, o.is_gone
       from outcome o join app.webhook_endpoints e on e.id = o.endpoint_id
       where o.failed > 0 or e.failures > 0 order by e.id for no key update of e
     )
     update app.webhook_endpoints e set failures = c.failures,
       paused_at = case when e.paused_at is null and (c.is_gone or c.failures >= $5) then now() else e.paused_at end,
       paused_reason = case when e.paused_at is null and c.is_gone then 'gone' when e.paused_at is null and
         c.failures >= $5 then 'failures' else e.paused_reason end
     from counted c where e.id = c.id`,
    [
      outcomes.map((o) => o.id),
      outcomes.map((o) => o.isFailed),
      outcomes.map((o) => o.isGone),
      outcomes.map((o) => o.hasSucceeded),
      pauseAfter,
    ],
  )
}
