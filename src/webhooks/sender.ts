import type pg from 'pg'
import { asError } from '../base/errors.ts'
import type { Logger } from '../base/log.ts'
import { backoffMs, pause } from '../base/retry.ts'
import { listen } from '../db/listen.ts'
import { deliver } from './deliver.ts'
import type { Attempt, DeliverOptions } from './deliver.ts'
import { readPending } from './pending-deliveries.ts'
import type { PendingWork } from './pending-deliveries.ts'
import { RunRecorder } from './run-recorder.ts'
import type { RetryRules } from './run-recorder.ts'
import { jobsChannel } from './send-queue.ts'
import type { SendJob, SendQueue } from './send-queue.ts'
import { WakeUp } from './wake-up.ts'

export interface SenderOptions extends DeliverOptions {
  readonly databaseUrl: string
  readonly pool: pg.Pool
  readonly queue: SendQueue
  readonly log: Logger
  /** Ends it. */
  readonly signal: AbortSignal
  /** Subscriptions that are sent to at the same time. */
  readonly concurrency: number
  readonly retry: RetryRules
  readonly onAttempt?: (attempt: Attempt) => void
}

/** Jobs that are taken at once; all that is to be sent for them is read together. */
const jobsAtOnce = 100

/** Deliveries of a subscription that are sent before it waits its turn again. */
const deliveriesAtOnce = 50

/** A run ends when it has taken so long, so that what became of its deliveries is written down soon. */
const runMs = 2000

/** Jobs that were put off are looked for so often. */
const lookMs = 500

const heartbeatMs = 3000

/** How long an attempt under way may still take when the process stops, so that fewer are made twice. */
const graceMs = 1500

/** A job in hand. */
interface Run {
  readonly job: SendJob
  readonly done: Promise<void>
}

/**
 * Sends what waits: many subscriptions at the same time, the deliveries of one after the other, up to the first that fails.
 * A receiver that does not answer holds its own subscription and nothing else.
 */
export class Sender {
  readonly #options: SenderOptions
  readonly #recorder: RunRecorder
  readonly #wakeUp = new WakeUp()
  readonly #runs = new Map<string, Run>()
  readonly #breakOff = new AbortController()

  constructor(options: SenderOptions) {
    this.#options = options
    const { pool, queue, log, retry, signal } = options
    this.#recorder = new RunRecorder({ pool, queue, log, retry, signal, onRecorded: () => this.wake() })
  }

  /** There may be jobs. */
  wake(): void {
    this.#wakeUp.wake()
  }

  /** Resolves when the signal is aborted and what was sent until then is written down; never rejects. */
  async run(): Promise<void> {
    const { signal, log, databaseUrl } = this.#options
    const wake = (): void => this.wake()
    const listening = listen(databaseUrl, [jobsChannel], wake, {
      signal, applicationName: 'flowfarm webhooks', onReconnect: wake,
      onTrouble: (err) => log.warn({ err }, 'jobs of webhooks are not heard of; connecting again'),
    }).catch(() => undefined)
    const beating = this.#beat()
    for (let failures = 0; !signal.aborted;) {
      try {
        const hasMore = await this.#startRuns()
        failures = 0
        if (!hasMore) await this.#wakeUp.wait(lookMs, signal)
      } catch (error) {
        if (signal.aborted) break
        log.warn({ err: asError(error) }, 'webhooks could not be fetched; trying again')
        await pause(backoffMs(++failures, 100, 5000), signal).catch(() => undefined)
      }
    }
    const timer = setTimeout(() => this.#breakOff.abort(), graceMs)
    await Promise.all([...this.#runs.values()].map(({ done }) => done))
    clearTimeout(timer)
    await this.#recorder.idle()
    await beating
    await (await listening)?.ended
  }

  /** @returns whether there may be more jobs, and room for them */
  async #startRuns(): Promise<boolean> {
    const { queue, pool, concurrency } = this.#options
    const most = Math.min(jobsAtOnce, concurrency - this.#runs.size)
    if (most <= 0) return false
    const jobs = await queue.fetch(most)
    if (jobs.length === 0) return false
    const works = await readPending(pool, jobs.map((job) => job.subscriptionId), deliveriesAtOnce)
    for (const job of jobs) {
      const done = this.#send(job, works.get(job.subscriptionId)).finally(() => {
        this.#runs.delete(job.id)
        if (this.#runs.size === concurrency - 1) this.wake()
      })
      this.#runs.set(job.id, { job, done })
    }
    return jobs.length === most
  }

  async #send(job: SendJob, work: PendingWork | undefined): Promise<void> {
    const { signal, log, onAttempt } = this.#options
    const attempts: Attempt[] = []
    const until = performance.now() + runMs
    try {
      for (const delivery of work?.deliveries ?? []) {
        const attempt = await deliver(work as PendingWork, delivery, this.#options, this.#breakOff.signal)
        attempts.push(attempt)
        onAttempt?.(attempt)
        if (attempt.error !== null || signal.aborted || performance.now() >= until) break
      }
    } catch (error) {
      // What was under way is sent again, by the same id, by whoever takes the job next.
      if (!this.#breakOff.signal.aborted) log.error({ err: asError(error), subscription: job.subscriptionId }, 'a webhook could not be sent')
    }
    await this.#recorder.record({ job, attempts })
  }

  async #beat(): Promise<void> {
    const { signal, queue, log } = this.#options
    while (!signal.aborted) {
      await pause(heartbeatMs, signal).catch(() => undefined)
      if (signal.aborted) break
      await queue.touch([...this.#runs.values()].map(({ job }) => job))
        .catch((error: unknown) => log.warn({ err: asError(error) }, 'jobs of webhooks could not be kept'))
    }
  }
}
