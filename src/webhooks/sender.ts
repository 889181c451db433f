import type pg from 'pg'
import { asError } from '../platform/errors.ts'
import type { Logger } from '../platform/log.ts'
import { LogThrottle } from '../platform/log-throttle.ts'
import { backoffMs, pause, retryWhile } from '../platform/retry.ts'
import { listen } from '../platform/db/listen.ts'
import { deliver, readPending } from './deliver.ts'
import type { Attempt, DeliverOptions, PendingWork } from './deliver.ts'
import { renewTurns, takeTurns, turnsChannel, endTurns, lockTurns } from './turns.ts'
import type { Turn } from './turns.ts'
import { WakeUp } from '../platform/signals.ts'
import { query, withTransaction } from '../platform/db/pool.ts'

interface SenderOptions extends DeliverOptions {
  readonly databaseUrl: string
  readonly pool: pg.Pool
  readonly log: Logger
  /** Ends it. */
  readonly signal: AbortSignal
  /** Subscriptions that are sent to at the same time. */
  readonly concurrency: number
  readonly retry: RetryRules
  readonly onAttempt?: (attempt: Attempt) => void
}

/** Turns that are taken at once; all that is to be sent in them is read together. */
const turnsAtOnce = 100

/** Deliveries of a subscription that are sent before it waits its turn again. */
const deliveriesAtOnce = 50

/** A run ends when it has taken so long, so that what became of its deliveries is written down soon. */
const runMs = 2000

/** Turns that were put off are looked for so often. */
const lookMs = 500

/** Others take a turn over whose process was silent for so long. */
const leaseMs = 5000
const renewMs = 1500

/** Part of what is sent at a time that one developer key may have. */
const shareOfKey = 0.5

/** How long an attempt under way may still take when the process stops, so that fewer are made twice. */
const graceMs = 1500

/** A turn in hand. */
interface Run {
  readonly turn: Turn
  readonly done: Promise<void>
  /** `performance.now()` from which on somebody else may have it. */
  heldUntil: number
}

/**
 * Sends what waits: many subscriptions at the same time, the deliveries of one after the other, up to the first
 * that fails. A receiver that does not answer holds its own subscription and nothing else.
 */
export class Sender {
  readonly #options: SenderOptions
  readonly #recorder: RunRecorder
  readonly #wakeUp = new WakeUp()
  readonly #runs = new Map<Turn, Run>()
  readonly #breakOff = new AbortController()

  constructor(options: SenderOptions) {
    this.#options = options
    const { pool, log, retry, signal } = options
    this.#recorder = new RunRecorder({ pool, log, retry, signal, onRecorded: () => this.wake() })
  }

  /** There may be something to be sent. */
  wake(): void {
    this.#wakeUp.call()
  }

