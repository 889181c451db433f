import { asError, FlowfarmError, RetryableError } from '../platform/errors.ts'
import { backoffMs, pause } from '../platform/retry.ts'
import type { ChainSource } from '../access/chain-source.ts'
import type { FetchedBlock } from '../access/messages.ts'
import { NotYetError } from '../access/chain-source.ts'
import type { LostHeight } from './failing-heights.ts'

/** At 100 ms per block, more than PostgreSQL can store on a small machine. */
const maxWidth = 256
/** The best throughput of the last `slices` counts. */
const sliceMs = 250
const slices = 8
/** The shortest fetch within this time counts as the latency without queueing. */
const memoryMs = 10_000

/**
 * Twice the blocks consumed within the fetch latency, as in BBR (bandwidth × minimum round trip).
 * Halved after a failure, then recovered by one per fetched block.
 */
export class AdaptiveWidth {
  readonly #initial: number
  readonly #now: () => number
  #cap: number
  #sliceStart: number
  #takenInSlice = 0
  readonly #paces: number[] = []
  #shortest: { ms: number; at: number } | undefined

  /** @param initial also the minimum without failures */
  constructor(initial: number, now: () => number = () => performance.now()) {
    this.#initial = initial
    this.#now = now
    this.#cap = maxWidth
    this.#sliceStart = now()
  }

  get value(): number {
    return Math.max(1, Math.floor(Math.min(this.#cap, maxWidth, Math.max(this.#initial, this.#targetWidth()))))
  }

  fetched(ms: number): void {
    const now = this.#now()
    const isOld = this.#shortest === undefined || now - this.#shortest.at > memoryMs
    if (isOld || ms <= (this.#shortest?.ms ?? 0)) this.#shortest = { ms, at: now }
    this.#cap = Math.min(maxWidth, this.#cap + 1)
  }

  taken(): void {
    this.#takenInSlice++
    const elapsed = this.#now() - this.#sliceStart
    if (elapsed < sliceMs) return
    this.#paces.push(this.#takenInSlice / elapsed)
    if (this.#paces.length > slices) this.#paces.shift()
    this.#takenInSlice = 0
    this.#sliceStart = this.#now()
  }

  /** The node may be overloaded. */
  failed(): void {
    this.#cap = Math.max(1, this.value / 2)
  }

  #targetWidth(): number {
    if (this.#shortest === undefined) return this.#initial
    const pace = Math.max(0, ...this.#paces)
    return 2 * pace * this.#shortest.ms + 4
  }
}

/** Pause after failures, and while a block does not exist yet. */
const defaultMaxPauseMs = 5000
const maxHeadWaitMs = 1000

export interface FetchWindowOptions {
  readonly source: Pick<ChainSource, 'fetchBlock'>
  /** Heights in output order; undefined if none is available now. */
  readonly nextHeight: () => number | undefined
  /** Initial width; the permanent one if `isFixed`. */
  readonly width: number
  readonly isFixed: boolean
  readonly maxBytes: number
  readonly firstPauseMs?: number
  readonly maxPauseMs?: number | undefined
  readonly signal: AbortSignal
  readonly onRetry: (height: number, error: Error, pauseMs: number) => void
  /** @returns a replacement if the height is skipped */
  readonly onFailed?:
    | ((height: number, error: Error, signal: AbortSignal) => Promise<WindowEntry | undefined>)
    | undefined
  readonly onEnded?: ((height: number) => void) | undefined
}

export type WindowEntry = FetchedBlock | LostHeight

interface Slot {
  readonly height: number
  readonly controller: AbortController
  announced: number
  tryNow?: (() => void) | undefined
  block?: WindowEntry | undefined
  error?: Error
}

/**
 * Prefetches blocks in parallel and returns them in order. When announced and waiting bytes exceed
 * `maxBytes`, the fetches furthest ahead are cancelled and repeated later, never the first, so a
 * block of any size passes.
 */
export class FetchWindow {
  readonly #options: FetchWindowOptions
  readonly #slots: Slot[] = []
  /** Cancelled heights, fetched before new ones. */
  readonly #postponed: number[] = []
  readonly #waiting = new Set<() => void>()
  readonly #adaptive: AdaptiveWidth | undefined
  /** Per block: rises at once, falls slowly. */
  #expectedBytes = 0

  constructor(options: FetchWindowOptions) {
    this.#options = options
    this.#adaptive = options.isFixed ? undefined : new AdaptiveWidth(options.width)
    options.signal.addEventListener('abort', this.#stop, { once: true })
  }

  get width(): number {
    return this.#adaptive?.value ?? this.#options.width
  }

  get bytes(): number {
    return this.#slots.reduce((sum, slot) => sum + (bytesOf(slot.block) ?? slot.announced), 0)
  }

  get isEmpty(): boolean {
    return this.#slots.length === 0 && this.#postponed.length === 0
  }

  get isNextReady(): boolean {
    const first = this.#slots[0]
    return first?.block !== undefined || first?.error !== undefined
  }

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

  /** True when the next block is ready, false after `ms`. */
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

  /** Requires `isNextReady`. @throws the error of its fetch */
  take(): WindowEntry {
    const slot = this.#slots[0]
    if (slot?.error !== undefined) throw slot.error
    if (slot?.block === undefined) throw new Error('take() needs isNextReady')
    const { block } = slot
    // A removed slot may stay reachable; its block must not.
    slot.block = undefined
    this.#slots.shift()
    this.#adaptive?.taken()
    this.fill()
    return block
  }

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
      this.#cancelFurthest()
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
        // Errors of parsing count as failures of the height.
        if (error instanceof FlowfarmError && !(error instanceof RetryableError)) {
          slot.error = error
          break
        }
        slot.announced = 0
        this.#adaptive?.failed()
        slot.block = await this.#givenUp(slot.height, asError(error), signal)
        if (signal.aborted) return
        if (slot.block !== undefined) {
          // The next height of a run is skipped as soon as it fails again.
          this.#slots[this.#slots.indexOf(slot) + 1]?.tryNow?.()
          break
        }
        const { firstPauseMs = 50, maxPauseMs = defaultMaxPauseMs } = this.#options
        const pauseMs = backoffMs(attempt, firstPauseMs, error instanceof NotYetError ? maxHeadWaitMs : maxPauseMs)
        this.#options.onRetry(slot.height, asError(error), pauseMs)
        const pausing = new AbortController()
        slot.tryNow = () => pausing.abort()
        await pause(pauseMs, AbortSignal.any([signal, pausing.signal])).catch(() => undefined)
        slot.tryNow = undefined
        if (signal.aborted) return // closed during the delay
      }
    }
    this.#options.onEnded?.(slot.height)
    if (slot === this.#slots[0]) for (const wake of this.#waiting) wake()
  }

  /** Failing to record a failure is not fatal: the height is retried. */
  async #givenUp(height: number, error: Error, signal: AbortSignal): Promise<WindowEntry | undefined> {
    try {
      return await this.#options.onFailed?.(height, error, signal)
    } catch (thrown) {
      if (!signal.aborted) this.#options.onRetry(height, asError(thrown), 0)
      return undefined
    }
  }

  /** Cancels until the rest fits, but never the first. */
  #cancelFurthest(): void {
    while (this.#slots.length > 1 && this.bytes > this.#options.maxBytes) {
      const last = this.#slots.pop() as Slot
      last.controller.abort(new Error('postponed: memory limit reached'))
      this.#postponed.unshift(last.height)
    }
  }
}

function bytesOf(taken: WindowEntry | undefined): number | undefined {
  return taken === undefined || 'lostHeight' in taken ? undefined : taken.byteLength
}
