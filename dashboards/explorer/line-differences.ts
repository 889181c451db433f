/** A line of two texts: in both, only in the old one, only in the new one. */
export interface DifferentLine {
  readonly kind: 'same' | 'old' | 'new'
  readonly text: string
}

/** Beyond so many edits the texts have little in common, and the rest is shown as replaced. */
const mostEdits = 2000

/**
 * The least changes that make a text of lines into another (Myers' greedy algorithm, O((N + M) D)). Where there are more
 * than `mostEdits`, everything between the common start and end is told as replaced.
 */
export function compareLines(before: string, after: string): DifferentLine[] {
  const a = before.split('\n')
  const b = after.split('\n')
  let start = 0
  while (start < a.length && start < b.length && a[start] === b[start]) start++
  let end = 0
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end++
  const same = (lines: readonly string[]): DifferentLine[] => lines.map((text) => ({ kind: 'same', text }))
  return [
    ...same(a.slice(0, start)),
    ...compareMiddle(a.slice(start, a.length - end), b.slice(start, b.length - end)),
    ...same(a.slice(a.length - end)),
  ]
}

function compareMiddle(a: readonly string[], b: readonly string[]): DifferentLine[] {
  const furthest = new Map<number, number>([[1, 0]])
  const trace: Map<number, number>[] = []
  const at = (k: number): number => furthest.get(k) ?? -1
  for (let edits = 0; edits <= Math.min(a.length + b.length, mostEdits); edits++) {
    trace.push(new Map(furthest))
    for (let k = -edits; k <= edits; k += 2) {
      let x = k === -edits || (k !== edits && at(k - 1) < at(k + 1)) ? at(k + 1) : at(k - 1) + 1
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x++
      furthest.set(k, x)
      if (x >= a.length && x - k >= b.length) return walkBack(a, b, trace)
    }
  }
  return [...a.map((text) => ({ kind: 'old' as const, text })), ...b.map((text) => ({ kind: 'new' as const, text }))]
}

function walkBack(a: readonly string[], b: readonly string[], trace: readonly Map<number, number>[]): DifferentLine[] {
  const lines: DifferentLine[] = []
  let x = a.length
  let y = b.length
  for (let edits = trace.length - 1; edits >= 0; edits--) {
    const at = (k: number): number => trace[edits]?.get(k) ?? -1
    const k = x - y
    const from = k === -edits || (k !== edits && at(k - 1) < at(k + 1)) ? k + 1 : k - 1
    const x0 = at(from)
    const y0 = x0 - from
    while (x > x0 && y > y0 && x > 0 && y > 0) {
      lines.push({ kind: 'same', text: a[--x] ?? '' })
      y--
    }
    if (edits === 0) break
    if (x === x0) lines.push({ kind: 'new', text: b[--y] ?? '' })
    else lines.push({ kind: 'old', text: a[--x] ?? '' })
  }
  return lines.toReversed()
}
