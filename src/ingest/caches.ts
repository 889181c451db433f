import { importsEvm, scriptHash } from '../flow/code/script-imports.ts'
import { createHash } from 'node:crypto'
import { shapeText } from '../flow/event-shape.ts'
import type { EventShape } from '../flow/event-shape.ts'

export interface KnownScript {
  readonly script: Buffer
  /** SHA-256, the key in `raw.scripts`. */
  readonly hash: Buffer
  readonly importsEvm: boolean
  isStored: boolean
}

/** When full, the cache is cleared, which costs some idempotent inserts. */
const maxBytes = 16 * 1024 * 1024
/** More occur only in attacks; the oldest is replaced. */
const maxPerKey = 8

/**
 * A few hundred scripts make up nearly all transactions, and comparing bytes is ten times faster
 * than hashing and searching the text.
 */
export class ScriptCache {
  readonly #byKey = new Map<number, KnownScript[]>()
  #bytes = 0

  /** @param script may be a view; it is copied if cached */
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

/** A sample from the middle, where scripts of the same origin differ. Not unique. */
function keyOf(script: Buffer): number {
  const { length } = script
  const sample = length < 4 ? 0 : script.readUInt32LE((length - 4) >> 1)
  return (length % 0x10_0000) * 0x1_0000_0000 + sample
}

export interface KnownShape {
  readonly shape: EventShape
  /** SHA-256: the text may be too long for a unique index. */
  readonly hash: Buffer
  id: number | undefined
}

/** Bytes; when full, the cache is cleared. */

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
