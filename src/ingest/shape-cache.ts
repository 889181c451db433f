import { createHash } from 'node:crypto'
import { shapeText } from '../flow/event-shape.ts'
import type { EventShape } from '../flow/event-shape.ts'

/** A shape of events with what ingest needs to know of it. */
export interface KnownShape {
  readonly shape: EventShape
  /** SHA-256 of its text, by which raw.event_shapes has it once: the text itself may be too long for an index. */
  readonly hash: Buffer
  /** Its number in raw.event_shapes, once that is known. */
  id: number | undefined
}

/** Bytes of texts that are kept; full, the cache starts anew, which costs some statements that change nothing. */
const mostBytes = 16 * 1024 * 1024

/** The shapes of events by what they say; the decoder's own objects, which come again and again, without looking at it. */
export class ShapeCache {
  readonly #byText = new Map<string, KnownShape>()
  #byObject = new WeakMap<EventShape, KnownShape>()
  #bytes = 0

  find(shape: EventShape): KnownShape {
    const found = this.#byObject.get(shape)
    if (found !== undefined) return found
    const text = shapeText(shape)
    let known = this.#byText.get(text)
    if (known === undefined) {
      if (this.#bytes + text.length > mostBytes) {
        this.#byText.clear()
        this.#byObject = new WeakMap()
        this.#bytes = 0
      }
      known = { shape, hash: createHash('sha256').update(text).digest(), id: undefined }
      this.#byText.set(text, known)
      this.#bytes += text.length
    }
    this.#byObject.set(shape, known)
    return known
  }
}
