/** What a bucket allows: `burst` requests at once, and `rate` more each second. */
export interface Allowance {
  readonly rate: number
  readonly burst: number
}

export interface Taken {
  readonly isAllowed: boolean
  /** Requests that are left at this moment. */
  readonly remaining: number
  /** Until the bucket is full again. */
  readonly fullInSeconds: number
  /** Until as many requests as were refused are in it, or else one more; 0 while they are. */
  readonly nextInSeconds: number
}

interface Bucket {
  /** When it will be full, in milliseconds of the clock: all that there is to know of it (GCRA). */
  fullAt: number
  readonly seenAt: number
}

/**
 * Token buckets by name, in bounded memory: those that nobody asked for in `idleMs` are forgotten, and beyond
 * `maxBuckets` the one that nobody asked for longest. No timer runs: each request clears away up to two.
 */
export class TokenBuckets {
  /** In the order in which they were last asked for. */
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

  /** Takes requests, one by default, from a bucket: all of them or, where they are refused, none. */
  take(name: string, { rate, burst }: Allowance, count = 1): Taken {
    const now = this.#clock()
    const msPerRequest = 1000 / rate
    const capacityMs = burst * msPerRequest
    const fullAt = Math.max(this.#buckets.get(name)?.fullAt ?? 0, now)
    const neededMs = count * msPerRequest
    const isAllowed = fullAt + neededMs <= now + capacityMs + rounding
    const after = isAllowed ? fullAt + neededMs : fullAt
    this.#buckets.delete(name)
    this.#buckets.set(name, { fullAt: after, seenAt: now })
    this.#forget(now)
    const room = now + capacityMs - after
    return {
      isAllowed,
      remaining: Math.max(0, Math.floor((room + rounding) / msPerRequest)),
      fullInSeconds: Math.max(0, Math.ceil((after - now - rounding) / 1000)),
      nextInSeconds: Math.max(0, Math.ceil(((isAllowed ? msPerRequest : neededMs) - room - rounding) / 1000)),
    }
  }

  #forget(now: number): void {
    let looked = 0
    for (const [name, { seenAt }] of this.#buckets) {
      if (looked++ === 2) return
      if (this.#buckets.size <= this.#maxBuckets && now - seenAt < this.#idleMs) return
      this.#buckets.delete(name)
    }
  }
}

/** Times are sums of fractions: half a microsecond is no difference. */
const rounding = 0.0005
