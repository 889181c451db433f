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
  readonly #onChange: (isSilent: boolean) => void
  #silences = 0
  #closedUntil = -Infinity

  /**
   * @param now milliseconds from any fixed moment
   * @param onChange is told when it closes, and when an answer opens it again
   */
  constructor(now: () => number, onChange: (isSilent: boolean) => void) {
    this.#now = now
    this.#onChange = onChange
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
    const wasSilent = this.#silences >= silencesUntilPause
    this.#silences = 0
    this.#closedUntil = -Infinity
    if (wasSilent) this.#onChange(false)
  }

  /** A question was not answered. */
  silent(): void {
    if (++this.#silences >= silencesUntilPause) this.#closedUntil = this.#now() + pauseMs
    if (this.#silences === silencesUntilPause) this.#onChange(true)
  }
}
