/** Line and column in characters, both from 1. */
export interface Place {
  readonly line: number
  readonly column: number
}

const maxShownCharacters = 240
const lineFeed = 0x0a

/** Converts between byte offsets and lines and columns. */
export class SourceText {
  readonly #bytes: Buffer
  readonly #starts: readonly number[]

  constructor(code: string) {
    this.#bytes = Buffer.from(code)
    const starts = [0]
    for (let at = this.#bytes.indexOf(lineFeed); at >= 0; at = this.#bytes.indexOf(lineFeed, at + 1))
      starts.push(at + 1)
    this.#starts = starts
  }

  /** @param start, end in bytes, `end` inclusive */
  slice(start: number, end: number): string {
    return this.#bytes.toString('utf8', Math.max(0, start), end + 1)
  }

  /** @param offset in bytes; clamped to the end */
  placeOf(offset: number): Place {
    let at = Math.min(Math.max(0, offset), this.#bytes.length)
    // A character may be given by its last byte.
    while (isWithinCharacter(this.#bytes[at])) at--
    const line = Math.max(
      0,
      this.#starts.findLastIndex((start) => start <= at),
    )
    return { line: line + 1, column: Array.from(this.#bytes.toString('utf8', this.#starts[line] ?? 0, at)).length + 1 }
  }

  /** Undefined for a missing line. A column past the end means the end of the line. */
  offsetOf({ line, column }: Place): number | undefined {
    const start = this.#starts[line - 1]
    if (start === undefined) return undefined
    const before = Array.from(this.#lineText(line))
      .slice(0, Math.max(0, column - 1))
      .join('')
    return start + Buffer.byteLength(before)
  }

  shownLine(line: number): string {
    const text = this.#lineText(line).trim()
    return text.length > maxShownCharacters ? `${text.slice(0, maxShownCharacters)}…` : text
  }

  #lineText(line: number): string {
    const start = this.#starts[line - 1] ?? this.#bytes.length
    const end = this.#starts[line] ?? this.#bytes.length + 1
    return this.#bytes.toString('utf8', start, end - 1)
  }
}

function isWithinCharacter(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80
}
