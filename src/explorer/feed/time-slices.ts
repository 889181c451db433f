import { setImmediate as nextIteration } from 'node:timers/promises'

/**
 * Runs many short steps, of one caller or thousands, in slices, between which the event loop
 * handles other work. Waiting callers resume in FIFO order.
 */
export class TimeSlices {
  readonly #sliceMs: number
  #begun = 0
  /** Steps of the current slice; at least one always runs. */
  #steps = 0
  #next: Promise<void> | undefined

  /**
   * @param sliceMs maximum milliseconds without an iteration of the event loop, apart from the
   * current step
   */
  constructor(sliceMs = 5) {
    this.#sliceMs = sliceMs
  }

  /** Resolves when a step may run. */
  async take(): Promise<void> {
    while (!this.tryTake()) await (this.#next ??= this.#begin())
  }

  /** Cheaper than a promise per step. */
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
