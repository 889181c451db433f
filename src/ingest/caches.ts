import { importsEvm, scriptHash } from '../flow/code/script-imports.ts'
import { createHash } from 'node:crypto'
import { shapeText } from '../flow/event-shape.ts'
import type { EventShape } from '../flow/event-shape.ts'

/** A script with what ingest needs to know of it. */
export interface KnownScript {
  readonly script: Buffer
  /** SHA-256, the key in `raw.scripts`. */
  readonly hash: Buffer
  readonly importsEvm: boolean
  /** True once the database has it for certain. */
  isStored: boolean
}

/** Bytes of scripts that are kept; full, the cache starts anew, which costs some inserts that change nothing. */
const maxBytes = 16 * 1024 * 1024
/** Scripts under one key. More come only from somebody who wants them to: the first makes room then. */
const maxPerKey = 8

/**
 * The scripts of late. A few hundred make up nearly all transactions, so most are found by comparing their bytes, which
 * is ten times as quick as hashing them and searching their text.
 */
export class ScriptCache {
  readonly #byKey = new Map<number, KnownScript[]>()
  #bytes = 0

  /** @param script may be a view; it is copied where it is kept */
  find(script: Buffer): KnownScript {
    const key = keyOf(script)
    let known = this.#byKey.get(key)
    const found = known?.find((one) => one.script.equals(script))
    if (found !== undefined) return found
    if (this.#bytes + script.length > maxBytes) {
      this.#byKey.clear()
      this.#bytes = 0
      known = undefined
    }
    if (known === undefined) this.#byKey.set(key, (known = []))
    if (known.length >= maxPerKey) this.#bytes -= known.shift()?.script.length ?? 0
    const made: KnownScript = {
      script: Buffer.from(script),
      hash: scriptHash(script),
      importsEvm: importsEvm(script),
      isStored: false,
    }
    known.push(made)
    this.#bytes += script.length
    return made
  }
}

/** The length and a sample from the middle, where scripts of one origin differ: other scripts may have the same key. */
function keyOf(script: Buffer): number {
  const { length } = script
  const sample = length < 4 ? 0 : script.readUInt32LE((length - 4) >> 1)
  return (length % 0x10_0000) * 0x1_0000_0000 + sample
}

/** A shape of events with what ingest needs to know of it. */
export interface KnownShape {
  readonly shape: EventShape
  /** SHA-256 of its text, by which raw.event_shapes has it once: the text itself may be too long for an index. */
  readonly hash: Buffer
  /** Its number in raw.event_shapes, once that is known. */
  id: number | undefined
}

/** Bytes of texts that are kept; full, the cache starts anew, which costs some statements that change nothing. */

/**
 * The shapes of events by what they say; the decoder's own objects, which come again and again, without looking at
 * it.
 */
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
      if (this.#bytes + text.length > maxBytes) {
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
