import { asError, FlowfarmError, RetryableError } from '../platform/errors.ts'
import { backoffMs, pause } from '../platform/retry.ts'
import type { ChainSource } from '../access/chain-source.ts'
import type { FetchedBlock } from '../access/messages.ts'
import { NotYetError } from '../access/chain-source.ts'
import type { LostHeight } from './failing-heights.ts'

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

/** Longest pause after a failed try; and while a block is not there yet, since it may come any moment. */
const defaultMaxPauseMs = 5000
const longestHeadWaitMs = 1000

export interface FetchWindowOptions {
  readonly source: Pick<ChainSource, 'fetchBlock'>
  /** The next height to fetch, in the order in which they are to come out; undefined when there is none now. */
  readonly nextHeight: () => number | undefined
  /** Blocks under way or waiting at the start; the number that stays when `isFixed`. */
  readonly width: number
  readonly isFixed: boolean
  /** Bytes of blocks that wait or are expected, above which no further block is asked for. */
  readonly maxBytes: number
  /** Pauses after the first failed try, and at most, in milliseconds. Default 50 and 5,000. */
  readonly firstPauseMs?: number
  readonly maxPauseMs?: number | undefined
  readonly signal: AbortSignal
  readonly onRetry: (height: number, error: Error, pauseMs: number) => void
  /** Called after each failure. @returns what to hand out instead of trying again, where the height is given up */
  readonly onFailed?: ((height: number, error: Error, signal: AbortSignal) => Promise<Taken | undefined>) | undefined
  /** Called when nothing is tried any more for a height. */
  readonly onEnded?: ((height: number) => void) | undefined
}

/** A block, or a height that was given up. */
export type Taken = FetchedBlock | LostHeight

interface Slot {
  readonly height: number
  readonly controller: AbortController
  /** Bytes that the node has announced for it so far. */
  announced: number
  /** Ends the pause after a failed try; undefined while none is waited for. */
  tryNow?: (() => void) | undefined
  block?: Taken | undefined
  error?: Error
}

/**
 * Fetches blocks ahead, several at a time, and hands them out in order.
 *
 * The width adapts (`AdaptiveWidth`) unless it is fixed. Memory is bounded by bytes, not by blocks: a node announces
 * the length of an answer before it comes, and when what is announced and what waits exceeds `maxBytes`, the fetches
 * furthest ahead are given up and asked for again later.
 * The first block in order is never given up, so a single block of any size gets through.
 */
export class FetchWindow {
  readonly #options: FetchWindowOptions
  readonly #slots: Slot[] = []
  /** Heights that were given up for lack of room, to be asked for before any new one; in order. */
  readonly #postponed: number[] = []
  readonly #waiting = new Set<() => void>()
  readonly #adaptive: AdaptiveWidth | undefined
  /** Bytes of a block as expected from the last ones: rises at once, falls slowly. */
  #expectedBytes = 0

