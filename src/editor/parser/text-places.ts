import type { Position, Range } from 'vscode-languageserver-protocol'

const lineFeed = 0x0a
const carriageReturn = 0x0d

/**
 * Places in a text in the three ways in which they are told: LSP counts lines and UTF-16 units, strings UTF-16 units, and the parser bytes of UTF-8.
 * A line ends with LF, CRLF or CR. Half of a surrogate pair is taken for one that no text can have, of three bytes, as encoders do.
 */
export class TextPlaces {
  readonly #text: string
  /** Where each line begins. */
  readonly #starts: number[] = [0]
  /** The same in bytes. */
  readonly #byteStarts: number[] = [0]

  constructor(text: string) {
    this.#text = text
    let bytes = 0
    for (let at = 0; at < text.length; at++) {
      const unit = text.charCodeAt(at)
      if (isPair(text, at)) {
        bytes += 4
        at++
        continue
      }
      bytes += sizeOf(unit)
      if (unit !== lineFeed && (unit !== carriageReturn || text.charCodeAt(at + 1) === lineFeed)) continue
      this.#starts.push(at + 1)
      this.#byteStarts.push(bytes)
    }
  }

  /** A place beyond its line means the line's end, one beyond the text the text's end. */
  offsetAt({ line, character }: Position): number {
    const start = this.#starts[line]
    if (start === undefined) return line < 0 ? 0 : this.#text.length
    return Math.min(start + Math.max(0, character), this.#lineEnd(line))
  }

  positionAt(offset: number): Position {
    const at = Math.max(0, Math.min(offset, this.#text.length))
    const line = lastNotAfter(this.#starts, at)
    return { line, character: Math.min(at, this.#lineEnd(line)) - (this.#starts[line] ?? 0) }
  }

  /** The character that a byte belongs to. */
  offsetOfByte(byte: number): number {
    const line = lastNotAfter(this.#byteStarts, Math.max(0, byte))
    let bytes = this.#byteStarts[line] ?? 0
    let at = this.#starts[line] ?? 0
    while (at < this.#text.length) {
      const pair = isPair(this.#text, at)
      bytes += pair ? 4 : sizeOf(this.#text.charCodeAt(at))
      if (bytes > byte) break
      at += pair ? 2 : 1
    }
    return at
  }

  /** The first byte of the character at an offset. */
  byteOfOffset(offset: number): number {
    const line = lastNotAfter(this.#starts, Math.max(0, offset))
    let bytes = this.#byteStarts[line] ?? 0
    for (let at = this.#starts[line] ?? 0; at < Math.min(offset, this.#text.length);) {
      const pair = isPair(this.#text, at)
      bytes += pair ? 4 : sizeOf(this.#text.charCodeAt(at))
      at += pair ? 2 : 1
    }
    return bytes
  }

  /** @param last the last byte, as the parser tells ends */
  rangeOfBytes(first: number, last: number): Range {
    const start = this.offsetOfByte(first)
    return { start: this.positionAt(start), end: this.positionAt(Math.max(start, this.offsetOfByte(last + 1))) }
  }

  /** Without what ends the line. */
  #lineEnd(line: number): number {
    let end = this.#starts[line + 1] ?? this.#text.length
    const start = this.#starts[line] ?? 0
    while (end > start && isLineEnd(this.#text.charCodeAt(end - 1))) end--
    return end
  }
}

function isLineEnd(unit: number): boolean {
  return unit === lineFeed || unit === carriageReturn
}

function isPair(text: string, at: number): boolean {
  return (text.codePointAt(at) ?? 0) > 0xffff
}

/** Bytes of a character that is one UTF-16 unit. */
function sizeOf(unit: number): number {
  return unit < 0x80 ? 1 : unit < 0x800 ? 2 : 3
}

/** Index of the last of ascending numbers that is not above `value`. */
function lastNotAfter(ascending: readonly number[], value: number): number {
  let low = 0
  let high = ascending.length - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if ((ascending[middle] ?? 0) <= value) low = middle
    else high = middle - 1
  }
  return low
}
