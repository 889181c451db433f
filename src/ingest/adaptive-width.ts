/** No window is wider: at 100 ms a block it is more than PostgreSQL can store on a small machine. */
const widest = 256
/** The pace is looked at in slices of this time, and the best of the last `slices` counts. */
const sliceMs = 250
const slices = 8
/** The shortest fetch of this time counts as what the node and the way to it need when nobody queues. */
const memoryMs = 10_000

/**
 * How many blocks to have under way: twice what the taker takes in the time that a fetch needs. That is enough to keep
 * the taker busy, and no more than that waits in memory. A wider window would not be faster: blocks would wait in a
 * queue, at the node or here. (BBR sets the window of a TCP connection so, too: bandwidth × shortest round trip.)
 *
 * After a failure the width is halved and given back step by step, one for each block that comes.
 */
export class AdaptiveWidth {
  readonly #initial: number
  readonly #now: () => number
  #cap: number
  #sliceStart: number
  #takenInSlice = 0
  readonly #paces: number[] = []
  #shortest: { ms: number; at: number } | undefined

  /** @param initial the width to begin with, and the least while nothing fails */
  constructor(initial: number, now: () => number = () => performance.now()) {
    this.#initial = initial
    this.#now = now
    this.#cap = widest
    this.#sliceStart = now()
  }

  /** The width to have now; at least 1. */
  get value(): number {
    return Math.max(1, Math.floor(Math.min(this.#cap, widest, Math.max(this.#initial, this.#wanted()))))
  }

  /** A block came, `ms` after it was asked for. */
  fetched(ms: number): void {
    const now = this.#now()
    const isOld = this.#shortest === undefined || now - this.#shortest.at > memoryMs
    if (isOld || ms <= (this.#shortest?.ms ?? 0)) this.#shortest = { ms, at: now }
    this.#cap = Math.min(widest, this.#cap + 1)
  }

  /** The taker took a block. */
  taken(): void {
    this.#takenInSlice++
    const elapsed = this.#now() - this.#sliceStart
    if (elapsed < sliceMs) return
    this.#paces.push(this.#takenInSlice / elapsed)
    if (this.#paces.length > slices) this.#paces.shift()
    this.#takenInSlice = 0
    this.#sliceStart = this.#now()
  }

  /** A fetch failed in a way that may pass: the node may have too much to do. */
  failed(): void {
    this.#cap = Math.max(1, this.value / 2)
  }

  #wanted(): number {
    if (this.#shortest === undefined) return this.#initial
    const pace = Math.max(0, ...this.#paces)
    return 2 * pace * this.#shortest.ms + 4
  }
}
