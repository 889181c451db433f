import type pg from 'pg'
import { asError } from '../platform/errors.ts'
import type { Logger } from '../platform/log.ts'
import { LogThrottle } from '../platform/log-throttle.ts'
import { backoffMs, pause } from '../platform/retry.ts'
import { listen } from '../platform/db/listen.ts'
import { deliver } from './deliver.ts'
import type { Attempt, DeliverOptions } from './deliver.ts'
import { readPending } from './pending-deliveries.ts'
import type { PendingWork } from './pending-deliveries.ts'
import { RunRecorder } from './run-recorder.ts'
import type { RetryRules } from './run-recorder.ts'
import { renewTurns, takeTurns, turnsChannel } from './turns.ts'
import type { Turn } from './turns.ts'
import { WakeUp } from './wake-up.ts'

export interface SenderOptions extends DeliverOptions {
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
 * Sends what waits: many subscriptions at the same time, the deliveries of one after the other, up to the first that fails.
 * A receiver that does not answer holds its own subscription and nothing else.
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
    this.#wakeUp.wake()
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
      onTrouble: (err) => troubles.log(log, 'warn', { err }, 'Webhooks receive no due deliveries: connecting again'),
    }).catch(() => undefined)
    const renewing = this.#renew()
    for (let failures = 0; !signal.aborted;) {
      try {
        const hasMore = await this.#startRuns()
        failures = 0
        if (!hasMore) await this.#wakeUp.wait(lookMs, signal)
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
    const most = Math.min(turnsAtOnce, concurrency - this.#runs.size)
    if (most <= 0) return false
    const heldUntil = performance.now() + leaseMs
    const turns = await takeTurns(pool, most, leaseMs, this.#busyKeys())
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
    return turns.length === most
  }

  /** Keys that have more than their share of what is sent at a time: their receivers may be slow, and others are not to wait for them. */
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
