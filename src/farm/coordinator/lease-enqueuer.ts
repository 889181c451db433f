import type { QueuedLease } from '../leases/leases.ts'

export interface OfferedLease extends QueuedLease {
  /** Near the head: takes precedence over history. */
  readonly isLive: boolean
}

/** Must ignore jobs that are already there. */
export type Enqueue = (worker: string, leases: readonly OfferedLease[]) => Promise<void>

/**
 * One call per worker at a time. Refused leases stay queued in their table and are enqueued again
 * later.
 */
export class LeaseEnqueuer {
  readonly #enqueue: Enqueue
  readonly #onError: (worker: string, error: unknown) => void
  readonly #waiting = new Map<string, OfferedLease[]>()
  readonly #running = new Map<string, Promise<void>>()
  #unansweredSince: number | undefined

  constructor(enqueue: Enqueue, onError: (worker: string, error: unknown) => void) {
    this.#enqueue = enqueue
    this.#onError = onError
  }

  give(leases: readonly OfferedLease[]): void {
    for (const lease of leases) {
      const waiting = this.#waiting.get(lease.worker)
      if (waiting === undefined) this.#waiting.set(lease.worker, [lease])
      else waiting.push(lease)
    }
    for (const worker of this.#waiting.keys()) {
      if (!this.#running.has(worker)) this.#running.set(worker, this.#run(worker))
    }
  }

  /** In ms; 0 if no call is unanswered. */
  get unansweredMs(): number {
    return this.#unansweredSince === undefined ? 0 : performance.now() - this.#unansweredSince
  }

  resetUnanswered(): void {
    this.#unansweredSince = undefined
  }

  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running.values())
  }

  async #run(worker: string): Promise<void> {
    for (let leases = this.#take(worker); leases !== undefined; leases = this.#take(worker)) {
      this.#unansweredSince ??= performance.now()
      try {
        await this.#enqueue(worker, leases)
        this.#unansweredSince = undefined
      } catch (error) {
        // Later leases would be refused too, and would accumulate while the queue is down.
        this.#waiting.delete(worker)
        this.#onError(worker, error)
      }
    }
    this.#running.delete(worker)
  }

  #take(worker: string): OfferedLease[] | undefined {
    const leases = this.#waiting.get(worker)
    this.#waiting.delete(worker)
    return leases
  }
}
