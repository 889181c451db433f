import type { BlameLedger, Death } from './blame-ledger.ts'

/** Of whom and what a ledger keeps what servers ended on. */
export interface Accused {
  readonly ledger: BlameLedger
  /** The client's address or network. */
  readonly client: string
  /** What it is, the same when the client comes again. */
  readonly subject: string
}

/** How a server was lost that had a document in hand. */
export interface ServerDeath {
  /** Others ended it, by a signal. */
  readonly isFromOutside?: boolean
  /** It hung, which costs the others much more than an end. */
  readonly isHang?: boolean
}

/**
 * What an end by somebody else counts for: an operator and a random kill mean nobody's document, but the system kills what takes all memory, and that may be
 * because of one.
 */
const outsideWeight = 0.2

const hangWeight = 2

/** Requests that have to be answered before others are trusted again: what is asked about a document differs, its text does not. */
const passesOfRequests = 5

/**
 * What is known of how a language server bears a document. A server that ends takes what it was busy with under suspicion; what is suspect is sent alone,
 * while everybody else waits for an answer to a probe, so that another end has hardly any other cause; one that others have brought about counts for a fifth.
 * Deaths are written down in a ledger, which says when it is set aside, and until when.
 *
 *     trusted ──server ended meanwhile──► suspect ──ended three times──► set aside ──pause over──► suspect
 *        ▲────────answered alone─────────────┘
 */
export class TriedDocument {
  readonly #accused: Accused
  readonly #isRequests: boolean
  /** Times that it has to be borne before it is trusted again. */
  #passesLeft = 0
  #isSlow = false
  /** The text that it is now, the one that servers were given last, and the ones that they have borne and ended on last. */
  #text = 0
  #given = -1
  #borne = -1
  #deadly = -1
  /** Servers have borne it, or answered requests of it, and ended on none. */
  #isKnownGood = false

  /** @param isRequests it stands for requests about a document, each of which is another one */
  constructor(accused: Accused, isRequests = false) {
    this.#accused = accused
    this.#isRequests = isRequests
    this.#tryAloneOnTrial()
  }

  /** The address or network whose it is. */
  get client(): string {
    return this.#accused.client
  }

  get isSuspect(): boolean {
    return this.#passesLeft > 0
  }

  /**
   * Until when no server is given it, ms since 1970; undefined where one may be. What servers have borne is not held up by what its owner, or somebody else
   * at the same address, does with other documents, or with another one of this name.
   */
  get setAsideUntil(): number | undefined {
    const { ledger, client, subject } = this.#accused
    if (this.#borne === this.#text) return undefined
    const own = this.#isKnownGood ? undefined : ledger.pausedUntil(client, subject)
    const all = ledger.clientPausedUntil(client)
    return own === undefined || all === undefined ? (own ?? all) : Math.max(own, all)
  }

  /** A server may end on it some time after it seemed to be done with it. */
  get isSlow(): boolean {
    return this.#isSlow
  }

  /** A server was given it as it is. */
  given(): void {
    this.#given = this.#text
  }

  /** A server ended while it had this to do, perhaps among other things; or, where it is slow, a while after it. */
  suspect(isSlow = false): void {
    this.#passesLeft = this.#isRequests ? passesOfRequests : 1
    this.#isSlow = isSlow
  }

  /** A server ended that had this to do, and other things. @param clients whose they were, this one's own with them; @param things of this client */
  diedAmong(clients: number, things: number, { isFromOutside = false }: ServerDeath = {}): void {
    if (!isFromOutside) this.#died({ weight: 1 / clients, things, isAlone: false })
  }

  /** A server ended that had nothing else to do. */
  diedAlone({ isFromOutside = false, isHang = false }: ServerDeath = {}): void {
    this.suspect(this.#isSlow)
    this.#died({ weight: isFromOutside ? outsideWeight : isHang ? hangWeight : 1, isAlone: true })
  }

  /** A server was given it alone, and goes on. */
  passed(): void {
    this.#passesLeft = Math.max(0, this.#passesLeft - 1)
    const { ledger, client, subject } = this.#accused
    // Another text that is borne says nothing about the one that was not.
    if (!this.#isRequests && this.#given === this.#deadly) ledger.bore(client, subject)
    this.borne()
  }

  /** A server has digested what it was given last, or answered a request. */
  borne(): void {
    if (!this.#isRequests) this.#borne = this.#given
    if (this.#deadly < 0) this.#isKnownGood = true
  }

  /** Its text is another one. */
  changed(): void {
    this.#text++
    this.#tryAloneOnTrial()
  }

  #tryAloneOnTrial(): void {
    const { ledger, client, subject } = this.#accused
    if (ledger.isOnTrial(client, subject)) this.suspect(this.#isSlow)
  }

  #died(death: Death): void {
    this.#deadly = Math.max(0, this.#given)
    this.#isKnownGood = false
    if (this.#borne === this.#deadly) this.#borne = -1
    const { ledger, client, subject } = this.#accused
    ledger.died(client, subject, death)
  }
}
