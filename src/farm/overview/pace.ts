import type { HeightRange, HeightSet } from '../../platform/ranges.ts'

interface Sample {
  /** Milliseconds on any clock that never goes back. */
  readonly at: number
  readonly covered: number
}

/** The pace is taken over this time, so that it is steady to look at and follows a change. */
const windowMs = 30_000

/** Below this it would say more about the moment of the sample than about the pace. */
const minMs = 2000

/** The last samples of how much is covered, of each stage; what is older than the window is forgotten. */
export class PaceSamples {
  readonly #samples = new Map<string, Sample[]>()

  /** Once coverage shrinks (a rollback, a range that was reopened) the count begins anew. */
  add(stage: string, at: number, covered: number): void {
    const before = this.#samples.get(stage) ?? []
    const kept = before.filter((sample) => at - sample.at <= windowMs)
    const last = kept.at(-1)
    const hasShrunk = last !== undefined && last.covered > covered
    this.#samples.set(stage, hasShrunk ? [{ at, covered }] : [...kept, { at, covered }])
  }

  /** Heights per second; null while there are too few samples to tell. */
  rate(stage: string): number | null {
    const samples = this.#samples.get(stage) ?? []
    const [first] = samples
    const last = samples.at(-1)
    if (first === undefined || last === undefined || last.at - first.at < minMs) return null
    return Math.round((100_000 * (last.covered - first.covered)) / (last.at - first.at)) / 100
  }
}

/**
 * Whole seconds until what is owed is done at a rate, but for the heights that are flagged, which wait for a person;
 * null while that cannot be told, and when nothing else is owed.
 */
export function etaSeconds(owed: number, flagged: number, rate: number | null): number | null {
  if (owed === 0) return 0
  const left = owed - flagged
  return left <= 0 || rate === null || rate <= 0 ? null : Math.ceil(left / rate)
}

/**
 * Cuts a range into cells of about the same length, lowest first. There are fewer than `count` when the range has fewer
 * heights, since a cell has at least one.
 * @returns the borders: cell i is from border i to border i + 1
 */
export function cellBorders({ from, to }: HeightRange, count: number): number[] {
  const length = Math.max(0, to - from)
  const cells = Math.min(count, length)
  return Array.from({ length: cells + 1 }, (_, i) => (cells === 0 ? from : from + Math.floor((i * length) / cells)))
}

/**
 * How many heights of a set are in each cell. Linear in the pieces of the set that lie between the borders, and in
 * the cells.
 */
export function heightsPerCell(set: HeightSet, borders: readonly number[]): number[] {
  let i = firstEndingAbove(set, borders[0] ?? 0)
  return borders.slice(1).map((to, cell) => {
    const from = borders[cell] ?? 0
    let held = 0
    for (let range = set[i]; range !== undefined && range.from < to; range = set[++i]) {
      held += Math.min(range.to, to) - Math.max(range.from, from)
      // It goes on in the next cell.
      if (range.to > to) break
    }
    return held
  })
}

/**
 * The part of each cell that a set holds, from 0 to 1 with two decimals. Only what is empty is 0 and only what is
 * full is 1, so that neither the smallest hole nor the smallest piece is rounded away.
 */
export function partsPerCell(set: HeightSet, borders: readonly number[]): number[] {
  return heightsPerCell(set, borders).map((held, cell) => {
    const length = (borders[cell + 1] ?? 0) - (borders[cell] ?? 0)
    if (held === 0 || held === length) return held === 0 ? 0 : 1
    return Math.min(0.99, Math.max(0.01, Math.round((100 * held) / length) / 100))
  })
}

/** Index of the first range that ends above a height. */
function firstEndingAbove(set: HeightSet, height: number): number {
  let low = 0
  let high = set.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((set[middle]?.to ?? Infinity) > height) high = middle
    else low = middle + 1
  }
  return low
}
