/** Times that a server has to end with nothing but one document in its hands, until that document is set aside. */
const mostDeaths = 3

/**
 * What is known of how a language server bears a document. A server that ends takes what it was busy with under suspicion; what is suspect is sent alone,
 * while everybody else waits for an answer to a probe, so that another end has hardly any other cause; that it was killed by chance thrice is left out.
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

  /** A server ended that had nothing else to do. */
  diedAlone(): void {
    this.#passesLeft = this.#passes
    this.#deaths++
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