  /** Resolves when the signal is aborted and what was sent until then is written down; never rejects. */
  async run(): Promise<void> {
    const { signal, log, databaseUrl } = this.#options
    const wake = (): void => this.wake()
    const troubles = new LogThrottle()
    const listening = listen(databaseUrl, [turnsChannel], wake, {
      signal,
      applicationName: 'flowfarm webhooks',
      onReconnect: wake,
      onError: (err) => troubles.log(log, 'warn', { err }, 'Webhooks receive no due deliveries: connecting again'),
    }).catch(() => undefined)
    const renewing = this.#renew()
    for (let failures = 0; !signal.aborted;) {
      try {
        const hasMore = await this.#startRuns()
        failures = 0
        if (!hasMore) await this.#wakeUp.sleep(lookMs, signal)
      } catch (error) {
        if (signal.aborted) break
        troubles.log(log, 'warn', { err: asError(error) }, 'webhooks to be sent could not be read; trying again')
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

  /** @returns whether there may be more to be sent, and room for it */
  async #startRuns(): Promise<boolean> {
    const { pool, concurrency } = this.#options
    const max = Math.min(turnsAtOnce, concurrency - this.#runs.size)
    if (max <= 0) return false
    const heldUntil = performance.now() + leaseMs
    const turns = await takeTurns(pool, max, leaseMs, this.#busyKeys())
    if (turns.length === 0) return false
    const works = await readPending(
      pool,
      turns.map((turn) => turn.subscriptionId),
      deliveriesAtOnce,
    )
    for (const turn of turns) {
      const run: Run = {
        turn,
        heldUntil,
        done: Promise.resolve().then(() => this.#send(run, works.get(turn.subscriptionId))),
      }
      this.#runs.set(turn, run)
    }
    return turns.length === max
  }

  /**
   * Keys that have more than their share of what is sent at a time: their receivers may be slow, and others are not
   * to wait for them.
   */
  #busyKeys(): number[] {
    const share = Math.max(1, Math.floor(this.#options.concurrency * shareOfKey))
    const counts = new Map<number, number>()
    for (const { keyId } of this.#runs.keys()) counts.set(keyId, (counts.get(keyId) ?? 0) + 1)
    return [...counts].flatMap(([keyId, count]) => (count >= share ? [keyId] : []))
  }

  async #send(run: Run, work: PendingWork | undefined): Promise<void> {
    const { signal, log, onAttempt } = this.#options
    const { turn } = run
    const attempts: Attempt[] = []
    const until = performance.now() + runMs
    // Looked up once for the few seconds of a run; the address that is connected to is checked each time.
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
      // What was under way is sent again, by the same id, by whoever takes the turn next.
      if (!this.#breakOff.signal.aborted)
        log.error({ err: asError(error), subscription: turn.subscriptionId }, 'a webhook could not be sent')
    }
    await this.#recorder.record({ turn, attempts })
    this.#runs.delete(turn)
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
        const own = await renewTurns(
          pool,
          runs.map(({ turn }) => turn),
          leaseMs,
        )
        for (const run of runs) run.heldUntil = own.has(run.turn.subscriptionId) ? heldUntil : 0
      } catch (error) {
        log.warn({ err: asError(error) }, 'turns of webhooks could not be kept')
      }
    }
  }
}

/** One turn of a subscription: what was tried, in its order; only the last may have failed. */
interface FinishedRun {
  readonly turn: Turn
  readonly attempts: readonly Attempt[]
}

export interface RetryRules {
  /** A delivery is given up after so many attempts. */
  readonly maxTries: number
  /** Longest pause after the first failed attempt; it doubles with each up to `capMs`. */
  readonly baseMs: number
  readonly capMs: number
  /** An endpoint is paused after so many failed attempts in a row. */
  readonly pauseAfter: number
}

interface RunRecorderOptions {
  readonly pool: pg.Pool
  readonly log: Logger
  readonly retry: RetryRules
  readonly signal: AbortSignal
  readonly onRecorded: () => void
}

/** Runs that one transaction writes down at most. */
const runsAtOnce = 500

/**
 * Writes down what became of deliveries, and ends the turns. Whatever was finished while a transaction was under
 * way goes together in the next one, so that a thousand deliveries a second cost a few dozen transactions.
 */
class RunRecorder {
  readonly #options: RunRecorderOptions
  readonly #waiting: { readonly run: FinishedRun; readonly resolve: () => void }[] = []
  readonly #failures = new LogThrottle()
  #writing: Promise<void> | undefined

  constructor(options: RunRecorderOptions) {
    this.#options = options
  }

  /** Resolves when it is written down, or cannot be: then the deliveries are sent again. Never rejects. */
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
    // Those that end in this turn of the event loop go together.
    await new Promise((resolve) => setImmediate(resolve))
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, runsAtOnce)
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
          // Somebody waits for the process to end, and nothing is lost.
          if (signal.aborted && attempt > 3) throw error
        },
      })
    } catch (error) {
      // One that cannot be written down must not take the others along.
      if (runs.length > 1 && !signal.aborted) for (const run of runs) await this.#write([run])
      else {
        const details = { err: asError(error), runs: runs.length }
        this.#failures.log(log, 'warn', details, 'Webhook deliveries could not be recorded and will be sent again')
      }
    }
  }
}

async function writeRuns(client: pg.ClientBase, retry: RetryRules, all: readonly FinishedRun[]): Promise<void> {
  // What a crash of the server undoes is sent again by the same id; nobody need wait for the disk.
  await query(client, 'set local synchronous_commit = off')
  const own = await lockTurns(
    client,
    all.map(({ turn }) => turn),
  )
  const runs = all.filter(({ turn }) => own.has(turn.subscriptionId))
  if (runs.length === 0) return
  await writeAttempts(
    client,
    runs.flatMap((run) => run.attempts),
    retry.maxTries,
  )
  await countFailures(client, runs, retry.pauseAfter)
  await endTurns(
    client,
    runs.map((run) => ({ turn: run.turn, retryMs: nextTry(run, retry) })),
  )
}

/** After how long the delivery that failed is tried again; 0: the next can be sent at once. */
function nextTry({ attempts }: FinishedRun, { maxTries, baseMs, capMs }: RetryRules): number {
  const last = attempts.at(-1)
  if (last === undefined || last.error === null || last.number >= maxTries) return 0
  const asked = Math.min((last.retryAfterSeconds ?? 0) * 1000, capMs)
  return Math.max(asked, backoffMs(last.number, baseMs, capMs))
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

/**
 * Failures of an endpoint in a row: one that answers 410, or fails too often, is paused. Its cursors wait, so
 * nothing is lost by that.
 */
async function countFailures(client: pg.ClientBase, runs: readonly FinishedRun[], pauseAfter: number): Promise<void> {
  const outcomes = runs.flatMap(({ turn, attempts }) => {
    const last = attempts.at(-1)
    return last === undefined
      ? []
      : [
          {
            id: turn.subscriptionId,
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
