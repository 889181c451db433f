import { diffArrays } from 'diff'

export interface DifferentLine {
  readonly kind: 'same' | 'old' | 'new'
  readonly text: string
}

/** Rendering takes 20 to 80 ms at the limit. */
export const maxEdits = 500

/** Edits × lines: each of the 2 × edits + 1 diagonals of the comparison can visit every line. */
const maxEditedLines = 10_000_000

/** Texts that only add or only remove lines need no search. */
export const maxOneSidedLines = 5000

/** @returns `undefined` if the texts differ by more than the limits */
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
  // Numbers make long equal lines cheap to compare.
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

/** Counted from 1; undefined if the line is not in that text. */
export interface NumberedLine extends DifferentLine {
  readonly before: number | undefined
  readonly after: number | undefined
}

export interface LineHunk {
  readonly lines: readonly NumberedLine[]
  readonly skipped: number
}

/** @param context unchanged lines on each side */
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
