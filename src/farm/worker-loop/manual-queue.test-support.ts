import type { QueueConsumer, QueueName, RangeJob, RangeJobHandler, WorkQueue } from '../queues/work-queue.ts'

/** A queue controlled by the test: delivers a job to its consumer and resolves when it is done. */
export class ManualQueue implements WorkQueue {
  readonly backend = 'postgres'
  readonly #handlers = new Map<string, RangeJobHandler>()
  readonly #running = new Set<Promise<void>>()
  add = (): Promise<void> => Promise.resolve()
  counts = (): Promise<{ waiting: number; active: number }> => Promise.resolve({ waiting: 0, active: 0 })

  work(queue: string, _concurrency: number, handler: RangeJobHandler): Promise<QueueConsumer> {
    this.#handlers.set(queue, handler)
    const close = async (): Promise<void> => {
      await Promise.allSettled(this.#running)
    }
    return Promise.resolve({ pause: close, resume: () => Promise.resolve(), close })
  }

  async bring(job: RangeJob, queue: QueueName = 'history'): Promise<void> {
    const run = this.#handlers.get(queue)?.(job) ?? Promise.reject(new Error(`no consumer of ${queue}`))
    this.#running.add(run)
    try {
      await run
    } finally {
      this.#running.delete(run)
    }
  }

  close = (): Promise<void> => Promise.resolve()
}
