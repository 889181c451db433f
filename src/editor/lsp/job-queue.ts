import { asError } from '../../platform/errors.ts'

interface Job {
  readonly bytes: number
  readonly run: () => Promise<void> | void
}

interface JobQueueOptions {
  readonly onFailure: (error: Error) => void
  readonly onChange: (waitingBytes: number) => void
}

const maxDone = 1000

export class JobQueue {
  readonly #options: JobQueueOptions
  /** Undefined when finished, to release memory. */
  #jobs: (Job | undefined)[] = []
  #next = 0
  #waitingBytes = 0
  #running: Promise<void> | undefined
  #isClosed = false

  constructor(options: JobQueueOptions) {
    this.#options = options
  }

  get length(): number {
    return this.#jobs.length - this.#next
  }

  add(bytes: number, run: Job['run']): void {
    if (this.#isClosed) return
    this.#jobs.push({ bytes, run })
    this.#waitingBytes += bytes
    this.#options.onChange(this.#waitingBytes)
    if (this.#running === undefined) {
      const { promise, resolve } = Promise.withResolvers<void>()
      // Set before the first job runs, which may add others.
      this.#running = promise
      void this.#work().finally(resolve)
    }
  }

  /** Drops queued jobs and waits for the running one. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#jobs = []
    this.#next = 0
    await this.#running
  }

  async #work(): Promise<void> {
    for (let job = this.#jobs[this.#next]; job !== undefined; job = this.#jobs[this.#next]) {
      this.#jobs[this.#next] = undefined
      this.#next++
      if (this.#next === this.#jobs.length || this.#next >= maxDone) {
        this.#jobs = this.#jobs.slice(this.#next)
        this.#next = 0
      }
      try {
        await job.run()
      } catch (error) {
        this.#options.onFailure(asError(error))
      }
      this.#waitingBytes -= job.bytes
      if (!this.#isClosed) this.#options.onChange(this.#waitingBytes)
    }
    this.#running = undefined
  }
}
