import type { BlockList } from 'node:net'
import { clientNetwork, isListed } from './clients.ts'
import { TokenBuckets } from './token-buckets.ts'
import type { Allowance, Taken } from './token-buckets.ts'

export interface RateLimitOptions {
  /** API_RATE_LIMIT_RPS, requests a second of one address; 0: no limit for addresses. */
  readonly rps: number
  /** API_RATE_LIMIT_BURST; undefined: ten seconds' worth. */
  readonly burst?: number | undefined
  /** API_RATE_LIMIT_TTL_MIN. */
  readonly ttlMinutes: number
  /** API_RATE_LIMIT_TRUSTED_RPS; 0: no limit for them. */
  readonly trustedRps: number
  /** API_RATE_LIMIT_TRUSTED_ADDRESSES. */
  readonly trustedAddresses: BlockList
}

/** What a request is counted by, and how much of that is left. */
export interface Verdict extends Taken {
  readonly policy: 'address' | 'trusted' | 'key'
  readonly allowance: Allowance
}

/** Without a burst of their own, clients may save up so much: enough for a page that asks for many things at once. */
const burstSeconds = 10

/** Counts requests by the address they come from, or by a key. */
export class RateLimiter {
  readonly #options: RateLimitOptions
  readonly #buckets: TokenBuckets

  constructor(options: RateLimitOptions, clock?: () => number) {
    this.#options = options
    this.#buckets = new TokenBuckets({ idleMs: options.ttlMinutes * 60_000, ...(clock === undefined ? {} : { clock }) })
  }

  /**
   * Counts a request of an address.
   * @param address undefined: of this machine, which is not limited
   * @returns undefined: there is no limit
   */
  takeForAddress(address: string | undefined): Verdict | undefined {
    if (address === undefined) return undefined
    const { rps, burst, trustedRps, trustedAddresses } = this.#options
    const isTrusted = isListed(trustedAddresses, address)
    const rate = isTrusted ? trustedRps : rps
    if (rate === 0) return undefined
    const allowance = { rate, burst: isTrusted || burst === undefined ? Math.ceil(rate * burstSeconds) : burst }
    return this.#take(isTrusted ? 'trusted' : 'address', clientNetwork(address), allowance)
  }

  /**
   * Counts a request that came with a key.
   * @param owner requests of one owner are counted together
   * @param rate requests a second; null: no limit
   * @returns undefined: there is no limit
   */
  takeForKey(owner: number, rate: number | null): Verdict | undefined {
    return rate === null ? undefined : this.#take('key', `key ${owner}`, { rate, burst: rate * burstSeconds })
  }

  #take(policy: Verdict['policy'], name: string, allowance: Allowance): Verdict {
    return { policy, allowance, ...this.#buckets.take(name, allowance) }
  }
}
