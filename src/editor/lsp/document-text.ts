import { setImmediate as nextTurn } from 'node:timers/promises'
import { isObject } from '../language-server/json-rpc.ts'

export class BadChange extends Error {}

/** Up to this number of changes, scanning the text is cheaper than splitting it into lines. */
const maxSought = 4

const turnMs = 8

/**
 * In UTF-16 units. Positions beyond a line mean its end, lines beyond the text the end of the text.
 * @param maxUnits a longer text is returned at once. @throws BadChange; the signal's reason
 */
export async function applyChanges(
  text: string,
  changes: unknown,
  { maxUnits = Number.POSITIVE_INFINITY, signal }: { maxUnits?: number; signal?: AbortSignal } = {},
): Promise<string> {
  if (!Array.isArray(changes)) throw new BadChange('contentChanges: give a list')
  let changed: string | LineText = text
  let turnEnds = performance.now() + turnMs
  for (const change of changes as readonly unknown[]) {
    changed = applied(changed, change, changes.length > maxSought)
    if (changed.length > maxUnits) break
    if (performance.now() < turnEnds) continue
    await nextTurn()
    signal?.throwIfAborted()
    turnEnds = performance.now() + turnMs
  }
  return changed.toString()
}

function applied(text: string | LineText, change: unknown, isOneOfMany: boolean): string | LineText {
  if (!isObject(change) || typeof change['text'] !== 'string') throw new BadChange('contentChanges: text is required')
  const { range, text: put } = change
  if (range === undefined || range === null) return put
  if (!isObject(range)) throw new BadChange('contentChanges: a range needs start and end')
  if (isOneOfMany) {
    const lines = typeof text === 'string' ? new LineText(text) : text
    if (!lines.replace(positionOf(range['start']), positionOf(range['end']), put)) throw endsBeforeStart()
    return lines
  }
  const whole = text.toString()
  const [start, end] = [offsetOf(whole, range['start']), offsetOf(whole, range['end'])]
  if (end < start) throw endsBeforeStart()
  return whole.slice(0, start) + put + whole.slice(end)
}

function endsBeforeStart(): BadChange {
  return new BadChange('contentChanges: a range ends before it starts')
}

/** In UTF-16 units. Lines end with `\n`, `\r\n` or `\r`. */
export function offsetOf(text: string, position: unknown): number {
  const { line, character } = positionOf(position)
  let start = 0
  for (let left = line; left > 0; left--) {
    const next = lineEnd(text, start)
    if (next === text.length) return next
    start = next + (text.startsWith('\r\n', next) ? 2 : 1)
  }
  return Math.min(start + character, lineEnd(text, start))
}

function positionOf(position: unknown): LinePosition {
  if (!isObject(position)) throw new BadChange('position: line and character are required')
  const { line, character } = position
  if (!isCount(line) || !isCount(character)) throw new BadChange('position: line and character are integers from 0')
  return { line, character }
}

function lineEnd(text: string, from: number): number {
  const feed = text.indexOf('\n', from)
  const end = feed < 0 ? text.length : feed
  // Within the line only: without any `\r`, every search would read to the end of the text.
  const turn = text.slice(from, end).indexOf('\r')
  return turn < 0 ? end : from + turn
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0
}

interface LinePosition {
  readonly line: number
  readonly character: number
}

/** Below the maximum number of call arguments. */
const maxSpliced = 10_000

/** The cost of a change does not depend on the length of the text. */
class LineText {
  /** With line ends; the last line has none. */
  #lines: string[]
  #length: number

  constructor(text: string) {
    this.#lines = linesOf(text)
    this.#length = text.length
  }

  get length(): number {
    return this.#length
  }

  /** @returns false if the end is before the start */
  replace(start: LinePosition, end: LinePosition, put: string): boolean {
    const [from, to] = [this.#within(start), this.#within(end)]
    if (to.line < from.line || (to.line === from.line && to.character < from.character)) return false
    const [before, behind] = [this.#line(from.line).slice(0, from.character), this.#line(to.line).slice(to.character)]
    this.#length += before.length + put.length + behind.length - this.#lengthOf(from.line, to.line)
    if (!/[\r\n]/.test(put) && from.line === to.line && (before !== '' || put !== '')) {
      this.#lines[from.line] = before + put + behind
      return true
    }
    let text = before + put + behind
    let first = from.line
    // A `\r` and a `\n` become one line end.
    if (text.startsWith('\n') && first > 0 && this.#line(first - 1).endsWith('\r')) text = this.#line(--first) + text
    const isLast = to.line === this.#lines.length - 1
    const lines = linesOf(text)
    this.#put(first, to.line + 1, isLast ? lines : lines.slice(0, -1))
    return true
  }

  toString(): string {
    return this.#lines.join('')
  }

  #within({ line, character }: LinePosition): LinePosition {
    const last = this.#lines.length - 1
    if (line > last) return { line: last, character: this.#line(last).length }
    const text = this.#line(line)
    const end = text.length - (text.endsWith('\r\n') ? 2 : hasEnd(text) ? 1 : 0)
    return { line, character: Math.min(character, end) }
  }

  #line(at: number): string {
    return this.#lines[at] ?? ''
  }

  #lengthOf(from: number, to: number): number {
    let length = 0
    for (let at = from; at <= to; at++) length += this.#line(at).length
    return length
  }

  #put(from: number, to: number, lines: readonly string[]): void {
    const [only] = lines
    if (only !== undefined && lines.length === 1 && to === from + 1) this.#lines[from] = only
    else if (lines.length <= maxSpliced) this.#lines.splice(from, to - from, ...lines)
    else this.#lines = [...this.#lines.slice(0, from), ...lines, ...this.#lines.slice(to)]
  }
}

function linesOf(text: string): string[] {
  if (!/[\r\n]/.test(text)) return [text]
  return text.split(/(?<=\n|\r(?!\n))/).concat(hasEnd(text) ? [''] : [])
}

function hasEnd(line: string): boolean {
  return line.endsWith('\n') || line.endsWith('\r')
}
