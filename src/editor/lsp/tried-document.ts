/** Times that a server has to end with nothing but one document in its hands, until that document is set aside. */
const mostDeaths = 3

/**
 * What an end by somebody else counts for: an operator and a random kill mean nobody's document, but the system kills what takes all memory, and that may be
 * because of one.
 */
const outsideWeight = 0.2

/**
 * What is known of how a language server bears a document. A server that ends takes what it was busy with under suspicion; what is suspect is sent alone,
 * while everybody else waits for an answer to a probe, so that another end has hardly any other cause; one that others have brought about counts for a fifth.
 *
 *     trusted ──server ended meanwhile──► suspect ──ended three times, alone──► set aside
 *        ▲────────answered alone─────────────┘ ▲──────────changed────────────┘
 */
export class TriedDocument {
  readonly #passes: number
  /** Times that it has to be borne before it is trusted again. */
  #passesLeft = 0
  #deaths = 0
  #isSlow = false

  /** @param passes after which it is trusted again; what is asked about a document differs, its text does not */
  constructor(passes = 1) {
    this.#passes = passes
  }

  get isSuspect(): boolean {
    return this.#passesLeft > 0
  }

  /** No server is given it as it is. */
  get isSetAside(): boolean {
    return this.#deaths >= mostDeaths
  }

  /** A server may end on it some time after it seemed to be done with it. */
  get isSlow(): boolean {
    return this.#isSlow
  }

  /** A server ended while it had this to do, perhaps among other things; or, where it is slow, a while after it. */
  suspect(isSlow = false): void {
    this.#passesLeft = this.#passes
    this.#isSlow = isSlow
  }

  /** A server ended that had nothing else to do. @param isFromOutside others ended it, by a signal */
  diedAlone(isFromOutside = false): void {
    this.#passesLeft = this.#passes
    this.#deaths += isFromOutside ? outsideWeight : 1
  }

  /** A server was given it alone, and goes on. */
  passed(): void {
    this.#passesLeft = Math.max(0, this.#passesLeft - 1)
    this.#deaths = 0
  }

  /** Its text is another one: it may be tried again, once. */
  changed(): void {
    if (this.isSetAside) this.#deaths = mostDeaths - 1
  }
}
