import type { Clock, LspLimits } from './lsp-limits.ts'

type CrashLimits = Pick<
  LspLimits,
  'crashesPerClient' | 'crashRefillMs' | 'crashPauseMs' | 'maxCrashPauseMs' | 'crashMemoryMs'
>

const maxClients = 5000

/**
 * Token bucket of crashes per client. Without budget, new text of the client is not sent to a
 * server.
 */
export class CrashBudget {
  readonly clock: Clock
  readonly limits: CrashLimits
  readonly #spent = new Map<string, { crashes: number; at: number }>()

  constructor(limits: CrashLimits, clock: Clock) {
    this.limits = limits
    this.clock = clock
  }

  get size(): number {
    return this.#spent.size
  }

  spend(client: string, crashes: number): void {
    const spent = Math.max(0, this.#spentBy(client) + crashes)
    this.#spent.delete(client)
    if (spent === 0) return
    this.#spent.set(client, { crashes: spent, at: this.clock.now() })
    const [oldest] = this.#spent.keys()
    if (this.#spent.size > maxClients && oldest !== undefined) this.#spent.delete(oldest)
  }

  /** Ms since 1970; undefined: now. */
  emptyUntil(client: string): number | undefined {
    const { crashesPerClient, crashRefillMs } = this.limits
    const missing = this.#spentBy(client) + 1 - crashesPerClient
    return missing > tolerance ? Math.ceil(this.clock.now() + missing * crashRefillMs) : undefined
  }

  #spentBy(client: string): number {
    const known = this.#spent.get(client)
    if (known === undefined) return 0
    return Math.max(0, known.crashes - (this.clock.now() - known.at) / this.limits.crashRefillMs)
  }
}

const tolerance = 1e-9

/** Crashes before the first quarantine. */
const maxCrashes = 3

/** A signal usually comes from an operator; at low memory it may be the document's fault. */
const signalWeight = 0.2

/** A hang costs other clients more time. */
const hangWeight = 2

/** Requests about one text differ, so one response does not clear them. */
const passesOfRequests = 5

export interface ServerEnd {
  readonly isFromOutside?: boolean
  readonly isHang?: boolean
}

/**
 * After a crash everything in progress is suspect and sent alone, to identify the cause of another
 * crash.
 *
 *     trusted ──crash──► suspect ──three crashes, then one──► quarantined, each time twice as long
 *        ▲──digested alone──┘ ▲──────────pause over───────────────┘
 */
export class Quarantine {
  readonly client: string
  readonly #budget: CrashBudget
  readonly #isRequests: boolean
  #passesLeft = 0
  #isSlow = false
  #text = 0
  #sent = -1
  #digested = -1
  #crashed = -1
  #crashes = 0
  #pauses = 0
  #crashedAt = 0
  #until = 0
  /** Budget to refund if this text is cleared. */
  #charged = 0

  constructor(budget: CrashBudget, client: string, isRequests = false) {
    this.#budget = budget
    this.client = client
    this.#isRequests = isRequests
  }

  get isSuspect(): boolean {
    return this.#passesLeft > 0
  }

  /** A server may crash some time after it seems done. */
  get isSlow(): boolean {
    return this.#isSlow
  }

  /** Ms since 1970. Digested texts may always be sent. */
  get setAsideUntil(): number | undefined {
    if (this.#digested === this.#text) return undefined
    const until = Math.max(this.#until, this.#budget.emptyUntil(this.client) ?? 0)
    return until > this.#budget.clock.now() ? until : undefined
  }

  changed(): void {
    this.#text++
    this.#charged = 0
  }

  sent(): void {
    this.#sent = this.#text
  }

  suspect(isSlow = false): void {
    this.#passesLeft = this.#isRequests ? passesOfRequests : 1
    this.#isSlow = isSlow
  }
  /** @param things of this client */
  crashedAmong(clients: number, things: number, { isFromOutside = false }: ServerEnd = {}): void {
    if (isFromOutside) return
    this.#charged += 1 / clients / things
    this.#count(1 / clients, 1 / clients / things)
  }

  /** A server ended while busy with this only. */
  crashedAlone({ isFromOutside = false, isHang = false }: ServerEnd = {}): void {
    this.suspect(this.#isSlow)
    const weight = isFromOutside ? signalWeight : isHang ? hangWeight : 1
    this.#count(weight, weight)
  }

  /** Clears the text that was sent, and no other. */
  passed(): void {
    this.#passesLeft = Math.max(0, this.#passesLeft - 1)
    if (!this.#isRequests && this.#sent === this.#crashed) {
      this.#budget.spend(this.client, -this.#charged)
      this.#crashes = 0
    }
    this.#charged = 0
    this.digested()
  }

  digested(): void {
    if (!this.#isRequests) this.#digested = this.#sent
  }

  #count(weight: number, cost: number): void {
    const { clock, limits } = this.#budget
    const now = clock.now()
    if (now >= Math.max(this.#crashedAt, this.#until) + limits.crashMemoryMs) this.#crashes = this.#pauses = 0
    this.#crashedAt = now
    this.#crashed = this.#sent
    this.#digested = -1
    this.#budget.spend(this.client, cost)
    this.#crashes += weight
    if (this.#crashes < (this.#pauses > 0 ? 1 : maxCrashes) - tolerance) return
    this.#until = now + Math.min(limits.maxCrashPauseMs, limits.crashPauseMs * 2 ** Math.min(this.#pauses, 30))
    this.#pauses++
    this.#crashes = 0
  }
}
