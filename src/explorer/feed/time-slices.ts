import { setImmediate as nextIteration } from 'node:timers/promises'

/** Lets the event loop handle other work between slices of short steps. FIFO. */
export class TimeSlices {
  readonly #sliceMs: number
  #startedAt = 0
  /** At least one step always runs. */
  #steps = 0
  #next: Promise<void> | undefined

  /** @param sliceMs excludes the current step */
  constructor(sliceMs = 5) {
    this.#sliceMs = sliceMs
  }

  async take(): Promise<void> {
    while (!this.tryTake()) await (this.#next ??= this.#begin())
  }

  /** Cheaper than a promise per step. */
  tryTake(): boolean {
    if (this.#steps > 0 && performance.now() - this.#startedAt > this.#sliceMs) return false
    this.#steps++
    return true
  }

  async #begin(): Promise<void> {
    await nextIteration()
    this.#startedAt = performance.now()
    this.#steps = 0
    this.#next = undefined
  }
}
