/** Where something is in a text, counted in UTF-16 units. */
export interface LinePosition {
  readonly line: number
  readonly character: number
}

/** Far fewer than a call may have arguments. */
const mostSpliced = 10_000

/**
 * A text by its lines, for many changes one after the other: each costs what it changes, and not the way there from the top. A character beyond the end of
 * its line means the end of the line, a line beyond the last one the end of the text.
 */
export class LineText {
  /** Each with what ends it; the last one has no end, and may be empty. */
  #lines: string[]
  #length: number

  constructor(text: string) {
    this.#lines = linesOf(text)
    this.#length = text.length
  }

  /** In UTF-16 units. */
  get length(): number {
    return this.#length
  }

  /** Puts a text in the place of what is between two positions. @returns false where the end is before the start; nothing is done then */
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
    // The two ends of a line become one.
    if (text.startsWith('\n') && first > 0 && this.#line(first - 1).endsWith('\r')) text = this.#line(--first) + text
    const isLast = to.line === this.#lines.length - 1
    const lines = linesOf(text)
    // What ended the line is in the text: no line begins behind it.
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
    else if (lines.length <= mostSpliced) this.#lines.splice(from, to - from, ...lines)
    else this.#lines = [...this.#lines.slice(0, from), ...lines, ...this.#lines.slice(to)]
  }
}

/** Lines with what ends each, `\n`, `\r\n` or `\r`, and what is behind the last end. */
function linesOf(text: string): string[] {
  if (!/[\r\n]/.test(text)) return [text]
  return text.split(/(?<=\n|\r(?!\n))/).concat(hasEnd(text) ? [''] : [])
}

function hasEnd(line: string): boolean {
  return line.endsWith('\n') || line.endsWith('\r')
}