  constructor(options: FetchWindowOptions) {
    this.#options = options
    this.#adaptive = options.isFixed ? undefined : new AdaptiveWidth(options.width)
    options.signal.addEventListener('abort', this.#stop, { once: true })
  }

  /** Blocks that may be under way or waiting. */
  get width(): number {
    return this.#adaptive?.value ?? this.#options.width
  }

  /** Bytes that wait or were announced. */
  get bytes(): number {
    return this.#slots.reduce((sum, slot) => sum + (bytesOf(slot.block) ?? slot.announced), 0)
  }

  /** Whether nothing is under way, waits, or was postponed. */
  get isEmpty(): boolean {
    return this.#slots.length === 0 && this.#postponed.length === 0
  }

  /** Whether `take` would answer at once. */
  get isNextReady(): boolean {
    const first = this.#slots[0]
    return first?.block !== undefined || first?.error !== undefined
  }

  /** Asks for as many blocks as there is room for; to be called when new heights may be there. */
  fill(): void {
    let bytes = this.bytes
    const unannounced = this.#slots.filter((slot) => slot.block === undefined && slot.announced === 0).length
    let expected = unannounced * this.#expectedBytes
    while (this.#slots.length < this.width) {
      if (this.#slots.length > 0 && bytes + expected + this.#expectedBytes > this.#options.maxBytes) return
      const height = this.#postponed.shift() ?? this.#options.nextHeight()
      if (height === undefined) return
      const slot: Slot = { height, controller: new AbortController(), announced: 0 }
      this.#slots.push(slot)
      void this.#fetch(slot)
      bytes = this.bytes
      expected += this.#expectedBytes
    }
  }

  /** Resolves with true when the next block is ready, with false after `ms` milliseconds. */
  async waitReady(ms: number): Promise<boolean> {
    this.fill()
    if (this.isNextReady) return true
    this.#options.signal.throwIfAborted()
    const woken = Promise.withResolvers<void>()
    const timer = setTimeout(woken.resolve, ms)
    this.#waiting.add(woken.resolve)
    await woken.promise
    this.#waiting.delete(woken.resolve)
    clearTimeout(timer)
    this.#options.signal.throwIfAborted()
    return this.isNextReady
  }

  /** The next block in order, which must be ready (`isNextReady`). @throws the error that it ended with */
  take(): Taken {
    const slot = this.#slots[0]
    if (slot?.error !== undefined) throw slot.error
    if (slot?.block === undefined) throw new Error('take() needs isNextReady')
    const { block } = slot
    // A slot that is gone may still be reachable for the garbage collector; its block must not be.
    slot.block = undefined
    this.#slots.shift()
    this.#adaptive?.taken()
    this.fill()
    return block
  }

  /** Gives up everything that is under way. */
  close(): void {
    this.#options.signal.removeEventListener('abort', this.#stop)
    for (const slot of this.#slots) slot.controller.abort(new Error('the window was closed'))
    this.#slots.length = 0
  }

  readonly #stop = (): void => {
    this.close()
    for (const wake of this.#waiting) wake()
  }

  async #fetch(slot: Slot): Promise<void> {
    const { signal } = slot.controller
    const onAnswerLength = (bytes: number): void => {
      slot.announced += bytes
      this.#makeRoom()
    }
    for (let attempt = 1; ; attempt++) {
      slot.announced = 0
      const started = performance.now()
      try {
        const block = await this.#options.source.fetchBlock(slot.height, signal, onAnswerLength)
        slot.block = block
        this.#adaptive?.fetched(performance.now() - started)
        this.#expectedBytes = Math.max(block.byteLength, this.#expectedBytes * 0.99)
        break
      } catch (error) {
        if (signal.aborted) return
        // What is not of our tree comes from reading the block, and is a failure of its height like any other.
        if (error instanceof FlowfarmError && !(error instanceof RetryableError)) {
          slot.error = error
          break
        }
        slot.announced = 0
        this.#adaptive?.failed()
        slot.block = await this.#givenUp(slot.height, asError(error), signal)
        if (signal.aborted) return
        if (slot.block !== undefined) {
          // The next height of a run that fails for one cause is given up as soon as it fails again.
          this.#slots[this.#slots.indexOf(slot) + 1]?.tryNow?.()
          break
        }
        const { firstPauseMs = 50, maxPauseMs = defaultMaxPauseMs } = this.#options
        const pauseMs = backoffMs(attempt, firstPauseMs, error instanceof NotYetError ? longestHeadWaitMs : maxPauseMs)
        this.#options.onRetry(slot.height, asError(error), pauseMs)
        const pausing = new AbortController()
        slot.tryNow = () => pausing.abort()
        await pause(pauseMs, AbortSignal.any([signal, pausing.signal])).catch(() => undefined)
        slot.tryNow = undefined
        if (signal.aborted) return // closed or stopped while it waited
      }
    }
    this.#options.onEnded?.(slot.height)
    if (slot === this.#slots[0]) for (const wake of this.#waiting) wake()
  }

  /** A failure to record a failure is no reason to stop: the height is tried again. */
  async #givenUp(height: number, error: Error, signal: AbortSignal): Promise<Taken | undefined> {
    try {
      return await this.#options.onFailed?.(height, error, signal)
    } catch (thrown) {
      if (!signal.aborted) this.#options.onRetry(height, asError(thrown), 0)
      return undefined
    }
  }

  /** Gives up the fetches furthest ahead until the rest fits; never the first. */
  #makeRoom(): void {
    while (this.#slots.length > 1 && this.bytes > this.#options.maxBytes) {
      const last = this.#slots.pop() as Slot
      last.controller.abort(new Error('given up for lack of memory, to be fetched later'))
      this.#postponed.unshift(last.height)
    }
  }
}

function bytesOf(taken: Taken | undefined): number | undefined {
  return taken === undefined || 'lostHeight' in taken ? undefined : taken.byteLength
}
