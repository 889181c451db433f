import { performance } from 'node:perf_hooks'
import { abortReason } from '../../platform/signals.ts'

interface Waiter {
  readonly resolve: () => void
  readonly reject: (reason: Error) => void
  readonly signal: AbortSignal | undefined
  readonly onAbort: () => void
}

const decrease = 0.7
/** Parallel refusals within this time count once. */
const decreaseEveryMs = 500
const increaseEveryMs = 1000
const minRate = 0.5
const minLearnedRate = 2
/** A learned limit is dropped when it exceeds the refused rate by this factor. */
const dropFactor = 4

/**
 * An adaptive token bucket; calls wait in order, urgent ones first. A refusal reduces the rate to
 * 70 %; each second without one raises it by 5 %, up to the configured rate. Without one there is
 * no limit until the first refusal.
 */
export class RateLimit {
  #configured: number | undefined
  #burst: number
  #rate: number | undefined
  #tokens: number
  #learnedAt = 0
  #refilledAt = performance.now()
  #changedAt = 0
  readonly #waiting: Waiter[] = []
  #timer: NodeJS.Timeout | undefined
  /** Calls of the current and the previous second, to measure a refused rate. */
  #window = { start: 0, count: 0, before: 0 }

  /**
   * @param requestsPerSecond undefined: unlimited
   * @param burst calls at once after a pause, at least 1
   */
  constructor(requestsPerSecond?: number, burst?: number) {
    this.#configured = requestsPerSecond
    this.#rate = requestsPerSecond
    this.#burst = Math.max(1, burst ?? requestsPerSecond ?? 1)
    this.#tokens = this.#burst
  }

  get requestsPerSecond(): number | undefined {
    return this.#rate
  }

  get waitMs(): number {
    if (this.#rate === undefined) return 0
    this.#refill()
    return (Math.max(0, this.#waiting.length + 1 - this.#tokens) / this.#rate) * 1_000
  }

  /** Lowers the configured rate to that of another user of the node. */
  restrict(requestsPerSecond: number, burst = requestsPerSecond): void {
    if (this.#configured !== undefined && this.#configured <= requestsPerSecond) return
    this.#configured = requestsPerSecond
    this.#burst = Math.max(1, burst)
    this.#tokens = Math.min(this.#tokens, this.#burst)
    this.#rate = Math.min(this.#rate ?? requestsPerSecond, requestsPerSecond)
  }

  /**
   * Resolves when a call may start.
   * @param urgent bypasses the queue
   * @throws the signal's reason
   */
  take(signal?: AbortSignal, urgent = false): Promise<void> | undefined {
    signal?.throwIfAborted()
    this.#refill()
    if (this.#rate === undefined || (this.#tokens >= 1 && (urgent || this.#waiting.length === 0))) {
      this.#pass()
      return undefined
    }
    return new Promise<void>((resolve, reject) => {
      const waiter: Waiter = {
        resolve,
        reject,
        signal,
        onAbort: () => {
          this.#waiting.splice(this.#waiting.indexOf(waiter), 1)
          reject(abortReason(signal))
        },
      }
      signal?.addEventListener('abort', waiter.onAbort, { once: true })
      if (urgent) this.#waiting.unshift(waiter)
      else this.#waiting.push(waiter)
      this.#schedule()
    })
  }

  refused(): void {
    const now = performance.now()
    this.#tokens = Math.min(this.#tokens, 0)
    this.#refilledAt = now
    if (this.#rate !== undefined && now - this.#changedAt < decreaseEveryMs) return
    const pace = this.#rate ?? Math.max(this.#window.count, this.#window.before, minLearnedRate / decrease)
    if (this.#rate === undefined) this.#burst = Math.max(1, pace * decrease * 0.1)
    this.#rate = Math.max(minRate, pace * decrease)
    this.#learnedAt = this.#rate
    this.#changedAt = now
    this.#schedule()
  }

  succeeded(): void {
    if (this.#rate === undefined || this.#rate === this.#configured) return
    const now = performance.now()
    if (now - this.#changedAt < increaseEveryMs) return
    this.#changedAt = now
    this.#refill()
    const raised = this.#rate + Math.max(1, this.#rate * 0.05)
    if (this.#configured !== undefined) this.#rate = Math.min(this.#configured, raised)
    else this.#rate = raised > this.#learnedAt * dropFactor ? undefined : raised
    this.#release()
  }

  close(reason: Error): void {
    clearTimeout(this.#timer)
    for (const waiter of this.#waiting.splice(0)) {
      waiter.signal?.removeEventListener('abort', waiter.onAbort)
      waiter.reject(reason)
    }
  }

  #refill(): void {
    if (this.#rate === undefined) return
    const now = performance.now()
    this.#tokens = Math.min(this.#burst, this.#tokens + ((now - this.#refilledAt) / 1000) * this.#rate)
    this.#refilledAt = now
  }

  #pass(): void {
    if (this.#rate !== undefined) {
      this.#tokens--
      return
    }
    const now = performance.now()
    const { start, count } = this.#window
    if (now - start < 1000) this.#window.count++
    else this.#window = { start: now, count: 1, before: now - start < 2000 ? count : 0 }
  }

  #release(): void {
    this.#refill()
    while (this.#waiting.length > 0 && (this.#rate === undefined || this.#tokens >= 1)) {
      const waiter = this.#waiting.shift() as Waiter
      waiter.signal?.removeEventListener('abort', waiter.onAbort)
      this.#pass()
      waiter.resolve()
    }
    this.#schedule()
  }

  #schedule(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.#waiting.length === 0 || this.#rate === undefined) return
    const waitMs = ((1 - this.#tokens) / this.#rate) * 1000
    this.#timer = setTimeout(() => this.#release(), Math.max(1, Math.ceil(waitMs)))
  }
}
