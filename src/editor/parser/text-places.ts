import type { Position, Range } from 'vscode-languageserver-protocol'
import { TextDocument } from 'vscode-languageserver-textdocument'

/**
 * LSP counts lines and UTF-16 units, the parser bytes of UTF-8. A lone surrogate counts as three
 * bytes.
 */
export class TextPlaces {
  readonly #text: string
  readonly #document: TextDocument
  readonly #byteStarts: number[] = [0]

  constructor(text: string) {
    this.#text = text
    this.#document = TextDocument.create('', '', 0, text)
    let bytes = 0
    for (let line = 1; line < this.#document.lineCount; line++) {
      bytes += Buffer.byteLength(text.slice(this.#startOf(line - 1), this.#startOf(line)))
      this.#byteStarts.push(bytes)
    }
  }

  /** Positions beyond a line mean its end, lines beyond the text the end of the text. */
  offsetAt(position: Position): number {
    return this.#document.offsetAt(position)
  }

  positionAt(offset: number): Position {
    return this.#document.positionAt(offset)
  }

  offsetOfByte(byte: number): number {
    const line = lastNotAfter(this.#byteStarts, Math.max(0, byte))
    let bytes = this.#byteStarts[line] ?? 0
    let at = this.#startOf(line)
    while (at < this.#text.length) {
      const pair = isPair(this.#text, at)
      bytes += pair ? 4 : sizeOf(this.#text.charCodeAt(at))
      if (bytes > byte) break
      at += pair ? 2 : 1
    }
    return at
  }

  byteOfOffset(offset: number): number {
    const { line } = this.#document.positionAt(offset)
    let bytes = this.#byteStarts[line] ?? 0
    for (let at = this.#startOf(line); at < Math.min(offset, this.#text.length);) {
      const pair = isPair(this.#text, at)
      bytes += pair ? 4 : sizeOf(this.#text.charCodeAt(at))
      at += pair ? 2 : 1
    }
    return bytes
  }

  /** @param last inclusive */
  rangeOfBytes(first: number, last: number): Range {
    const start = this.offsetOfByte(first)
    return { start: this.positionAt(start), end: this.positionAt(Math.max(start, this.offsetOfByte(last + 1))) }
  }

  #startOf(line: number): number {
    return this.#document.offsetAt({ line, character: 0 })
  }
}

function isPair(text: string, at: number): boolean {
  return (text.codePointAt(at) ?? 0) > 0xffff
}

function sizeOf(unit: number): number {
  return unit < 0x80 ? 1 : unit < 0x800 ? 2 : 3
}

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
