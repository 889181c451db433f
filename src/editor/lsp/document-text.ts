import { isObject } from './json-rpc.ts'

/** Changes that cannot be applied to the text that is there. */
export class BadChange extends Error {}

/**
 * Applies the `contentChanges` of `textDocument/didChange`, in their order. Positions count UTF-16 units, which is what JavaScript counts, and a
 * character beyond the end of its line means the end, as LSP says; a line beyond the last one means the end of the text.
 * @param mostUnits longest text on the way, in UTF-16 units
 * @throws BadChange
 */
export function applyChanges(text: string, changes: unknown, mostUnits = Number.POSITIVE_INFINITY): string {
  if (!Array.isArray(changes)) throw new BadChange('contentChanges: give a list')
  let changed = text
  for (const change of changes as readonly unknown[]) {
    if (!isObject(change) || typeof change['text'] !== 'string') throw new BadChange('contentChanges: each needs a text')
    const { range, text: put } = change
    if (range === undefined || range === null) changed = put
    else {
      if (!isObject(range)) throw new BadChange('contentChanges: a range has start and end')
      const [start, end] = [offsetOf(changed, range['start']), offsetOf(changed, range['end'])]
      if (end < start) throw new BadChange('contentChanges: a range ends before it starts')
      changed = changed.slice(0, start) + put + changed.slice(end)
    }
    if (changed.length > mostUnits) return changed
  }
  return changed
}

/** Where a position is in a text, in UTF-16 units. Lines end with \n, \r\n or \r. */
export function offsetOf(text: string, position: unknown): number {
  if (!isObject(position)) throw new BadChange('position: give line and character')
  const { line, character } = position
  if (!isCount(line) || !isCount(character)) throw new BadChange('position: line and character are integers from 0')
  let start = 0
  for (let left = line; left > 0; left--) {
    const next = lineEnd(text, start)
    if (next === text.length) return next
    start = next + (text.startsWith('\r\n', next) ? 2 : 1)
  }
  return Math.min(start + character, lineEnd(text, start))
}

function lineEnd(text: string, from: number): number {
  const feed = text.indexOf('\n', from)
  const end = feed < 0 ? text.length : feed
  // Looked for within the line alone: a text without any \r would otherwise be read to its end for each line.
  const turn = text.slice(from, end).indexOf('\r')
  return turn < 0 ? end : from + turn
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0
}
