import type { DifferentLine } from './line-differences.ts'

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
