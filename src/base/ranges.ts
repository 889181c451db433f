/**
 * Heights as ranges. A range is half open, `[from, to)`, as PostgreSQL writes an int8range; a `HeightSet` is a
 * list of such ranges, ascending, not empty, not touching: the canonical form of an int8multirange.
 */

export interface HeightRange {
  readonly from: number
  readonly to: number
}

export type HeightSet = readonly HeightRange[]

/** Sorts, drops empty ranges and joins those that overlap or touch. */
export function normalize(ranges: Iterable<HeightRange>): HeightSet {
  const sorted = [...ranges].filter((r) => r.from < r.to).sort((a, b) => a.from - b.from)
  const out: HeightRange[] = []
  for (const range of sorted) {
    const last = out.at(-1)
    if (last !== undefined && range.from <= last.to) {
      if (range.to > last.to) out[out.length - 1] = { from: last.from, to: range.to }
    } else out.push({ from: range.from, to: range.to })
  }
  return out
}

export function union(a: HeightSet, b: HeightSet): HeightSet {
  return normalize([...a, ...b])
}

/** What is in `a` and not in `b`. */
export function difference(a: HeightSet, b: HeightSet): HeightSet {
  const out: HeightRange[] = []
  let j = 0
  for (const range of a) {
    let from = range.from
    while (j < b.length && (b[j] as HeightRange).to <= from) j++
    for (let k = j; k < b.length; k++) {
      const hole = b[k] as HeightRange
      if (hole.from >= range.to) break
      if (hole.from > from) out.push({ from, to: hole.from })
      from = Math.max(from, hole.to)
    }
    if (from < range.to) out.push({ from, to: range.to })
  }
  return out
}

export function intersection(a: HeightSet, b: HeightSet): HeightSet {
  const out: HeightRange[] = []
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    const x = a[i] as HeightRange
    const y = b[j] as HeightRange
    const from = Math.max(x.from, y.from)
    const to = Math.min(x.to, y.to)
    if (from < to) out.push({ from, to })
    if (x.to < y.to) i++
    else j++
  }
  return out
}

export function contains(set: HeightSet, height: number): boolean {
  return set.some((r) => r.from <= height && height < r.to)
}

/** How many heights a set holds. */
export function size(set: HeightSet): number {
  return set.reduce((sum, r) => sum + (r.to - r.from), 0)
}

/** Cuts a range into pieces of at most `length` heights, ascending. */
export function split(range: HeightRange, length: number): HeightRange[] {
  const out: HeightRange[] = []
  for (let from = range.from; from < range.to; from += length) out.push({ from, to: Math.min(range.to, from + length) })
  return out
}

/** PostgreSQL's text form of an int8multirange: `{[1,5),[7,9)}`. */
export function toMultirange(set: HeightSet): string {
  return `{${set.map((r) => `[${r.from},${r.to})`).join(',')}}`
}

/** Reads the text form that PostgreSQL prints; it always prints the canonical half-open form. */
export function parseMultirange(text: string): HeightSet {
  const out: HeightRange[] = []
  for (const match of text.matchAll(/\[(-?\d+),(-?\d+)\)/g)) out.push({ from: Number(match[1]), to: Number(match[2]) })
  return out
}
