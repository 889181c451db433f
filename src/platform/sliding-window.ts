/** Whether somebody may go on, and if not, when. */
export interface WindowVerdict {
  readonly isAllowed: boolean
  /** Whole seconds until as much as was asked for is free; 0 where it is allowed. */
  readonly retryAfterSeconds: number
}

/** Keys that are remembered before those without requests in the window are looked for. */
const sweepAt = 1000

/**
 * At most so many requests per key in any span of the window's length. What was refused does not count, so that who keeps
 * asking is let in as soon as who waits. Times are kept in memory: another process counts anew.
 */
export class SlidingWindow {
  readonly #most: number
  readonly #windowMs: number
  readonly #clock: () => number
  /** Times of the requests within the window, oldest first. */
  readonly #times = new Map<string, number[]>()
  #sweepAt = sweepAt

  /** @param most requests per window; 0 is no limit */
  constructor({
    most,
    windowMs = 60_000,
    clock = () => performance.now(),
  }: {
    most: number
    windowMs?: number
    clock?: () => number
  }) {
    this.#most = most
    this.#windowMs = windowMs
    this.#clock = clock
  }

  /** Whether so many requests are ever allowed at once. */
  canFit(count: number): boolean {
    return this.#most === 0 || count <= this.#most
  }

  /** Counts `count` requests of a key, all or none. */
  take(key: string, count = 1): WindowVerdict {
    if (this.#most === 0 || count === 0) return { isAllowed: true, retryAfterSeconds: 0 }
    const now = this.#clock()
    const times = this.#current(key, now)
    const free = this.#most - times.length
    if (count <= free) {
      for (let i = 0; i < count; i++) times.push(now)
      this.#times.set(key, times)
      this.#sweep(now)
      return { isAllowed: true, retryAfterSeconds: 0 }
    }
    const last = times[Math.min(count - free, times.length) - 1] ?? now
    return { isAllowed: false, retryAfterSeconds: Math.max(1, Math.ceil((last + this.#windowMs - now) / 1000)) }
  }

  #current(key: string, now: number): number[] {
    const times = this.#times.get(key) ?? []
    const firstInside = times.findIndex((time) => time > now - this.#windowMs)
    return firstInside === 0 ? times : times.slice(firstInside < 0 ? times.length : firstInside)
  }

  #sweep(now: number): void {
    if (this.#times.size < this.#sweepAt) return
    for (const [key, times] of this.#times) {
      if ((times.at(-1) ?? 0) <= now - this.#windowMs) this.#times.delete(key)
    }
    this.#sweepAt = Math.max(sweepAt, this.#times.size * 2)
  }
}
