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
