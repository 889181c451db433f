/** `burst` requests at once and `rate` more each second. */
export interface Allowance {
  readonly rate: number
  readonly burst: number
}

export interface TokenResult {
  readonly isAllowed: boolean
  readonly remaining: number
  readonly fullInSeconds: number
  /** Time until the refused requests fit, or after a success one more request. */
  readonly nextInSeconds: number
}

interface Bucket {
  /** When the bucket will be full, ms (GCRA). */
  fullAt: number
  readonly seenAt: number
}

/**
 * Buckets unused for `idleMs` are dropped, and above `maxBuckets` the least recently used. No
 * timer: each request drops up to two.
 */
export class TokenBuckets {
  /** Least recently used first. */
  readonly #buckets = new Map<string, Bucket>()
  readonly #idleMs: number
  readonly #maxBuckets: number
  readonly #clock: () => number

  constructor({
    idleMs,
    maxBuckets = 100_000,
    clock = () => performance.now(),
  }: {
    readonly idleMs: number
    readonly maxBuckets?: number
    readonly clock?: () => number
  }) {
    this.#idleMs = idleMs
    this.#maxBuckets = maxBuckets
    this.#clock = clock
  }

  get size(): number {
    return this.#buckets.size
  }

  /** All or none. */
  take(name: string, { rate, burst }: Allowance, count = 1): TokenResult {
    const now = this.#clock()
    const msPerRequest = 1000 / rate
    const capacityMs = burst * msPerRequest
    const fullAt = Math.max(this.#buckets.get(name)?.fullAt ?? 0, now)
    const neededMs = count * msPerRequest
    const isAllowed = fullAt + neededMs <= now + capacityMs + rounding
    const after = isAllowed ? fullAt + neededMs : fullAt
    this.#buckets.delete(name)
    this.#buckets.set(name, { fullAt: after, seenAt: now })
    this.#evict(now)
    const leftMs = now + capacityMs - after
    return {
      isAllowed,
      remaining: Math.max(0, Math.floor((leftMs + rounding) / msPerRequest)),
      fullInSeconds: Math.max(0, Math.ceil((after - now - rounding) / 1000)),
      nextInSeconds: Math.max(0, Math.ceil(((isAllowed ? msPerRequest : neededMs) - leftMs - rounding) / 1000)),
    }
  }

  #evict(now: number): void {
    let checked = 0
    for (const [name, { seenAt }] of this.#buckets) {
      if (checked++ === 2) return
      if (this.#buckets.size <= this.#maxBuckets && now - seenAt < this.#idleMs) return
      this.#buckets.delete(name)
    }
  }
}

/** Sums of fractions differ slightly. */
const rounding = 0.0005
