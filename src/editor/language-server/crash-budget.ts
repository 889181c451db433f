import type { Clock, LspLimits } from './lsp-limits.ts'

type CrashLimits = Pick<
  LspLimits,
  'crashesPerClient' | 'crashRefillMs' | 'crashPauseMs' | 'maxCrashPauseMs' | 'crashMemoryMs'
>

/** Clients whose crashes are remembered; the ones that crashed longest ago are dropped first. */
const maxClients = 5000

/**
 * How often each client may crash language servers, over all of its connections: a token bucket per client. A client
 * without a budget gets no new text to a server; what servers have digested stays.
 */
export class CrashBudget {
  readonly clock: Clock
  readonly limits: CrashLimits
  /** Crashes that are counted against a client as of a time, in the order of the last one. */
  readonly #spent = new Map<string, { crashes: number; at: number }>()

  constructor(limits: CrashLimits, clock: Clock) {
    this.limits = limits
    this.clock = clock
  }

  /** Clients that are remembered. */
  get size(): number {
    return this.#spent.size
  }

  /** @param crashes less than 0 to refund */
  spend(client: string, crashes: number): void {
    const spent = Math.max(0, this.#spentBy(client) + crashes)
    this.#spent.delete(client)
    if (spent === 0) return
    this.#spent.set(client, { crashes: spent, at: this.clock.now() })
    const [oldest] = this.#spent.keys()
    if (this.#spent.size > maxClients && oldest !== undefined) this.#spent.delete(oldest)
  }

  /** When a client may crash a server again, ms since 1970; undefined: now. */
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

/** Sums of fractions are inexact. */
const tolerance = 1e-9

/** Crashes of a document until it is set aside for the first time. */
const maxCrashes = 3

/** An operator or a random kill says nothing about a document; the kernel's kill at low memory may. */
const signalWeight = 0.2

/** A hang costs the other clients much more time than a crash. */
const hangWeight = 2

/** Requests differ although they are about the same text, so one answer does not clear them. */
const passesOfRequests = 5

/** How a server ended. */
export interface ServerEnd {
  /** Another process ended it by a signal. */
  readonly isFromOutside?: boolean
  readonly isHang?: boolean
}

/**
 * Whether a document, or requests about one, may be sent to a language server. After a crash everything that the server
 * was busy with is suspect and is sent alone, so that the cause of another crash is known.
 *
 *     trusted ──crash──► suspect ──three crashes, then one──► set aside, each time twice as long
 *        ▲──digested alone──┘ ▲──────────pause over──────────────┘
 */
export class Quarantine {
  readonly client: string
  readonly #budget: CrashBudget
  readonly #isRequests: boolean
  #passesLeft = 0
  #isSlow = false
  /** Numbers of texts: the present one, and the ones that were sent, digested and crashed a server last. */
  #text = 0
  #sent = -1
  #digested = -1
  #crashed = -1
  #crashes = 0
  #pauses = 0
  #crashedAt = 0
  #until = 0
  /** Spent for crashes among other things, to be refunded if this text is cleared. */
  #charged = 0

  /** @param client address or network; @param isRequests whether it stands for requests about a document */
  constructor(budget: CrashBudget, client: string, isRequests = false) {
    this.#budget = budget
    this.client = client
    this.#isRequests = isRequests
  }

  get isSuspect(): boolean {
    return this.#passesLeft > 0
  }

  /** A server may crash some time after it seemed to be done with it. */
  get isSlow(): boolean {
    return this.#isSlow
  }

  /** Until when it must not be sent, ms since 1970. Texts that a server has digested may always be sent. */
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

  /** A server ended that was busy with things of several clients. @param things of this client */
  crashedAmong(clients: number, things: number, { isFromOutside = false }: ServerEnd = {}): void {
    if (isFromOutside) return
    this.#charged += 1 / clients / things
    this.#count(1 / clients, 1 / clients / things)
  }

  /** A server ended that was busy with nothing else. */
  crashedAlone({ isFromOutside = false, isHang = false }: ServerEnd = {}): void {
    this.suspect(this.#isSlow)
    const weight = isFromOutside ? signalWeight : isHang ? hangWeight : 1
    this.#count(weight, weight)
  }

  /** A server digested it alone. The same text is cleared; another one says nothing about the text that crashed. */
  passed(): void {
    this.#passesLeft = Math.max(0, this.#passesLeft - 1)
    if (!this.#isRequests && this.#sent === this.#crashed) {
      this.#budget.spend(this.client, -this.#charged)
      this.#crashes = 0
    }
    this.#charged = 0
    this.digested()
  }

  /** A server digested what was sent last, or answered a request. */
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
