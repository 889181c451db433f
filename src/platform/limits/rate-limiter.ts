import type { BlockList } from 'node:net'
import { clientNetwork, isListed } from './clients.ts'
import { TokenBuckets } from './token-buckets.ts'
import type { Allowance, TokenResult } from './token-buckets.ts'

export interface RateLimitOptions {
  /** Requests a second per address; 0 means no limit. */
  readonly rps: number
  /** Undefined: ten seconds' worth. */
  readonly burst?: number | undefined
  readonly ttlMinutes: number
  /** 0 means no limit. */
  readonly trustedRps: number
  readonly trustedAddresses: BlockList
}

export interface RateLimitResult extends TokenResult {
  readonly policy: 'address' | 'trusted' | 'key'
  readonly allowance: Allowance
}

/** Enough for a page that sends many requests at once. */
const burstSeconds = 10

export class RateLimiter {
  readonly #options: RateLimitOptions
  readonly #buckets: TokenBuckets

  constructor(options: RateLimitOptions) {
    this.#options = options
    this.#buckets = new TokenBuckets({ idleMs: options.ttlMinutes * 60_000 })
  }

  /** Undefined: no limit, as for local clients. */
  takeForAddress(address: string | undefined): RateLimitResult | undefined {
    if (address === undefined) return undefined
    const { rps, burst, trustedRps, trustedAddresses } = this.#options
    const isTrusted = isListed(trustedAddresses, address)
    const rate = isTrusted ? trustedRps : rps
    if (rate === 0) return undefined
    const allowance = { rate, burst: isTrusted || burst === undefined ? Math.ceil(rate * burstSeconds) : burst }
    return this.#take(isTrusted ? 'trusted' : 'address', clientNetwork(address), allowance)
  }

  /** Requests of one owner share a limit. @param rate requests a second; null means no limit */
  takeForKey(owner: number, rate: number | null): RateLimitResult | undefined {
    return rate === null ? undefined : this.#take('key', `key ${owner}`, { rate, burst: rate * burstSeconds })
  }

  #take(policy: RateLimitResult['policy'], name: string, allowance: Allowance): RateLimitResult {
    return { policy, allowance, ...this.#buckets.take(name, allowance) }
  }
}
