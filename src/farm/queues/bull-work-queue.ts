import { setTimeout as delay } from 'node:timers/promises'
import type { BackendFactory, IQueueBackend, Queue, QueueOptions, WorkerOptions } from 'bullmq'
import { ErrorCode, withBackend } from 'bullmq'
import { asError, FlowfarmError, RetryableError } from '../../platform/errors.ts'
import type { Logger } from '../../platform/log.ts'
import { LogThrottle } from '../../platform/log-throttle.ts'
import { jobId } from './work-queue.ts'
import type { RangeJob, RangeJobHandler, QueueConsumer, WorkQueue } from './work-queue.ts'

export interface BullBackend<Backend extends IQueueBackend, Connection> {
  readonly name: WorkQueue['backend']
  readonly factory: BackendFactory<Backend, Connection>
  /** For adding jobs: fails at once while the store is down. */
  readonly producer: Connection
  /** For taking jobs: waits for the store. */
  readonly consumer: Connection
  /** Undefined if not needed. */
  readonly repair?: ((error: Error) => Promise<boolean>) | undefined
  close(): Promise<void>
}

/**
 * `app.worker_leases` has the outcome, and a remaining id would block requeueing the same leases.
 */
const jobOptions = { removeOnComplete: true, removeOnFail: true, attempts: 1 } as const

/**
 * A job of a killed process is delivered again within 7 s. Locks are not renewed: a longer job is
 * delivered again too, and finds its leases claimed.
 */
const workerOptions = {
  lockDuration: 5000,
  skipLockRenewal: true,
  stalledInterval: 2000,
  // Stalls are not failures: attempts are counted in the lease.
  maxStalledCount: 1_000_000,
  // Maximum wait of a job whose notification was lost, s. Idle queues poll at this interval.
  drainDelay: 5,
  // Pause after a failed fetch, ms.
  runRetryDelay: 500,
} as const satisfies Partial<WorkerOptions>

const closeMs = 2000
const disconnectMs = 500

const quietMs = 5000

const queueOptions = { streams: { events: { maxLen: 100 } } } as const satisfies Partial<QueueOptions>

type RangeQueue<Backend extends IQueueBackend, Connection> = Queue<
  RangeJob,
  void,
  string,
  RangeJob,
  void,
  string,
  Backend,
  Connection
>

export class BullWorkQueue<Backend extends IQueueBackend, Connection> implements WorkQueue {
  readonly backend: WorkQueue['backend']
  readonly #store: BullBackend<Backend, Connection>
  readonly #log: Logger
  readonly #classes
  readonly #queues = new Map<string, RangeQueue<Backend, Connection>>()
  readonly #consumers = new Set<QueueConsumer>()
  #isClosing = false
  readonly #errors = new LogThrottle(quietMs)

  constructor(store: BullBackend<Backend, Connection>, log: Logger) {
    this.backend = store.name
    this.#store = store
    this.#log = log
    this.#classes = withBackend(store.factory)
  }

  queue(name: string): RangeQueue<Backend, Connection> {
    const known = this.#queues.get(name)
    if (known !== undefined) return known
    const queue = new this.#classes.Queue<RangeJob, void>(name, { connection: this.#store.producer, ...queueOptions })
    queue.on('error', (error) => this.#trouble(name, error))
    this.#queues.set(name, queue)
    return queue
  }

  async add(name: string, jobs: readonly RangeJob[]): Promise<void> {
    if (jobs.length === 0) return
    const entries = jobs.map((data) => ({ name: 'ranges', data, opts: { ...jobOptions, jobId: jobId(data) } }))
    await this.#ask(() => this.queue(name).addBulk(entries))
  }

  async work(name: string, concurrency: number, handler: RangeJobHandler): Promise<QueueConsumer> {
    // Also registers the queue and its settings in the store.
    this.queue(name)
    const running = new Set<Promise<void>>()
    const process = async (data: RangeJob): Promise<void> => {
      const run = handler(data)
      running.add(run)
      try {
        await run
      } finally {
        running.delete(run)
      }
    }
    const bull = new this.#classes.Worker<RangeJob, void>(name, ({ data }) => process(data), {
      connection: this.#store.consumer,
      concurrency,
      ...jobOptions,
      ...workerOptions,
      removeOnComplete: { count: 0 },
      removeOnFail: { count: 0 },
    })
    bull.on('error', (error) => {
      if (isRedelivered(error)) this.#log.debug({ err: error, queue: name }, 'A job was delivered again')
      else this.#trouble(name, error)
    })
    bull.on('failed', (_job, error) =>
      this.#log.error({ err: error, queue: name }, 'A job failed: its ranges will be queued again'),
    )
    // Not awaited: while the store is down it waits to take jobs.
    const consumer: QueueConsumer = {
      pause: () => bull.pause(),
      resume: () => bull.resume(),
      close: async () => {
        this.#consumers.delete(consumer)
        const closed = bull.close()
        // Closing waits forever while the store is down.
        const timeout = new AbortController()
        const tooLong = (async () => {
          // A fetch in progress at the time of the close still starts its job.
          do {
            while (running.size > 0) await Promise.allSettled(running)
            await delay(closeMs, undefined, { signal: timeout.signal })
          } while (running.size > 0)
          this.#log.warn({ queue: name }, 'The queue does not respond: closing its connection')
          // ioredis never emits `end` for a connection that waits to reconnect.
          await Promise.race([bull.disconnect(), delay(disconnectMs, undefined, { signal: timeout.signal })])
        })()
        await Promise.race([closed, tooLong])
        timeout.abort()
        await tooLong.catch((error: unknown) => {
          if (!timeout.signal.aborted) throw error
        })
      },
    }
    this.#consumers.add(consumer)
    return consumer
  }

  async counts(name: string): Promise<{ waiting: number; active: number }> {
    const counts = await this.#ask(() => this.queue(name).getJobCounts('waiting', 'active'))
    return { waiting: counts['waiting'] ?? 0, active: counts['active'] ?? 0 }
  }

  async close(): Promise<void> {
    this.#isClosing = true
    await Promise.all([...this.#consumers].map((consumer) => consumer.close()))
    await Promise.all([...this.#queues.values()].map((queue) => queue.close()))
    await this.#store.close()
  }

  /** Every idle consumer reports it repeatedly. */
  #trouble(name: string, error: Error): void {
    // Connections being closed may also report that their server stops.
    if (this.#isClosing) {
      this.#log.debug({ err: error, queue: name }, 'Queue error while closing')
      return
    }
    const suppressed = this.#errors.due()
    if (suppressed !== undefined) this.#log.warn({ err: error, queue: name, suppressed }, 'Queue error')
  }

  async #ask<T>(question: () => Promise<T>): Promise<T> {
    try {
      return await question()
    } catch (error) {
      if ((await this.#store.repair?.(asError(error))) === true) return question()
      if (error instanceof FlowfarmError) throw error
      throw new RetryableError('queue-unavailable', `Could not reach the queue: ${asError(error).message}`, {
        cause: error,
      })
    }
  }
}

const redelivered: ReadonlySet<unknown> = new Set([
  ErrorCode.JobNotExist,
  ErrorCode.JobLockNotExist,
  ErrorCode.JobNotInState,
  ErrorCode.JobLockMismatch,
])

/** Harmless: leases allow one process per range. */
function isRedelivered(error: Error): boolean {
  return 'code' in error && redelivered.has(error.code)
}
