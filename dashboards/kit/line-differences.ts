import { diffArrays } from 'diff'

/** A line of two texts: in both, only in the old one, only in the new one. */
export interface DifferentLine {
  readonly kind: 'same' | 'old' | 'new'
  readonly text: string
}

/** Above this many changed lines nothing is compared: 20 to 80 ms of rendering at the limit. */
export const maxEdits = 500

/**
 * Bounds edits × lines for texts with more than 20,000 lines between the common start and end: each of the
 * 2 × edits + 1 diagonals of the comparison can pass over every line.
 */
const maxEditedLines = 10_000_000

/** Lines that are only added or only removed need no search, just space on the page. */
export const maxOneSidedLines = 5000

/**
 * The shortest list of changes from one text to another, line by line.
 * @returns `undefined` if the texts differ in more lines than the limits above allow
 */
export function compareLines(before: string, after: string): DifferentLine[] | undefined {
  const a = before.split('\n')
  const b = after.split('\n')
  let start = 0
  while (start < a.length && start < b.length && a[start] === b[start]) start++
  let end = 0
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end++
  const middle = compareMiddle(a.slice(start, a.length - end), b.slice(start, b.length - end))
  if (middle === undefined) return undefined
  return [a.slice(0, start).map(sameLine), middle, a.slice(a.length - end).map(sameLine)].flat()
}

function compareMiddle(a: readonly string[], b: readonly string[]): DifferentLine[] | undefined {
  if (a.length === 0 || b.length === 0) {
    if (a.length + b.length > maxOneSidedLines) return undefined
    return [...a.map((text) => ({ kind: 'old' as const, text })), ...b.map((text) => ({ kind: 'new' as const, text }))]
  }
  const maxEditLength = Math.min(maxEdits, Math.floor(maxEditedLines / (a.length + b.length)))
  if (Math.abs(a.length - b.length) > maxEditLength) return undefined
  // Lines are compared as numbers: long equal lines are read once instead of once per diagonal.
  const numbers = new Map<string, number>()
  const numberOf = (line: string): number => {
    const known = numbers.get(line)
    if (known === undefined) numbers.set(line, numbers.size)
    return known ?? numbers.size - 1
  }
  const changes = diffArrays(a.map(numberOf), b.map(numberOf), { maxEditLength })
  if (changes === undefined) return undefined
  const texts = [...numbers.keys()]
  return changes.flatMap(({ added, removed, value }) => {
    const kind = added ? 'new' : removed ? 'old' : 'same'
    return value.map((number) => ({ kind, text: texts[number] ?? '' }))
  })
}

function sameLine(text: string): DifferentLine {
  return { kind: 'same', text }
}

/** A line with its numbers in both texts, from 1; without the one of a text that it is not in. */
export interface NumberedLine extends DifferentLine {
  readonly before: number | undefined
  readonly after: number | undefined
}

/** Lines that are shown together; between two hunks everything stays the same. */
export interface LineHunk {
  readonly lines: readonly NumberedLine[]
  /** Lines left out before it. */
  readonly skipped: number
}

/**
 * The lines that changed, each with some that stay around it.
 * @param context so many lines that stay are kept on each side
 */
export function lineHunks(lines: readonly DifferentLine[], context: number): LineHunk[] {
  const isNear = lines.map(() => false)
  for (const [i, { kind }] of lines.entries()) {
    if (kind !== 'same') isNear.fill(true, Math.max(0, i - context), i + context + 1)
  }
  const hunks: { lines: NumberedLine[]; skipped: number }[] = []
  let [before, after, skipped] = [0, 0, 0]
  let current: NumberedLine[] | undefined
  for (const [i, line] of lines.entries()) {
    if (line.kind !== 'new') before++
    if (line.kind !== 'old') after++
    if (isNear[i] !== true) {
      current = undefined
      skipped++
      continue
    }
    if (current === undefined) {
      current = []
      hunks.push({ lines: current, skipped })
      skipped = 0
    }
    current.push({
      ...line,
      before: line.kind === 'new' ? undefined : before,
      after: line.kind === 'old' ? undefined : after,
    })
  }
  return hunks
}
