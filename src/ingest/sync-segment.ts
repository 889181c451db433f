import type { FetchedBlock } from '../access/messages.ts'
import { size } from '../platform/ranges.ts'
import type { HeightSet } from '../platform/ranges.ts'

/** One stretch of work: which heights, in which order, and what must hold between neighbours. */
export interface Stretch {
  /** Of the ingester's checkpoint when the stretch was planned; a rollback in between undoes its commits. */
  readonly generation: number
  /** The next height to fetch; undefined when there is none now. */
  readonly nextHeight: () => number | undefined
  /** Blocks that could be fetched right now, besides those under way: decides how large commits should be. */
  readonly waiting: () => number
  /** Calls `wake` when `nextHeight` may have more; returns how to stop that. */
  readonly onMore: (wake: () => void) => () => void
  /** True when everything was handed out and nothing will come. */
  readonly isOver: () => boolean
  /** Checks that a block fits to its stored neighbour. @throws ForkError or RetryableError */
  readonly check: (block: FetchedBlock, previous: FetchedBlock | undefined) => Promise<void>
  /**
   * Set where heights fall: only the block below tells whether a block names its true parent, so each is held back
   * until that has come. @param below undefined when none will come @throws RetryableError
   */
  readonly confirm?: (block: FetchedBlock, below: FetchedBlock | undefined) => Promise<void>
  /** Checked now and then while there is nothing to do: that the chain is still the stored one. @throws ForkError */
  readonly inspect?: () => Promise<void>
}

/** The heights of a set, one by one, from the lowest up or from the highest down. */
export class HeightWalk {
  /** What is still to be walked, the current range first. */
  readonly #ranges: { from: number; to: number }[]
  readonly #isUp: boolean
  #left: number

  constructor(heights: HeightSet, direction: 'up' | 'down') {
    this.#isUp = direction === 'up'
    this.#ranges = (this.#isUp ? heights : heights.toReversed()).map(({ from, to }) => ({ from, to }))
    this.#left = size(heights)
  }

  /** Heights that were not taken yet. */
  get left(): number {
    return this.#left
  }

  /** The height that `take` would give; undefined at the end. */
  get next(): number | undefined {
    const range = this.#ranges[0]
    if (range === undefined) return undefined
    return this.#isUp ? range.from : range.to - 1
  }

  take(): number | undefined {
    const height = this.next
    const range = this.#ranges[0]
    if (range === undefined) return undefined
    if (this.#isUp) range.from++
    else range.to--
    if (range.from >= range.to) this.#ranges.shift()
    this.#left--
    return height
  }
}
