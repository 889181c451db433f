import type { QueuedLease } from '../leases/leases.ts'

export interface OfferedLease extends QueuedLease {
  /** Near the head: it goes before history. */
  readonly isLive: boolean
}

/** Adds jobs for leases to a worker's queue; those that are there already must not be added twice. */
export type Enqueue = (worker: string, leases: readonly OfferedLease[]) => Promise<void>

/**
 * Hands leases to the queues, one call a worker at a time, without making the coordinator wait: a queue that does
 * not answer must not keep it from reaping, nor from serving the queues of others. What is refused is forgotten
 * here; the lease is still queued in its table and is handed over again.
 */
export class HandOver {
  readonly #enqueue: Enqueue
  readonly #onError: (worker: string, error: unknown) => void
  readonly #waiting = new Map<string, OfferedLease[]>()
  readonly #running = new Map<string, Promise<void>>()
  /** When the first call began since any was answered well. */
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

  /** For how long the queues have taken nothing that was given to them, ms; 0 where there was nothing. */
  get unansweredMs(): number {
    return this.#unansweredSince === undefined ? 0 : performance.now() - this.#unansweredSince
  }

  /** Begins to count anew. */
  resetUnanswered(): void {
    this.#unansweredSince = undefined
  }

  /** Resolves when no call is under way. */
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
        // What gathered meanwhile would be refused as well, and would grow for as long as the queue is away.
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
