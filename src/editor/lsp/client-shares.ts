import type { Clock, LspLimits } from '../language-server/lsp-limits.ts'

/** Seconds of the rate that may be used at once. */
export const burstSeconds = 5

/** What messages cost, in units. One unit is a short message, which takes the event loop some 20 µs. */
export const workUnits = {
  /** A new session: a folder is made and another one is removed. */
  networkChange: 50,
  /** The upgrade to a WebSocket. */
  connection: 20,
  /** A subscription to deployments: a signature is checked and the database is read. */
  subscription: 20,
  /** A request that goes to the language server and back. */
  request: 2,
} as const

/** Bytes that are parsed or written for one unit. */
const bytesPerUnit = 8192

/** Units for reading or writing so many bytes. */
export function unitsOfBytes(bytes: number): number {
  return bytes / bytesPerUnit
}

/** A token bucket that may be overdrawn: the work is done, and its caller waits afterwards. */
export class WorkBudget {
  readonly #perSecond: number
  readonly #now: () => number
  #units: number
  #since: number

  /** @param now ms */
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

  /** How long to wait until the budget is not overdrawn, ms; 0 if it is not. */
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
  /** Contracts that may still be fetched, as of `since`. */
  contracts: number
  since: number
  readonly work: WorkBudget
}

/** In which what an address may have fetched comes back, ms. */
const contractsMs = 600_000

/** Addresses that are remembered though they have nothing open. */
const maxAddresses = 5000

/** What all connections of one address take together; who opens more of them gets no more of it. */
export class ClientShares {
  readonly #limits: LspLimits
  readonly #clock: Clock
  /** The last used ones at the end. */
  readonly #shares = new Map<string, Share>()
  #bytes = 0

  constructor(limits: LspLimits, clock: Clock) {
    this.#limits = limits
    this.#clock = clock
  }

  /** Bytes of all documents. */
  get bytes(): number {
    return this.#bytes
  }

  /** Counts bytes of documents; negative to release. @returns why they do not fit; nothing is counted then */
  hold(client: string, bytes: number): string | undefined {
    const share = this.#shareOf(client)
    const { addressBytes, allBytes } = this.#limits
    if (bytes > 0 && share.bytes + bytes > addressBytes)
      return `all that your address has open has more than ${addressBytes} bytes`
    if (bytes > 0 && this.#bytes + bytes > allBytes) return `all that is open here has more than ${allBytes} bytes`
    share.bytes += bytes
    this.#bytes += bytes
    return undefined
  }

  /** Whether another contract may be fetched, which is counted. */
  mayFetch(client: string): boolean {
    const share = this.#shareOf(client)
    const { contractsPerAddress: max } = this.#limits
    const now = this.#clock.now()
    share.contracts = Math.min(max, share.contracts + ((now - share.since) / contractsMs) * max)
    share.since = now
    if (share.contracts < 1) return false
    share.contracts--
    return true
  }

  /** What the event loop does for all connections of an address. */
  workOf(client: string): WorkBudget {
    return this.#shareOf(client).work
  }

  #shareOf(client: string): Share {
    const share = this.#shares.get(client) ?? {
      bytes: 0,
      contracts: this.#limits.contractsPerAddress,
      since: this.#clock.now(),
      work: new WorkBudget(this.#limits.addressWorkPerSecond),
    }
    this.#shares.delete(client)
    this.#shares.set(client, share)
    if (this.#shares.size > maxAddresses) this.#forgetOne()
    return share
  }

  /**
   * Deletes the least recently used address that has nothing open; there are no more of the others than connections.
   */
  #forgetOne(): void {
    for (const [client, { bytes }] of this.#shares) {
      if (bytes !== 0) continue
      this.#shares.delete(client)
      return
    }
  }
}
