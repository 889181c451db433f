import { askerLeft, tooBusy } from '../sql-errors.ts'

interface Waiting {
  readonly start: () => void
}

/** Lets so many do something at the same time, has so many others wait in the order in which they came, and refuses the rest. */
export class Turns {
  readonly #most: number
  readonly #mostWaiting: number
  readonly #waiting = new Set<Waiting>()
  #running = 0

  constructor(most: number, mostWaiting: number) {
    this.#most = most
    this.#mostWaiting = mostWaiting
  }

  /**
   * Waits for a turn, which ends when what is returned is called.
   * @throws ApiError `sql-busy` when too many wait already, or when the turn has not come within `longestWaitMs`; `sql-cancelled`
   */
  async take(longestWaitMs: number, signal?: AbortSignal): Promise<() => void> {
    if (signal?.aborted === true) throw askerLeft(signal.reason)
    if (this.#running < this.#most) this.#running += 1
    else await this.#wait(longestWaitMs, signal)
    return () => this.#end()
  }

  /** The turn of one that ends goes straight to the one that waits longest. */
  #end(): void {
    const [next] = this.#waiting
    if (next === undefined) this.#running -= 1
    else {
      this.#waiting.delete(next)
      next.start()
    }
  }

  async #wait(longestWaitMs: number, signal: AbortSignal | undefined): Promise<void> {
    if (this.#waiting.size >= this.#mostWaiting) throw tooBusy(1)
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const waiting: Waiting = { start: resolve }
    this.#waiting.add(waiting)
    const timer = setTimeout(() => reject(tooBusy(5)), longestWaitMs)
    const leave = (): void => reject(askerLeft(signal?.reason))
    signal?.addEventListener('abort', leave)
    try {
      await promise
    } finally {
      clearTimeout(timer)
      signal?.removeEventListener('abort', leave)
      this.#waiting.delete(waiting)
    }
  }
}
