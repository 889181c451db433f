/** After so many silences in a row nobody is kept waiting for a while. */
const silencesUntilPause = 3
/** How long that is, in milliseconds. */
const pauseMs = 3000

/**
 * Keeps people from waiting for nodes that are silent. States: open, any question may be asked; after three silences in a
 * row closed for 3 s; then one question may be asked, and is the trial: until it is answered others are kept back for
 * another 3 s.
 */
export class SilencePause {
  readonly #now: () => number
  #silences = 0
  #closedUntil = -Infinity

  /** @param now milliseconds from any fixed moment */
  constructor(now: () => number) {
    this.#now = now
  }

  /** Whether a question may be asked now; whoever is told so asks it. */
  mayAsk(): boolean {
    const now = this.#now()
    if (now < this.#closedUntil) return false
    if (this.#silences >= silencesUntilPause) this.#closedUntil = now + pauseMs
    return true
  }

  /** A question was answered. */
  heard(): void {
    this.#silences = 0
    this.#closedUntil = -Infinity
  }

  /** A question was not answered. */
  silent(): void {
    if (++this.#silences >= silencesUntilPause) this.#closedUntil = this.#now() + pauseMs
  }
}
