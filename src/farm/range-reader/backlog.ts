export interface BacklogOptions {
  /** Unread bytes above which producers wait. */
  readonly maxBytes: number
  /** Time without a read after which producers stop waiting, ms. Default 5,000. */
  readonly readTimeoutMs?: number | undefined
  /** How long they do not wait then, ms. Default 60,000. */
  readonly restMs?: number | undefined
  readonly onGivenUp?: (() => void) | undefined
}

/**
 * Blocks from an ingester that workers of this process have not read yet. The history ingester
 * waits for capacity, because unread blocks would be evicted and read back from the database. It does
 * not wait for stalled or disabled workers.
 *
 *     capacity ──maxBytes unread──► none ──read by all workers──► capacity
 *                                    └──no read for readTimeoutMs──► not waiting ──restMs──► capacity
 */
export class Backlog {
  readonly #maxBytes: number
  readonly #readTimeoutMs: number
  readonly #restMs: number
  readonly #onGivenUp: () => void
  readonly #waiting = new Map<number, number>()
  readonly #wakes = new Set<() => void>()
  #bytes = 0
  #readAt = -Infinity
  #restsUntil = -Infinity

  constructor({ maxBytes, readTimeoutMs = 5000, restMs = 60_000, onGivenUp = () => undefined }: BacklogOptions) {
    this.#maxBytes = maxBytes
    this.#readTimeoutMs = readTimeoutMs
    this.#restMs = restMs
    this.#onGivenUp = onGivenUp
  }

  get bytes(): number {
    return this.#bytes
  }

  get hasCapacity(): boolean {
    return this.#bytes < this.#maxBytes
  }

  add(height: number, bytes: number): void {
    if (performance.now() < this.#restsUntil) return
    this.remove(height)
    this.#waiting.set(height, bytes)
    this.#bytes += bytes
  }

  /** `to` exclusive. */
  read(from: number, to: number): void {
    for (let height = from; height < to; height++) {
      if (!this.#waiting.has(height)) continue
      this.#readAt = performance.now()
      return
    }
  }

  /** The block will not be read from memory. */
  remove(height: number): void {
    const bytes = this.#waiting.get(height)
    if (bytes === undefined) return
    this.#waiting.delete(height)
    this.#bytes -= bytes
    if (this.hasCapacity) this.#wake()
  }

  clear(): void {
    this.#waiting.clear()
    this.#bytes = 0
    this.#wake()
  }

  /** Resolves when there is capacity, or when waiting is pointless. @throws the signal's reason */
  async capacity(signal: AbortSignal): Promise<void> {
    const since = performance.now()
    while (!this.hasCapacity) {
      signal.throwIfAborted()
      const remainingMs = Math.max(since, this.#readAt) + this.#readTimeoutMs - performance.now()
      if (remainingMs <= 0) this.#giveUp()
      else await this.#nextChange(remainingMs, signal)
    }
    signal.throwIfAborted()
  }

  #giveUp(): void {
    this.#restsUntil = performance.now() + this.#restMs
    this.clear()
    this.#onGivenUp()
  }

  async #nextChange(ms: number, signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const wake = (): void => resolve()
    const timer = setTimeout(wake, ms)
    this.#wakes.add(wake)
    signal.addEventListener('abort', wake)
    await promise
    signal.removeEventListener('abort', wake)
    this.#wakes.delete(wake)
    clearTimeout(timer)
  }

  #wake(): void {
    for (const wake of this.#wakes) wake()
  }
}
