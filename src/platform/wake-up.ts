/** Lets one loop sleep until a time or until somebody calls; a call that comes while it is awake counts for its next sleep. */
export class WakeUp {
  #isCalled = false
  #resolve: (() => void) | undefined

  call(): void {
    this.#isCalled = true
    this.#resolve?.()
  }

  /** @returns whether it was called, rather than `ms` gone by or the signal aborted */
  async sleep(ms: number, signal: AbortSignal): Promise<boolean> {
    if (!this.#isCalled && !signal.aborted) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(done, ms)
        signal.addEventListener('abort', done, { once: true })
        this.#resolve = done
        function done(): void {
          clearTimeout(timer)
          signal.removeEventListener('abort', done)
          resolve()
        }
      })
      this.#resolve = undefined
    }
    const wasCalled = this.#isCalled
    this.#isCalled = false
    return wasCalled
  }
}
