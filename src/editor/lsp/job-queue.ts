import { asError } from '../../platform/errors.ts'

interface Job {
  readonly bytes: number
  readonly run: () => Promise<void> | void
}

interface JobQueueOptions {
  /** A job failed; the next ones run all the same. */
  readonly onFailure: (error: Error) => void
  /** Told when the sum of bytes that wait changed. */
  readonly onChange: (waitingBytes: number) => void
}

/** So many places of jobs that are done are kept before those that wait move up. */
const maxDone = 1000

/** Does one thing after the other, in the order in which they came. */
export class JobQueue {
  readonly #options: JobQueueOptions
  /** Those that are done are undefined: a queue that never gets empty holds nothing of them. */
  #jobs: (Job | undefined)[] = []
  #next = 0
  #waitingBytes = 0
  #running: Promise<void> | undefined
  #isClosed = false

  constructor(options: JobQueueOptions) {
    this.#options = options
  }

  /** Things that wait, the one that is being done left out. */
  get length(): number {
    return this.#jobs.length - this.#next
  }

  /** @param bytes what it holds in memory while it waits */
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

  /** Drops what waits, and resolves when what is being done has ended. */
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
