import { size } from '../platform/ranges.ts'
import type { HeightSet } from '../platform/ranges.ts'

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
