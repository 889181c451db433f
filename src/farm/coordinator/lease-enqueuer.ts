import type { QueuedLease } from '../leases/leases.ts'

export interface EnqueuedLease extends QueuedLease {
  /** Near the head: takes precedence over history. */
  readonly isLive: boolean
}

/** Must ignore jobs that are already there. */
export type Enqueue = (leases: readonly EnqueuedLease[]) => Promise<void>

/**
 * One call at a time. Refused leases stay queued in their table and are enqueued again later.
 */
export class LeaseEnqueuer {
  readonly #enqueue: Enqueue
  readonly #onError: (error: unknown) => void
  #waiting: EnqueuedLease[] = []
  #running: Promise<void> | undefined
  #unansweredSince: number | undefined

  constructor(enqueue: Enqueue, onError: (error: unknown) => void) {
    this.#enqueue = enqueue
    this.#onError = onError
  }

  give(leases: readonly EnqueuedLease[]): void {
    this.#waiting.push(...leases)
    if (this.#waiting.length > 0) this.#running ??= this.#run()
  }

  /** In ms; 0 if no call is unanswered. */
  get unansweredMs(): number {
    return this.#unansweredSince === undefined ? 0 : performance.now() - this.#unansweredSince
  }

  resetUnanswered(): void {
    this.#unansweredSince = undefined
  }

  async idle(): Promise<void> {
    await this.#running
  }

  async #run(): Promise<void> {
    while (this.#waiting.length > 0) {
      const leases = this.#waiting
      this.#waiting = []
      this.#unansweredSince ??= performance.now()
      try {
        await this.#enqueue(leases)
        this.#unansweredSince = undefined
      } catch (error) {
        // Later leases would be refused too, and would accumulate while the queue is down.
        this.#waiting = []
        this.#onError(error)
      }
    }
    this.#running = undefined
  }
}
