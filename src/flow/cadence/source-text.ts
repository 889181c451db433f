/** A place in a source, as editors and people count: both from 1, columns in characters. */
export interface Place {
  readonly line: number
  readonly column: number
}

const maxShownCharacters = 240
const lineFeed = 0x0a

/** A source with the ways in which its places are told: the parser counts bytes, people count lines and columns. */
export class SourceText {
  readonly #bytes: Buffer
  /** Where each line begins, in bytes. */
  readonly #starts: readonly number[]

  constructor(code: string) {
    this.#bytes = Buffer.from(code)
    const starts = [0]
    for (let at = this.#bytes.indexOf(lineFeed); at >= 0; at = this.#bytes.indexOf(lineFeed, at + 1))
      starts.push(at + 1)
    this.#starts = starts
  }

  /** @param start, end in bytes, `end` included */
  slice(start: number, end: number): string {
    return this.#bytes.toString('utf8', Math.max(0, start), end + 1)
  }

  /** @param offset in bytes; one that is beyond the end means the end */
  placeOf(offset: number): Place {
    let at = Math.min(Math.max(0, offset), this.#bytes.length)
    // A character may be named by its last byte.
    while (isWithinCharacter(this.#bytes[at])) at--
    const line = Math.max(
      0,
      this.#starts.findLastIndex((start) => start <= at),
    )
    return { line: line + 1, column: Array.from(this.#bytes.toString('utf8', this.#starts[line] ?? 0, at)).length + 1 }
  }

  /** The byte of a place; undefined without such a line. A column beyond the line means its end. */
  offsetOf({ line, column }: Place): number | undefined {
    const start = this.#starts[line - 1]
    if (start === undefined) return undefined
    const before = Array.from(this.#lineText(line))
      .slice(0, Math.max(0, column - 1))
      .join('')
    return start + Buffer.byteLength(before)
  }

  /** A line as it is shown beside an error: without the white space around it, and not longer than anybody reads. */
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

/** Whether a byte of UTF-8 is not the first of its character. */
function isWithinCharacter(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80
}
