import { TokenBuckets } from '../../platform/limits/token-buckets.ts'
import type { Clock, LspLimits } from '../language-server/lsp-limits.ts'

export const burstSeconds = 5

/** One unit is a short message, about 20 µs of the event loop. */
export const workUnits = {
  networkChange: 50,
  connection: 20,
  subscription: 20,
  request: 2,
} as const

const bytesPerUnit = 8192

export function unitsOfBytes(bytes: number): number {
  return bytes / bytesPerUnit
}

/** A token bucket that may be overdrawn: the caller waits after the work. */
export class WorkBudget {
  readonly #perSecond: number
  readonly #now: () => number
  #units: number
  #since: number

  constructor(perSecond: number, now: () => number = () => performance.now()) {
    this.#perSecond = perSecond
    this.#now = now
    this.#units = perSecond * burstSeconds
    this.#since = now()
  }

  spend(units: number): void {
    this.#refill()
    this.#units -= units
  }

  get waitMs(): number {
    this.#refill()
    return this.#units >= 0 ? 0 : (-this.#units / this.#perSecond) * 1000
  }

  #refill(): void {
    const now = this.#now()
    this.#units = Math.min(this.#perSecond * burstSeconds, this.#units + ((now - this.#since) * this.#perSecond) / 1000)
    this.#since = now
  }
}

interface Share {
  bytes: number
  readonly work: WorkBudget
}

const contractsSeconds = 600

const maxAddresses = 5000

/** Shared by all connections of one address. */
export class ClientShares {
  readonly #limits: LspLimits
  readonly #contracts: TokenBuckets
  readonly #shares = new Map<string, Share>()
  #bytes = 0

  constructor(limits: LspLimits, clock: Clock) {
    this.#limits = limits
    this.#contracts = new TokenBuckets({
      idleMs: contractsSeconds * 1000,
      maxBuckets: maxAddresses,
      clock: () => clock.now(),
    })
  }

  get bytes(): number {
    return this.#bytes
  }

  /** @returns why the bytes do not fit; then nothing is counted */
  hold(client: string, bytes: number): string | undefined {
    const share = this.#shareOf(client)
    const { addressBytes, allBytes } = this.#limits
    if (bytes > 0 && share.bytes + bytes > addressBytes)
      return `the open documents of your address have more than ${addressBytes} bytes`
    if (bytes > 0 && this.#bytes + bytes > allBytes) return `all open documents have more than ${allBytes} bytes`
    share.bytes += bytes
    this.#bytes += bytes
    return undefined
  }

  mayFetch(client: string): boolean {
    const { contractsPerAddress: burst } = this.#limits
    return this.#contracts.take(client, { rate: burst / contractsSeconds, burst }).isAllowed
  }

  workOf(client: string): WorkBudget {
    return this.#shareOf(client).work
  }

  #shareOf(client: string): Share {
    const share = this.#shares.get(client) ?? {
      bytes: 0,
      work: new WorkBudget(this.#limits.addressWorkPerSecond),
    }
    this.#shares.delete(client)
    this.#shares.set(client, share)
    if (this.#shares.size > maxAddresses) this.#evictOne()
    return share
  }

  /** Busy addresses are bounded by the number of connections. */
  #evictOne(): void {
    for (const [client, { bytes }] of this.#shares) {
      if (bytes !== 0) continue
      this.#shares.delete(client)
      return
    }
  }
}
