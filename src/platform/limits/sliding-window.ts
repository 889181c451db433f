import { ApiError } from '../errors.ts'
import { clientNetwork } from './clients.ts'

/** Whether a request is allowed, and if not, when it will be. */
export interface WindowVerdict {
  readonly isAllowed: boolean
  /** Whole seconds until as much as was asked for is free; 0 where it is allowed. */
  readonly retryAfterSeconds: number
}

export interface SlidingWindowOptions {
  /** Requests per window; 0 is no limit. */
  readonly max: number
  /** Default a minute. */
  readonly windowMs?: number
  /** Milliseconds from any fixed moment. Default: the clock of the process. */
  readonly clock?: () => number
}

/** Keys that are kept before those without requests in the window are dropped. */
const sweepAt = 1000

/** Beyond this many the oldest key is dropped. */
const maxKeys = 100_000

/**
 * At most `max` requests per key in any span of the window's length. Refused requests do not count, so that a client
 * that keeps asking is let in as soon as one that waits. Times are kept in memory: another process counts for itself.
 */
export class SlidingWindow {
  readonly #max: number
  readonly #windowMs: number
  readonly #clock: () => number
  /** Times of the requests within the window, oldest first. */
  readonly #times = new Map<string, number[]>()
  #sweepAt = sweepAt

  constructor({ max, windowMs = 60_000, clock = () => performance.now() }: SlidingWindowOptions) {
    this.#max = max
    this.#windowMs = windowMs
    this.#clock = clock
  }

  /** Whether so many requests are ever allowed at once. */
  canFit(count: number): boolean {
    return this.#max === 0 || count <= this.#max
  }

  /** Counts `count` requests of a key, all or none. */
  take(key: string, count = 1): WindowVerdict {
    const verdict = this.look(key, count)
    if (!verdict.isAllowed || this.#max === 0) return verdict
    const now = this.#clock()
    const times = this.#current(key, now)
    for (let i = 0; i < count; i++) times.push(now)
    this.#times.set(key, times)
    this.#sweep(now)
    return verdict
  }

  /** What `take` would return, without counting. */
  look(key: string, count = 1): WindowVerdict {
    if (this.#max === 0 || count === 0) return { isAllowed: true, retryAfterSeconds: 0 }
    const now = this.#clock()
    const times = this.#current(key, now)
    const free = this.#max - times.length
    if (count <= free) return { isAllowed: true, retryAfterSeconds: 0 }
    const last = times[Math.min(count - free, times.length) - 1] ?? now
    return { isAllowed: false, retryAfterSeconds: Math.max(1, Math.ceil((last + this.#windowMs - now) / 1000)) }
  }

  /**
   * Counts a request of a key, or refuses it.
   * @param text what the error says
   * @throws ApiError 429 `rate-limited`, with `retryAfterSeconds` in its details
   */
  require(key: string, text = (seconds: number) => `Too many requests; try again in ${seconds} s.`): void {
    const { isAllowed, retryAfterSeconds } = this.take(key)
    if (isAllowed) return
    throw new ApiError(429, 'rate-limited', text(retryAfterSeconds), { details: { retryAfterSeconds } })
  }

  #current(key: string, now: number): number[] {
    const times = this.#times.get(key) ?? []
    const firstInside = times.findIndex((time) => time > now - this.#windowMs)
    return firstInside === 0 ? times : times.slice(firstInside < 0 ? times.length : firstInside)
  }

  #sweep(now: number): void {
    if (this.#times.size < this.#sweepAt) return
    for (const [key, times] of this.#times) {
      if ((times.at(-1) ?? 0) <= now - this.#windowMs || this.#times.size > maxKeys) this.#times.delete(key)
    }
    this.#sweepAt = Math.max(sweepAt, Math.min(this.#times.size * 2, maxKeys + 1))
  }
}

/** Refuses a client network that shows wrong credentials again and again. */
export class FailureLimit {
  readonly #window: SlidingWindow

  /** @param options.max failures per window, default ten a minute */
  constructor({ max = 10, ...options }: Partial<SlidingWindowOptions> = {}) {
    this.#window = new SlidingWindow({ max, ...options })
  }

  /** @throws ApiError 429 `too-many-attempts`, with `retryAfterSeconds` in its details */
  require(address: string): void {
    const { isAllowed, retryAfterSeconds } = this.#window.look(clientNetwork(address))
    if (isAllowed) return
    throw new ApiError(
      429,
      'too-many-attempts',
      `Too many wrong credentials from your address; try again in ${retryAfterSeconds} s.`,
      { details: { retryAfterSeconds } },
    )
  }

  failed(address: string): void {
    this.#window.take(clientNetwork(address))
  }
}
