import type { FetchedBlock } from '../access/messages.ts'
import { size } from '../platform/ranges.ts'
import type { HeightSet } from '../platform/ranges.ts'

export interface SyncSegment {
  /** A rollback after planning invalidates the segment's commits. */
  readonly generation: number
  readonly nextHeight: () => number | undefined
  /** Blocks that could be fetched now, besides running fetches; determines the commit size. */
  readonly waiting: () => number
  /** Calls `wake` when `nextHeight` may return more. @returns unsubscribes */
  readonly onMore: (wake: () => void) => () => void
  /** All heights were returned and no more will come. */
  readonly isOver: () => boolean
  /** Checks that a block fits its stored neighbour. @throws ForkError or RetryableError */
  readonly check: (block: FetchedBlock, previous: FetchedBlock | undefined) => Promise<void>
  /**
   * For descending order: a block is held back until the block below arrives.
   * @param below undefined at the end
   * @throws RetryableError
   */
  readonly confirm?: (block: FetchedBlock, below: FetchedBlock | undefined) => Promise<void>
  /** Called while idle: checks that the chain is still the stored one. @throws ForkError */
  readonly inspect?: () => Promise<void>
}

export class HeightWalk {
  readonly #ranges: { from: number; to: number }[]
  readonly #isUp: boolean
  #left: number

  constructor(heights: HeightSet, direction: 'up' | 'down') {
    this.#isUp = direction === 'up'
    this.#ranges = (this.#isUp ? heights : heights.toReversed()).map(({ from, to }) => ({ from, to }))
    this.#left = size(heights)
  }

  get left(): number {
    return this.#left
  }

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
