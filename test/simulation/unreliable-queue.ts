import { RetryableError } from '../../src/platform/errors.ts'
import type { QueueConsumer, RangeJob, RangeJobHandler, WorkQueue } from '../../src/farm/queues/work-queue.ts'
import type { Random } from './random.ts'

interface Consumer {
  readonly queue: string
  readonly concurrency: number
  readonly handler: RangeJobHandler
  readonly running: Set<Promise<void>>
  isOpen: boolean
}

interface QueuedJob {
  readonly queue: string
  readonly job: RangeJob
}

/**
 * A queue that does everything the contract of `WorkQueue` allows and real queues rarely do: loses,
 * duplicates, delays, reorders and rejects jobs. In memory, so that many histories run per minute;
 * other seeds and separate tests cover real queues.
 */
export class UnreliableQueueStore {
  readonly #random: Random
  readonly #jobs: QueuedJob[] = []
  readonly #consumers = new Set<Consumer>()
  #isDelivering = false
  /** Makes the queue reliable from now on. */
  isReliable = false

  constructor(random: Random) {
    this.#random = random
  }

  /** The queue client of one process. */
  connect(): WorkQueue & { sever(): void } {
    const own = new Set<Consumer>()
    let isSevered = false
    const closeAll = (): void => {
      for (const consumer of own) this.#remove(consumer)
    }
    return {
      backend: 'postgres',
      add: (queue, jobs) => {
        if (isSevered || this.#misbehaves(0.05))
          return Promise.reject(new RetryableError('queue-unavailable', 'the queue took nothing'))
        for (const job of jobs) this.#take({ queue, job })
        return Promise.resolve()
      },
      work: (queue, concurrency, handler) => {
        const consumer: Consumer = { queue, concurrency, handler, running: new Set(), isOpen: !isSevered }
        own.add(consumer)
        this.#consumers.add(consumer)
        this.#deliverSoon()
        return Promise.resolve(this.#consumerEnd(consumer))
      },
      counts: (queue) =>
        Promise.resolve({ waiting: this.#jobs.filter((queued) => queued.queue === queue).length, active: 0 }),
      close: () => {
        closeAll()
        return Promise.resolve()
      },
      sever: () => {
        isSevered = true
        closeAll()
      },
    }
  }

  /** Deletes all jobs. */
  lose(): void {
    this.#jobs.length = 0
  }

  #consumerEnd(consumer: Consumer): QueueConsumer {
    const rest = async (): Promise<void> => {
      consumer.isOpen = false
      await Promise.all(consumer.running)
    }
    return {
      pause: rest,
      resume: () => {
        consumer.isOpen = true
        this.#deliverSoon()
        return Promise.resolve()
      },
      close: async () => {
        this.#remove(consumer)
        await rest()
      },
    }
  }

  #remove(consumer: Consumer): void {
    consumer.isOpen = false
    this.#consumers.delete(consumer)
  }

  #misbehaves(probability: number): boolean {
    return this.#random.chance(probability) && !this.isReliable
  }

  #take(job: QueuedJob): void {
    if (this.#misbehaves(0.05)) return
    if (this.#misbehaves(0.1)) this.#jobs.push(job)
    if (this.#misbehaves(0.1)) setTimeout(() => this.#put(job), this.#random.integer(20, 400))
    else this.#put(job)
  }

  #put(job: QueuedJob): void {
    if (this.#misbehaves(0.2)) this.#jobs.splice(this.#random.integer(0, this.#jobs.length), 0, job)
    else this.#jobs.push(job)
    this.#deliverSoon()
  }

  #deliverSoon(): void {
    if (this.#isDelivering) return
    this.#isDelivering = true
    setImmediate(() => {
      this.#isDelivering = false
      this.#deliver()
    })
  }

  #deliver(): void {
    for (let i = 0; i < this.#jobs.length;) {
      const { queue, job } = this.#jobs[i] as QueuedJob
      const idle = [...this.#consumers].filter(
        (one) => one.queue === queue && one.isOpen && one.running.size < one.concurrency,
      )
      if (idle.length === 0) {
        i++
        continue
      }
      this.#jobs.splice(i, 1)
      this.#run(this.#random.pick(idle), job)
    }
  }

  #run(consumer: Consumer, job: RangeJob): void {
    const run: Promise<void> = consumer
      .handler(job)
      // Like BullMQ: the job has failed and is removed.
      .catch(() => undefined)
      .then(() => {
        consumer.running.delete(run)
        this.#deliverSoon()
      })
    consumer.running.add(run)
  }
}
