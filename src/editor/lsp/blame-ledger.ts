import type { Clock } from './client-shares.ts'

interface BlameLimits {
  /** How long what is blamed for the first time is set aside, ms; each further time of the same client doubles it. */
  readonly blamePauseMs: number
  readonly longestBlamePauseMs: number
  /** After so long without blame a client is as one that never was, ms. */
  readonly blameMemoryMs: number
}

/** How a server ended. */
export interface Death {
  /** How much it says against what the server had in hand; 1 for an end that has hardly any other cause. */
  readonly weight: number
  /** How many things of this client it had in hand. */
  readonly things?: number
  /** Whether the server had nothing else in hand. */
  readonly isAlone: boolean
}

/** Weights of deaths, as of a time. */
interface Score {
  score: number
  scoredAt: number
}

/** One thing of a client that servers end on: a document, or requests about one. Its score is of deaths that have not led to a pause yet. */
interface Subject extends Score {
  pauses: number
  until: number
}

/** Its score is of all its subjects. */
interface ClientRecord extends Score {
  readonly subjects: Map<string, Subject>
  /** Pauses of all subjects; each is longer than the one before. */
  pauses: number
  /** Pauses of subjects that had none before, or had one that was not over: somebody goes from one document to the next. */
  spread: number
  /** Until when nothing new of the client is tried. */
  until: number
  lastAt: number
}

/** Deaths until a subject is set aside for the first time. */
const mostDeaths = 3

/** Deaths with all that a client has, from which on each of its subjects is set aside at once. */
const mostClientDeaths = 6

/** Documents of a client that are blamed one by one; with so many, nothing new of the client is tried while the pause lasts. */
const mostSpread = 3

/** A death that was no document's fault is forgotten after so long, ms. */
const deathMs = 300_000

/** What is remembered at most: those that were blamed longest ago are forgotten first. */
const [mostClients, mostSubjects] = [5000, 50]

/**
 * Who has made language servers end, by the clients' addresses, so that it costs the others a few restarts and no more: what a server ended on is not
 * tried for a while, and for longer each time. It outlives connections, and names of documents too: a client that goes from one document to the next is
 * given none of its new texts.
 *
 *     innocent ──three deaths──► in a pause ──over──► on trial ──one death alone──► in a pause twice as long
 *        ▲                                              │
 *        └────────nothing for half an hour──────────────┘
 */
export class BlameLedger {
  readonly #limits: BlameLimits
  readonly #clock: Clock
  /** In the order of their last death. */
  readonly #clients = new Map<string, ClientRecord>()

  constructor(limits: BlameLimits, clock: Clock) {
    this.#limits = limits
    this.#clock = clock
  }

  /** Clients that are remembered. */
  get size(): number {
    return this.#clients.size
  }

  /** A server ended that had this in hand. @param client its address or network */
  died(client: string, subject: string, { weight, things = 1, isAlone }: Death): void {
    const now = this.#clock.now()
    const record = this.#recordOf(client) ?? {
      subjects: new Map<string, Subject>(),
      score: 0,
      scoredAt: now,
      pauses: 0,
      spread: 0,
      until: 0,
      lastAt: now,
    }
    const known = record.subjects.get(subject) ?? { score: 0, scoredAt: now, pauses: 0, until: 0 }
    keepLast(this.#clients, client, record, mostClients)
    keepLast(record.subjects, subject, known, mostSubjects)
    record.lastAt = now
    addTo(record, weight / things, now)
    addTo(known, weight, now)
    // Who is on trial has one try; of others it may have been the first sign of a fault that is not theirs.
    const isOnTrial =
      known.pauses > 0 ||
      record.spread >= mostSpread ||
      record.score > mostClientDeaths - tolerance ||
      (isAlone && record.pauses > 0)
    if (known.score < (isOnTrial ? 1 : mostDeaths) - tolerance) return
    record.pauses++
    if (known.pauses === 0 || known.until > now) record.spread++
    known.pauses++
    known.score = 0
    known.until = now + this.#pauseMs(record.pauses)
    if (record.spread >= mostSpread) record.until = known.until
  }

  /** A server has borne what others had ended with. */
  bore(client: string, subject: string): void {
    const record = this.#recordOf(client)
    const known = record?.subjects.get(subject)
    if (record === undefined || known === undefined) return
    record.score = Math.max(0, record.score - known.score)
    known.score = 0
  }

  /** Until when this is not tried, ms since 1970; undefined where it may be. */
  pausedUntil(client: string, subject: string): number | undefined {
    return this.#ahead(this.#recordOf(client)?.subjects.get(subject)?.until)
  }

  /** Until when nothing new of a client is tried, ms since 1970; undefined where it may be. */
  clientPausedUntil(client: string): number | undefined {
    return this.#ahead(this.#recordOf(client)?.until)
  }

  /** Whether it was set aside before: it is tried with nothing else in the server's hands. */
  isOnTrial(client: string, subject: string): boolean {
    const record = this.#recordOf(client)
    return record !== undefined && (record.spread >= mostSpread || (record.subjects.get(subject)?.pauses ?? 0) > 0)
  }

  #ahead(until: number | undefined): number | undefined {
    return until !== undefined && until > this.#clock.now() ? until : undefined
  }

  #pauseMs(pauses: number): number {
    const { blamePauseMs, longestBlamePauseMs } = this.#limits
    return Math.min(longestBlamePauseMs, blamePauseMs * 2 ** Math.min(pauses - 1, 30))
  }

  #recordOf(client: string): ClientRecord | undefined {
    const record = this.#clients.get(client)
    if (record === undefined) return undefined
    // Whoever sat out a long pause has not been good meanwhile.
    const quietSince = Math.max(record.lastAt, record.until, ...record.subjects.values().map(({ until }) => until))
    if (this.#clock.now() < quietSince + this.#limits.blameMemoryMs) return record
    this.#clients.delete(client)
    return undefined
  }
}

/** Deaths that were long ago count for less, and then for nothing. */
function addTo(one: Score, weight: number, now: number): void {
  one.score = Math.max(0, one.score - (now - one.scoredAt) / deathMs) + weight
  one.scoredAt = now
}

/** Sums of fractions are a little off. */
const tolerance = 1e-9

/** Puts an entry at the end, and drops the first ones where there are too many. */
function keepLast<T>(map: Map<string, T>, key: string, value: T, most: number): void {
  map.delete(key)
  map.set(key, value)
  for (const first of map.keys()) {
    if (map.size <= most) break
    map.delete(first)
  }
}
