import { ApiError } from '../errors.ts'
import { clientNetwork } from './clients.ts'

export interface WindowResult {
  readonly isAllowed: boolean
  /** Time until the requested count fits; 0 if it was allowed. */
  readonly retryAfterSeconds: number
}

export interface SlidingWindowOptions {
  /** 0 means no limit. */
  readonly max: number
  readonly windowMs?: number
  readonly clock?: () => number
}

const sweepAt = 1000

const maxKeys = 100_000

/**
 * At most `max` requests per key in any window. Refused requests do not count, so a client that
 * keeps trying is admitted as early as one that waits.
 */
export class SlidingWindow {
  readonly #max: number
  readonly #windowMs: number
  readonly #clock: () => number
  readonly #times = new Map<string, number[]>()
  #sweepAt = sweepAt

  constructor({ max, windowMs = 60_000, clock = () => performance.now() }: SlidingWindowOptions) {
    this.#max = max
    this.#windowMs = windowMs
    this.#clock = clock
  }

  canFit(count: number): boolean {
    return this.#max === 0 || count <= this.#max
  }

  /** All or none. */
  take(key: string, count = 1): WindowResult {
    const verdict = this.peek(key, count)
    if (!verdict.isAllowed || this.#max === 0) return verdict
    const now = this.#clock()
    const times = this.#current(key, now)
    for (let i = 0; i < count; i++) times.push(now)
    this.#times.set(key, times)
    this.#sweep(now)
    return verdict
  }

  peek(key: string, count = 1): WindowResult {
    if (this.#max === 0 || count === 0) return { isAllowed: true, retryAfterSeconds: 0 }
    const now = this.#clock()
    const times = this.#current(key, now)
    const free = this.#max - times.length
    if (count <= free) return { isAllowed: true, retryAfterSeconds: 0 }
    const last = times[Math.min(count - free, times.length) - 1] ?? now
    return { isAllowed: false, retryAfterSeconds: Math.max(1, Math.ceil((last + this.#windowMs - now) / 1000)) }
  }

  /** @throws ApiError 429 `rate-limited`, with `retryAfterSeconds` in its details */
  require(key: string, text = (seconds: number) => `Too many requests. Try again in ${seconds} s.`): void {
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

/** Refuses client networks after repeated wrong credentials. */
export class FailureLimit {
  readonly #window: SlidingWindow

  constructor({ max = 10, ...options }: Partial<SlidingWindowOptions> = {}) {
    this.#window = new SlidingWindow({ max, ...options })
  }

  /** @throws ApiError 429 `too-many-attempts`, with `retryAfterSeconds` in its details */
  require(address: string): void {
    const { isAllowed, retryAfterSeconds } = this.#window.peek(clientNetwork(address))
    if (isAllowed) return
    throw new ApiError(
      429,
      'too-many-attempts',
      `Too many failed attempts from your address. Try again in ${retryAfterSeconds} s.`,
      { details: { retryAfterSeconds } },
    )
  }

  failed(address: string): void {
    this.#window.take(clientNetwork(address))
  }
}
