import type { HeightRange, HeightSet } from '../../platform/ranges.ts'

interface Sample {
  /** Milliseconds of a monotonic clock. */
  readonly at: number
  readonly covered: number
}

/** Averaging window: long enough to be steady, short enough to follow changes. */
const windowMs = 30_000

const minMs = 2000

/** Within the window. */
export class PaceSamples {
  readonly #samples = new Map<string, Sample[]>()

  /** Restarts when coverage shrinks (rollback, reopened range). */
  add(stage: string, at: number, covered: number): void {
    const before = this.#samples.get(stage) ?? []
    const kept = before.filter((sample) => at - sample.at <= windowMs)
    const last = kept.at(-1)
    const hasShrunk = last !== undefined && last.covered > covered
    this.#samples.set(stage, hasShrunk ? [{ at, covered }] : [...kept, { at, covered }])
  }

  /** Heights per second; null with too few samples. */
  rate(stage: string): number | null {
    const samples = this.#samples.get(stage) ?? []
    const [first] = samples
    const last = samples.at(-1)
    if (first === undefined || last === undefined || last.at - first.at < minMs) return null
    return Math.round((100_000 * (last.covered - first.covered)) / (last.at - first.at)) / 100
  }
}

/** Whole seconds, without flagged heights; null if unknown or nothing else is left. */
export function etaSeconds(backlog: number, flagged: number, rate: number | null): number | null {
  if (backlog === 0) return 0
  const left = backlog - flagged
  return left <= 0 || rate === null || rate <= 0 ? null : Math.ceil(left / rate)
}

/** Ascending. @returns the borders: cell i is from border i to border i + 1 */
export function cellBorders({ from, to }: HeightRange, count: number): number[] {
  const length = Math.max(0, to - from)
  const cells = Math.min(count, length)
  return Array.from({ length: cells + 1 }, (_, i) => (cells === 0 ? from : from + Math.floor((i * length) / cells)))
}

/** Linear in ranges and cells. */
export function heightsPerCell(set: HeightSet, borders: readonly number[]): number[] {
  let i = firstEndingAbove(set, borders[0] ?? 0)
  return borders.slice(1).map((to, cell) => {
    const from = borders[cell] ?? 0
    let held = 0
    for (let range = set[i]; range !== undefined && range.from < to; range = set[++i]) {
      held += Math.min(range.to, to) - Math.max(range.from, from)
      if (range.to > to) break
    }
    return held
  })
}

/** 0 to 1 with two decimals. Only empty cells are 0 and only full ones 1. */
export function partsPerCell(set: HeightSet, borders: readonly number[]): number[] {
  return heightsPerCell(set, borders).map((held, cell) => {
    const length = (borders[cell + 1] ?? 0) - (borders[cell] ?? 0)
    if (held === 0 || held === length) return held === 0 ? 0 : 1
    return Math.min(0.99, Math.max(0.01, Math.round((100 * held) / length) / 100))
  })
}

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
