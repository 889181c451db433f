import type { TextDocumentContentChangeEvent } from 'vscode-languageserver-protocol'
import { TextPlaces } from './text-places.ts'

/** A document as the client has it. */
export class OpenDocument {
  readonly uri: string
  #version: number
  #text: string
  #places: TextPlaces | undefined

  constructor(uri: string, version: number, text: string) {
    this.uri = uri
    this.#version = version
    this.#text = text
  }

  get version(): number {
    return this.#version
  }
  get text(): string {
    return this.#text
  }
  get places(): TextPlaces {
    return (this.#places ??= new TextPlaces(this.#text))
  }

  /** Applies changes one after the other: each is about the text that the one before it left. */
  change(version: number, changes: readonly TextDocumentContentChangeEvent[]): void {
    for (const change of changes) {
      if ('range' in change) {
        const [start, end] = [
          this.places.offsetAt(change.range.start),
          this.places.offsetAt(change.range.end),
        ].toSorted((a, b) => a - b)
        this.#text = this.#text.slice(0, start) + change.text + this.#text.slice(end)
      } else this.#text = change.text
      this.#places = undefined
    }
    this.#version = version
  }
}
