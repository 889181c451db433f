/** Longer types than this are not kept: they would let a node fill memory. */
const maxLength = 512

interface Entry {
  readonly bytes: Buffer
  readonly text: string
}

/**
 * Event types as strings, found by their bytes, so that of the hundred events of a block only those of a new type
 * make a string. A two-way table of fixed size: what finds both its places taken replaces the first.
 */
export class EventTypeCache {
  readonly #entries: (Entry | undefined)[]
  readonly #mask: number

  /** @param slots how many types are kept at most; a power of two */
  constructor(slots = 4096) {
    this.#entries = Array.from({ length: slots }, () => undefined)
    this.#mask = slots - 1
  }

  /** The UTF-8 text of `bytes[from..to)`. */
  text(bytes: Buffer, from: number, to: number): string {
    const length = to - from
    if (length > maxLength) return bytes.toString('utf8', from, to)
    let hash = length
    for (let i = from; i < to; i++) hash = (Math.imul(hash, 31) + (bytes[i] as number)) | 0
    const slot = (hash ^ (hash >>> 15)) & this.#mask
    const first = this.#entries[slot]
    if (first !== undefined && same(first.bytes, bytes, from, length)) return first.text
    const other = slot ^ 1
    const second = this.#entries[other]
    if (second !== undefined && same(second.bytes, bytes, from, length)) return second.text
    const entry = { bytes: Buffer.from(bytes.subarray(from, to)), text: bytes.toString('utf8', from, to) }
    this.#entries[first !== undefined && second === undefined ? other : slot] = entry
    return entry.text
  }
}

function same(known: Buffer, bytes: Buffer, from: number, length: number): boolean {
  if (known.length !== length) return false
  for (let i = 0; i < length; i++) if (known[i] !== bytes[from + i]) return false
  return true
}
