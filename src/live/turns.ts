import { setImmediate as nextTurn } from 'node:timers/promises'

/**
 * Turns of work that is done in many short steps, by one or by thousands at the same time: when a turn is over, whatever else the
 * process has to do comes first. Those that wait go on in the order in which they came.
 */
export class Turns {
  readonly #turnMs: number
  #begun = 0
  /** Steps of this turn: there is always one. */
  #steps = 0
  #next: Promise<void> | undefined

  /** @param turnMs how long work may keep the event loop from everything else at a time, in milliseconds */
  constructor(turnMs = 5) {
    this.#turnMs = turnMs
  }

  /** Resolves when a step may be done. */
  async take(): Promise<void> {
    while (!this.tryTake()) await (this.#next ??= this.#begin())
  }

  /** Whether a step may be done at once; for many short steps, each of which a promise would make dearer. */
  tryTake(): boolean {
    if (this.#steps > 0 && performance.now() - this.#begun > this.#turnMs) return false
    this.#steps++
    return true
  }

  async #begin(): Promise<void> {
    await nextTurn()
    this.#begun = performance.now()
    this.#steps = 0
    this.#next = undefined
  }
}
