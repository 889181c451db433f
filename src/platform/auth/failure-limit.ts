import { clientNetwork } from '../client-network.ts'
import { ApiError } from '../errors.ts'

interface Failures {
  count: number
  /** When they are forgotten, in milliseconds of the clock. */
  readonly until: number
}

/** Addresses that are remembered; beyond that the oldest are forgotten. */
const mostAddresses = 10_000

/**
 * Holds off an address, or a network of IPv6, that shows wrong credentials again and again: ten times a minute, then it waits
 * for the minute's end.
 */
export class FailureLimit {
  readonly #most: number
  readonly #windowMs: number
  readonly #clock: () => number
  readonly #failures = new Map<string, Failures>()

  constructor({ most = 10, windowMs = 60_000, clock = () => performance.now() } = {}) {
    this.#most = most
    this.#windowMs = windowMs
    this.#clock = clock
  }

  /** @throws ApiError 429 `too-many-attempts`, with `retryAfterSeconds` in its details */
  require(address: string): void {
    const failures = this.#current(address)
    if (failures === undefined || failures.count < this.#most) return
    const seconds = Math.ceil((failures.until - this.#clock()) / 1000)
    throw new ApiError(
      429,
      'too-many-attempts',
      `Too many wrong credentials from your address; try again in ${seconds} s.`,
      { details: { retryAfterSeconds: seconds } },
    )
  }

  failed(address: string): void {
    const failures = this.#current(address)
    if (failures !== undefined) {
      failures.count++
      return
    }
    const [oldest] = this.#failures.keys()
    if (this.#failures.size >= mostAddresses && oldest !== undefined) this.#failures.delete(oldest)
    this.#failures.set(clientNetwork(address), { count: 1, until: this.#clock() + this.#windowMs })
  }

  #current(address: string): Failures | undefined {
    const client = clientNetwork(address)
    const failures = this.#failures.get(client)
    if (failures === undefined || failures.until > this.#clock()) return failures
    this.#failures.delete(client)
    return undefined
  }
}
