export interface BacklogOptions {
  /** Bytes of blocks that wait, above which there is no room. */
  readonly maxBytes: number
  /** How long nothing may be read before nobody is kept waiting any more, ms. Default 5,000. */
  readonly patienceMs?: number | undefined
  /** How long nobody is kept waiting then, ms. Default 60,000. */
  readonly restMs?: number | undefined
  /** Called when patience has run out. */
  readonly onGivenUp?: (() => void) | undefined
}

/**
 * The blocks that an ingester has handed over and that some worker of this process has yet to read. Who fills in
 * history waits for room: blocks that come faster than they are read would only be put out of memory and read back
 * from the database. It waits no longer than workers read. They may be held up or turned off, or another process
 * may have their ranges: of none of this does storing depend.
 *
 *     room ──maxBytes wait──► no room ──blocks are read by all──► room
 *                                 └──none is read for patienceMs──► resting: nothing waits ──restMs──► room
 */
export class Backlog {
  readonly #maxBytes: number
  readonly #patienceMs: number
  readonly #restMs: number
  readonly #onGivenUp: () => void
  /** What waits weighs, by height. */
  readonly #waiting = new Map<number, number>()
  readonly #wakes = new Set<() => void>()
  #bytes = 0
  #readAt = -Infinity
  #restsUntil = -Infinity

  constructor({ maxBytes, patienceMs = 5000, restMs = 60_000, onGivenUp = () => undefined }: BacklogOptions) {
    this.#maxBytes = maxBytes
    this.#patienceMs = patienceMs
    this.#restMs = restMs
    this.#onGivenUp = onGivenUp
  }

  /** Bytes of the blocks that wait. */
  get bytes(): number {
    return this.#bytes
  }

  get hasRoom(): boolean {
    return this.#bytes < this.#maxBytes
  }

  /** A block was handed over. */
  add(height: number, bytes: number): void {
    if (performance.now() < this.#restsUntil) return
    this.remove(height)
    this.#waiting.set(height, bytes)
    this.#bytes += bytes
  }

  /** A worker read blocks from `from` to `to`, exclusive. */
  read(from: number, to: number): void {
    for (let height = from; height < to; height++) {
      if (!this.#waiting.has(height)) continue
      this.#readAt = performance.now()
      return
    }
  }

  /** Nobody will read a block any more, or not from memory. */
  remove(height: number): void {
    const bytes = this.#waiting.get(height)
    if (bytes === undefined) return
    this.#waiting.delete(height)
    this.#bytes -= bytes
    if (this.hasRoom) this.#wake()
  }

  clear(): void {
    this.#waiting.clear()
    this.#bytes = 0
    this.#wake()
  }

  /** Resolves when there is room, or when it is not worth waiting. @throws the signal's reason */
  async room(signal: AbortSignal): Promise<void> {
    const since = performance.now()
    while (!this.hasRoom) {
      signal.throwIfAborted()
      const patienceLeftMs = Math.max(since, this.#readAt) + this.#patienceMs - performance.now()
      if (patienceLeftMs <= 0) this.#giveUp()
      else await this.#nextChange(patienceLeftMs, signal)
    }
    signal.throwIfAborted()
  }

  #giveUp(): void {
    this.#restsUntil = performance.now() + this.#restMs
    this.clear()
    this.#onGivenUp()
  }

  async #nextChange(ms: number, signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const wake = (): void => resolve()
    const timer = setTimeout(wake, ms)
    this.#wakes.add(wake)
    signal.addEventListener('abort', wake)
    await promise
    signal.removeEventListener('abort', wake)
    this.#wakes.delete(wake)
    clearTimeout(timer)
  }

  #wake(): void {
    for (const wake of this.#wakes) wake()
  }
}
