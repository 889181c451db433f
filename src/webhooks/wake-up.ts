import { pause } from '../platform/retry.ts'

/** Lets one loop sleep until somebody wakes it; a call that comes while it is awake is remembered. */
export class WakeUp {
  #isWanted = false
  #waiting: AbortController | undefined

  wake(): void {
    this.#isWanted = true
    this.#waiting?.abort()
  }

  /** Resolves when it was woken since the last time, after `ms`, or when the signal is aborted. */
  async wait(ms: number, signal: AbortSignal): Promise<void> {
    if (!this.#isWanted && !signal.aborted) {
      const waiting = new AbortController()
      this.#waiting = waiting
      // Being woken is no failure.
      await pause(ms, AbortSignal.any([signal, waiting.signal])).catch(() => undefined)
      this.#waiting = undefined
    }
    this.#isWanted = false
  }
}
