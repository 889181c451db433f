import type { HeightRange, HeightSet } from '../../base/ranges.ts'

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

/** How many heights of a set are in each cell. Linear in the pieces of the set that lie between the borders, and in the cells. */
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
 * The part of each cell that a set holds, from 0 to 1 with two decimals. Only what is empty is 0 and only what is full is
 * 1, so that neither the smallest hole nor the smallest piece is rounded away.
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
