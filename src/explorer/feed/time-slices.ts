import { setImmediate as nextIteration } from 'node:timers/promises'

/**
 * Runs many short steps, of one caller or of thousands, in slices: when a slice is over, the event loop handles
 * everything else first. Callers that wait for the next slice resume in the order in which they came.
 */
export class TimeSlices {
  readonly #sliceMs: number
  #begun = 0
  /** Steps of this slice: there is always one. */
  #steps = 0
  #next: Promise<void> | undefined

  /**
   * @param sliceMs the longest time without an iteration of the event loop, beside that of one step, in milliseconds
   */
  constructor(sliceMs = 5) {
    this.#sliceMs = sliceMs
  }

  /** Resolves when a step may run. */
  async take(): Promise<void> {
    while (!this.tryTake()) await (this.#next ??= this.#begin())
  }

  /** Whether a step may run now; cheaper than a promise for each of many short steps. */
  tryTake(): boolean {
    if (this.#steps > 0 && performance.now() - this.#begun > this.#sliceMs) return false
    this.#steps++
    return true
  }

  async #begin(): Promise<void> {
    await nextIteration()
    this.#begun = performance.now()
    this.#steps = 0
    this.#next = undefined
  }
}
