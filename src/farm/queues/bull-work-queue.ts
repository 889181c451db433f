import { setTimeout as delay } from 'node:timers/promises'
import type { BackendFactory, IQueueBackend, Queue, QueueOptions, WorkerOptions } from 'bullmq'
import { withBackend } from 'bullmq'
import { asError, FlowfarmError, RetryableError } from '../../platform/errors.ts'
import type { Logger } from '../../platform/log.ts'
import { LogThrottle } from '../../platform/log-throttle.ts'
import { jobId } from './work-queue.ts'
import type { LeaseJob, LeaseJobHandler, QueueConsumer, WorkQueue } from './work-queue.ts'

/** What makes BullMQ run on one store. */
export interface BullBackend<Backend extends IQueueBackend, Connection> {
  readonly name: WorkQueue['backend']
  readonly factory: BackendFactory<Backend, Connection>
  /** Given to what adds jobs: fails at once when the store is away. */
  readonly producer: Connection
  /** Given to what takes jobs: waits for the store to come back. */
  readonly consumer: Connection
  /** Makes the store usable again after it was found empty; undefined where it needs nothing. */
  readonly repair?: ((error: Error) => Promise<boolean>) | undefined
  close(): Promise<void>
}

/**
 * A job leaves no trace when it ends: `app.worker_leases` tells what became of its ranges, and an id that stayed behind
 * would keep the same leases from being queued again.
 */
const jobOptions = { removeOnComplete: true, removeOnFail: true, attempts: 1 } as const

/**
 * A job of a process that was killed is given out again within 7 s. What becomes of its ranges does not hang on that
 * (their leases expire by themselves); it keeps a job from being stuck whose leases were not claimed yet.
 */
const workerOptions = {
  lockDuration: 5000,
  stalledInterval: 2000,
  // Stalls are not failures: attempts are counted in the lease.
  maxStalledCount: 1_000_000,
  // How long at most a job waits whose wake-up was lost, s. Every idle queue asks so often, in five statements.
  drainDelay: 5,
  // Pause after a failed fetch, ms.
  runRetryDelay: 500,
} as const satisfies Partial<WorkerOptions>

/** How long a store may take, when all jobs are done, to close a consumer, ms. */
const closeMs = 2000
/** How long cutting its connection may take after that, ms. */
const disconnectMs = 500

/** Least time between two messages about errors of the store, ms. */
const quietMs = 5000

const queueOptions = { streams: { events: { maxLen: 100 } } } as const satisfies Partial<QueueOptions>

type LeaseQueue<Backend extends IQueueBackend, Connection> = Queue<
  LeaseJob,
  void,
  string,
  LeaseJob,
  void,
  string,
  Backend,
  Connection
>

/** The farm's queues on BullMQ: one queue a worker, named after it. */
export class BullWorkQueue<Backend extends IQueueBackend, Connection> implements WorkQueue {
  readonly backend: WorkQueue['backend']
  readonly #store: BullBackend<Backend, Connection>
  readonly #log: Logger
  readonly #classes
  readonly #queues = new Map<string, LeaseQueue<Backend, Connection>>()
  readonly #consumers = new Set<QueueConsumer>()
  #isClosing = false
  readonly #troubles = new LogThrottle(quietMs)

  constructor(store: BullBackend<Backend, Connection>, log: Logger) {
    this.backend = store.name
    this.#store = store
    this.#log = log
    this.#classes = withBackend(store.factory)
  }

