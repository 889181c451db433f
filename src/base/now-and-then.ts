/** For what would be said again and again while something is wrong: says when it is time for a line, and what was left out since the last. */
export class NowAndThen {
  readonly #everyMs: number
  #quietUntil = Number.NEGATIVE_INFINITY
  #untold = 0

  /** @param everyMs the shortest time from one line to the next, in milliseconds */
  constructor(everyMs: number) {
    this.#everyMs = everyMs
  }

  /** How many were left out since the line before; undefined: this one is to be left out as well. */
  due(now: number = performance.now()): number | undefined {
    if (now < this.#quietUntil) {
      this.#untold++
      return undefined
    }
    const untold = this.#untold
    this.#quietUntil = now + this.#everyMs
    this.#untold = 0
    return untold
  }
}