  /** BullMQ's own object for a worker's queue, for dashboards. */
  queue(worker: string): LeaseQueue<Backend, Connection> {
    const known = this.#queues.get(worker)
    if (known !== undefined) return known
    const queue = new this.#classes.Queue<LeaseJob, void>(worker, { connection: this.#store.producer, ...queueOptions })
    queue.on('error', (error) => this.#trouble(worker, error))
    this.#queues.set(worker, queue)
    return queue
  }

  async add(worker: string, jobs: readonly LeaseJob[], { isUrgent = false } = {}): Promise<void> {
    if (jobs.length === 0) return
    // BullMQ runs what has no priority before what has one.
    const options = isUrgent ? jobOptions : { ...jobOptions, priority: 1 }
    const entries = jobs.map((data) => ({ name: 'ranges', data, opts: { ...options, jobId: jobId(data) } }))
    await this.#ask(() => this.queue(worker).addBulk(entries))
  }

  async work(worker: string, concurrency: number, handler: LeaseJobHandler): Promise<QueueConsumer> {
    // Also makes the queue known to the store, with its settings.
    this.queue(worker)
    const running = new Set<Promise<void>>()
    const process = async (data: LeaseJob): Promise<void> => {
      const run = handler(data)
      running.add(run)
      try {
        await run
      } finally {
        running.delete(run)
      }
    }
    const bull = new this.#classes.Worker<LeaseJob, void>(worker, ({ data }) => process(data), {
      connection: this.#store.consumer,
      concurrency,
      ...jobOptions,
      ...workerOptions,
      removeOnComplete: { count: 0 },
      removeOnFail: { count: 0 },
    })
    // An error is told for each lock that could not be renewed, right after this. It is none: a job that ends at
    // that moment has no lock any more, and where a lock has run out the leases still let only one work on a range.
    let unrenewed = 0
    bull.on('lockRenewalFailed', (jobs) => {
      unrenewed = jobs.length
    })
    bull.on('error', (error) => {
      if (unrenewed === 0) this.#trouble(worker, error)
      else {
        unrenewed--
        this.#log.debug({ err: error, queue: worker }, 'a job had ended, or may be given out again')
      }
    })
    bull.on('failed', (_job, error) =>
      this.#log.error({ err: error, queue: worker }, 'a job ended with an error, its ranges will be queued again'),
    )
    // It is not waited for: while the store is away it takes jobs from when that is back.
    const consumer: QueueConsumer = {
      pause: () => bull.pause(),
      resume: () => bull.resume(),
      close: async () => {
        this.#consumers.delete(consumer)
        const closed = bull.close()
        // It also waits for the store, and for ever when that is away.
        const impatience = new AbortController()
        const tooLong = (async () => {
          // What was being fetched when it was told to close still begins.
          do {
            while (running.size > 0) await Promise.allSettled(running)
            await delay(closeMs, undefined, { signal: impatience.signal })
          } while (running.size > 0)
          this.#log.warn({ queue: worker }, 'the queue does not answer, its connection is cut')
          // Of a connection that waits to be made again ioredis never tells that it has ended.
          await Promise.race([bull.disconnect(), delay(disconnectMs, undefined, { signal: impatience.signal })])
          // It comes to that only after what it waits for, and would go on renewing locks of no jobs.
          await bull['lockManager'].close()
        })()
        await Promise.race([closed, tooLong])
        impatience.abort()
        await tooLong.catch((error: unknown) => {
          if (!impatience.signal.aborted) throw error
        })
      },
    }
    this.#consumers.add(consumer)
    return consumer
  }

  async counts(worker: string): Promise<{ waiting: number; active: number }> {
    const counts = await this.#ask(() => this.queue(worker).getJobCounts('waiting', 'prioritized', 'active'))
    return { waiting: (counts['waiting'] ?? 0) + (counts['prioritized'] ?? 0), active: counts['active'] ?? 0 }
  }

  async close(): Promise<void> {
    this.#isClosing = true
    await Promise.all([...this.#consumers].map((consumer) => consumer.close()))
    await Promise.all([...this.#queues.values()].map((queue) => queue.close()))
    await this.#store.close()
  }

  /** While the store is away every idle consumer says so, again and again: one line for all of them now and then. */
  #trouble(worker: string, error: Error): void {
    // Connections that are being closed may hear that their server stops as well.
    if (this.#isClosing) {
      this.#log.debug({ err: error, queue: worker }, 'the queue had an error while it was closed')
      return
    }
    const untold = this.#troubles.due()
    if (untold !== undefined) this.#log.warn({ err: error, queue: worker, untold }, 'the queue had an error')
  }

  async #ask<T>(question: () => Promise<T>): Promise<T> {
    try {
      return await question()
    } catch (error) {
      if ((await this.#store.repair?.(asError(error))) === true) return question()
      if (error instanceof FlowfarmError) throw error
      throw new RetryableError('queue-unavailable', `the queue did not answer: ${asError(error).message}`, {
        cause: error,
      })
    }
  }
}
